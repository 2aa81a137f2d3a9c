"""How the core is compiled; ``python -m shakedown.simulation.warm_up`` compiles it in advance.

Kernels do no checks and no printing; callers check the arguments.  Compiled code is cached on disk,
so that jobs do not compile it again.
"""

import hashlib
import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from pathlib import Path

import numpy
from numba import njit

PACKAGE = Path(__file__).parent


def put_off(name: str) -> None:
    """Let a module of NumPy run only when something in it is read, if it has not run yet."""
    path = f"numpy.{name}"
    if path not in sys.modules:
        spec = find_spec(path)
        spec.loader = LazyLoader(spec.loader)
        sys.modules[path] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
        setattr(numpy, name, module)


# SciPy, which Numba imports with the first kernel, asks NumPy for all its modules, and uses neither
# of these; each job would take a tenth longer to start.
put_off("f2py")
put_off("testing")


def forget_stale(package: Path = PACKAGE) -> bool:
    """Delete compiled code if the package's sources have changed; returns whether they had.

    Numba compiles a kernel again only if its own file has changed, but a kernel also contains the
    code of kernels and intrinsics that it calls, which may be in other files.
    """
    sources = hashlib.blake2b(digest_size=16)
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        if any(mark in content for mark in (b"@kernel", b"@ordered", b"llvmlite")):
            sources.update(content)
    stamp = package / "__pycache__" / "kernels"
    try:
        if stamp.is_file() and stamp.read_text() == sources.hexdigest():
            return False
        for index in package.rglob("__pycache__/*.nbi"):
            index.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(sources.hexdigest())
    except OSError:
        pass  # a read-only folder has no compiled code either
    return True


forget_stale()

# Reordered sums and fused multiply-adds let the loops use vector units; infinities stay exact (the
# score of an empty board is infinite).  Division by zero gives infinity, as in NumPy, because a
# loop that could raise would not use vector units.
#
# A kernel contains the kernels that it calls.  If it called them by name, it would reach the copy
# that the process has loaded first; copies add in different orders, so the last bit would differ.
_OPTIONS = {
    "cache": True,
    "fastmath": {"reassoc", "contract"},
    "error_model": "numpy",
    "forceinline": True,
}
kernel = njit(**_OPTIONS)
#: For noise: additions stay in the written order, so the last bit does not depend on the width of
#: a machine's vectors.
ordered = njit(**{**_OPTIONS, "fastmath": False})
