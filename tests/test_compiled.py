"""What the compiler made of the kernels, and until when it is kept."""

import re
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
import pytest
from numba import njit
from numba.core.registry import CPUDispatcher

import shakedown
from shakedown.compiled import _OPTIONS, forget_stale
from shakedown.dryrun import bootstrap
from shakedown.dryrun.candidates import Part
from shakedown.simulation.warm_up import warm_up

MODULES = [
    import_module(module.name)
    for module in walk_packages(shakedown.__path__, "shakedown.")
    if not module.name.endswith("__main__")
]
KERNELS = {
    f"{kernel.py_func.__module__}.{kernel.__name__}": kernel
    for module in MODULES
    for kernel in vars(module).values()
    if isinstance(kernel, CPUDispatcher)
}


@pytest.fixture(scope="module")
def warm():
    """Every kernel that a study calls knows the types that it is called with."""
    warm_up()
    table = np.arange(8.0).reshape(2, 4)
    nothing = np.zeros(2)
    part = Part(nothing, np.arange(2.0), table, nothing, table, nothing, fixed=False)
    bootstrap._curves(part, part.costs, 0.5, seed=0)
    assert sum(bool(kernel.signatures) for kernel in KERNELS.values()) > 20


#: The rows that it writes and sums lie in one array: only its shape decides which path is taken.
IN_ONE_ARRAY = {"shakedown.attacks.least_squares._take_from_later"}


@cache
def compiled(name):
    """The LLVM code of a kernel, compiled anew for each of its signatures."""
    kernel, codes = KERNELS[name], []
    options = {**_OPTIONS, "fastmath": kernel.targetoptions["fastmath"], "cache": False}
    for signature in kernel.signatures:
        fresh = njit(**options)(kernel.py_func)
        fresh.compile(signature)
        codes += fresh.inspect_llvm().values()
    return codes


@pytest.mark.full  # compiles all kernels anew
@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("name", sorted(KERNELS.keys() - IN_ONE_ARRAY))
def test_the_order_of_a_sum_does_not_depend_on_where_arrays_lie(name):
    """A loop that writes takes another path where its arrays lie near to each other in memory.

    The path decides in which order a sum is made, and so its last bit.  LLVM calls the question
    `vector.memcheck`, and a sum within the loop behind it is a `vec.phi` of doubles.
    """
    for code in compiled(name):
        for behind in re.split(r"^vector\.memcheck.*$", code, flags=re.M)[1:]:
            loop = re.search(r"^vector\.body\d*:.*?(?=^\S|\Z)", behind, flags=re.M | re.S)
            assert loop is None or not re.search(r"vec\.phi.*double>", loop[0]), loop[0]


@pytest.mark.full  # compiles all kernels anew
@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("name", sorted(KERNELS))
def test_a_kernel_contains_the_kernels_that_it_calls(name):
    """Of a kernel that others call, each of them has a copy, with sums in an order of its own.

    A call by name reaches the copy that was loaded first, so that a last bit would depend on which
    kernels a process has used before.
    """
    own = "".join(f"{len(part)}{part}" for part in name.split("."))
    for code in compiled(name):
        called = set(re.findall(r"\bcall [^\n]*@_ZN(9shakedown\w*)", code))
        assert all(re.match(own + r"\w*B", other) for other in called), called


def test_code_that_was_compiled_from_older_sources_is_forgotten(tmp_path):
    called, calling = tmp_path / "called.py", tmp_path / "inner" / "calling.py"
    index = tmp_path / "inner" / "__pycache__" / "calling.nbi"
    index.parent.mkdir(parents=True)
    called.write_text("@kernel\ndef one(): return 1\n")
    calling.write_text("@kernel\ndef two(): return 2 * one()\n")
    index.write_text("compiled")
    assert forget_stale(tmp_path)
    assert not index.exists()
    index.write_text("compiled")
    (tmp_path / "plain.py").write_text("no = 'kernel'\n")
    assert not forget_stale(tmp_path)
    called.write_text("@kernel\ndef one(): return 3\n")
    assert forget_stale(tmp_path)
    assert not index.exists()
