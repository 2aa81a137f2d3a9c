def get_source(wildcards):
    """The file that a data set is read from, if any."""
    return lookup(dpath="datasets/{dataset}/path", within=config, default=[])(wildcards)
