"""What the compiler made of the kernels, and until when it is kept."""

import re
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
import pytest
from numba import njit
from numba.core.registry import CPUDispatcher

import shakedown.compiled
from shakedown.compiled import _OPTIONS, _OfSignatures
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


#: The rows that the first writes and sums lie in one array: only its shape decides which path is
#: taken.  The others contain it.
IN_ONE_ARRAY = {
    f"shakedown.attacks.least_squares.{name}"
    for name in (
        "_take_from_later",
        "_orthogonalised",
        "nested_predictions",
        "subset_predictions",
    )
}


@cache
def compiled(name):
    """The LLVM code of a kernel, compiled anew for each of its signatures."""
    kernel, code = KERNELS[name], []
    options = {**_OPTIONS, "fastmath": kernel.targetoptions["fastmath"], "cache": False}
    for signature in kernel.signatures:
        fresh = njit(**options)(kernel.py_func)
        fresh.compile(signature)
        code += fresh.inspect_llvm().values()
    return code


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
            # Of code from another kernel the name of the loop has more behind it.
            loop = re.search(r"^vector\.body[\w.]*:.*?(?=^\S|\Z)", behind, flags=re.M | re.S)
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


#: A package with a kernel that another one, in another file, contains.
CALLED = "from toy.compiled import kernel\n\n\n@kernel\ndef price(): return {}\n"
CALLING = """
from toy.called import price
from toy.compiled import kernel


@kernel
def twice(): return 2 * price()


if __name__ == "__main__":
    print(twice(), sum(twice.stats.cache_hits.values()))
"""


#: Where compiled code can be kept; each takes seconds.
PLACES = ["beside", "named", "no room beside", "no room"]


@pytest.fixture(params=PLACES)
def place(request, tmp_path):
    """Where compiled code can be kept: the environment that says so, and whether there is room."""
    package = tmp_path / "toy"
    package.mkdir()
    shutil.copy(shakedown.compiled.__file__, package)
    (package / "calling.py").write_text(CALLING)
    environment = {"PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "user")}
    if request.param == "named":
        environment["NUMBA_CACHE_DIR"] = str(tmp_path / "named")
    if request.param.startswith("no room"):
        (package / "__pycache__").touch()  # where a folder would be, which stops root, too
    if request.param == "no room":
        (tmp_path / "user").touch()
    return environment, request.param != "no room"


@pytest.mark.full  # imports Numba in each process
def test_a_kernel_is_compiled_again_if_one_that_it_calls_has_changed(place, tmp_path):
    environment, room = place

    def run():
        program = [sys.executable, "-m", "toy.calling"]
        done = subprocess.run(program, env=environment, capture_output=True, text=True)
        assert ("NUMBA_CACHE_DIR" in done.stderr) is not room
        return done.stdout.split()

    def files():
        return {path for path in tmp_path.rglob("*calling.twice*") if path.is_file()}

    (tmp_path / "toy/called.py").write_text(CALLED.format(1))
    assert run() == ["2", "0"]
    assert run() == ["2", "1" if room else "0"]
    first = files()
    (tmp_path / "toy/plain.py").write_text("price = 3\n")
    assert run() == ["2", "1" if room else "0"]
    (tmp_path / "toy/called.py").write_text(CALLED.format(4))
    assert run() == ["8", "0"]
    assert run() == ["8", "1" if room else "0"]
    assert len(first) == len(files()) == (2 if room else 0)
    assert not first & files()  # nobody can confuse them


@pytest.mark.full  # imports Numba in each process
def test_code_beside_the_package_is_used_by_those_who_keep_theirs_elsewhere(tmp_path):
    """As in a container, whose users cannot write to the package."""
    package, own = tmp_path / "toy", tmp_path / "own"
    package.mkdir()
    shutil.copy(shakedown.compiled.__file__, package)
    (package / "calling.py").write_text(CALLING)
    (package / "called.py").write_text(CALLED.format(1))

    def run(**variables):
        program = [sys.executable, "-m", "toy.calling"]
        environment = {"PYTHONPATH": str(tmp_path), **variables}
        return subprocess.run(program, env=environment, capture_output=True, text=True).stdout

    elsewhere = {"NUMBA_CACHE_DIR": str(own)}
    assert run() == "2 0\n"
    assert run(**elsewhere) == "2 1\n"
    assert not list(own.rglob("*.nb*"))
    (package / "called.py").write_text(CALLED.format(4))
    assert [run(**elsewhere) for _ in range(2)] == ["8 0\n", "8 1\n"]
    assert list(own.rglob("*.nbi"))


def test_two_processes_that_keep_code_at_once_do_not_mix_it_up(tmp_path, monkeypatch):
    """Each has read the index before the other wrote to it; one is late with its code."""
    first, second = (_OfSignatures(str(tmp_path), "sum", 1) for _ in range(2))
    write = first._save_data

    def late(name, data):
        with monkeypatch.context() as patch:
            patch.setattr(second, "_load_index", dict)
            second.save("float64", "of float64")
        write(name, data)

    monkeypatch.setattr(first, "_save_data", late)
    first.save("int64", "of int64")
    kept = _OfSignatures(str(tmp_path), "sum", 1)
    for key in ("int64", "float64"):
        assert kept.load(key) in (None, f"of {key}")
    kept.save("float64", "of float64")  # what was lost is compiled again
    assert (kept.load("int64"), kept.load("float64")) == ("of int64", "of float64")
