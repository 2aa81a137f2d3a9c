def get_source(wildcards):
    """The file that a data set is read from, if any."""
    return config["datasets"][wildcards.dataset].get("path", [])
