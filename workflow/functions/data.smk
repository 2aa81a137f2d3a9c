from shakedown.simulation.cost import memory
from shakedown.simulation.workload import shapes

#: Rows, features and public rows of each data set, known before it is made.
SHAPES = shapes(config)


def get_source(wildcards):
    """The file that a data set is read from, if any."""
    return config["datasets"][wildcards.dataset].get("path", [])


def get_memory(datasets):
    """MiB that a job with these data sets may take: a third more than the model says."""
    largest = max((memory(SHAPES[name]) for name in datasets), default=0)
    return max(1000, ceil(4 * largest / 3))


def get_memory_of_dataset(wildcards):
    """MiB of a job with one data set."""
    return get_memory([wildcards.dataset])
