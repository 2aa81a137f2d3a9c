"""How the core is compiled; ``python -m shakedown.simulation.warm_up`` compiles it in advance.

Kernels do no checks and no printing; callers check the arguments.  Compiled code is cached on disk,
so that jobs do not compile it again.
"""

import hashlib
import sys
from collections.abc import Callable
from contextlib import suppress
from glob import escape
from importlib.util import LazyLoader, find_spec, module_from_spec
from pathlib import Path
from warnings import warn

import numpy
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher

PACKAGE = Path(__file__).parent
NOWHERE = (
    "Compiled code cannot be kept, so each process compiles it again, which takes minutes: neither "
    "the folder of the package nor that of your user's caches can be written to. Name a folder "
    "that can, in the environment variable NUMBA_CACHE_DIR."
)


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


def kernel_digest(package: Path = PACKAGE) -> str:
    """Digest of all sources of a package that have kernels or intrinsics, byte by byte.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    sources = hashlib.blake2b(digest_size=8)
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        if any(mark in content for mark in (b"@kernel", b"@ordered", b"llvmlite")):
            sources.update(content)
    return sources.hexdigest()


#: Part of the name of each file of compiled code.  Numba compiles a kernel again only if its own
#: file has changed, but a kernel also contains the code of kernels and intrinsics that it calls,
#: which may be in other files.
KERNELS = kernel_digest()


class _Files(CompileResultCacheImpl):
    """The files that keep the compiled code of one kernel."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}-{KERNELS}"

    def forget_older(self) -> None:
        """Delete code that was compiled from other sources, in whatever line the kernel was."""
        name = escape(self.filename_base.partition("-")[0])
        for path in Path(self.locator.get_cache_path()).glob(f"{name}-*.nb[ci]"):
            if KERNELS not in path.name:
                path.unlink(missing_ok=True)


class _OfSignatures(IndexDataCacheFile):
    """An index, and a file of compiled code for each signature, which is named after it.

    Numba numbers them.  Two processes that compile a kernel for different types at the same time
    can take the same number, and a later one then calls the code of one for the types of the other.
    """

    def __init__(self, folder: str, name: str, stamp) -> None:
        super().__init__(folder, name, stamp)
        self._name = name

    def save(self, key, data) -> None:
        signature = hashlib.blake2b(repr(key).encode(), digest_size=8).hexdigest()
        name, overloads = f"{self._name}.{signature}.nbc", self._load_index()
        self._save_data(name, data)
        if overloads.get(key) != name:
            self._save_index(overloads | {key: name})


class _Cache(FunctionCache):
    """Compiled code of one kernel, as Numba keeps it, under names of our own."""

    _impl_class = _Files

    def __init__(self, py_func: Callable) -> None:
        super().__init__(py_func)
        # An administrator may have compiled the kernels where users of the package cannot write.
        beside = str(Path(py_func.__code__.co_filename).with_name("__pycache__"))
        named = self._impl.filename_base, self._impl.locator.get_source_stamp()
        self._cache_file = _OfSignatures(self._cache_path, *named)
        self._beside = _OfSignatures(beside, *named)

    def _load_overload(self, sig, target_context):
        kept = super()._load_overload(sig, target_context)
        if kept is None:
            with suppress(OSError):
                data = self._beside.load(self._index_key(sig, target_context.codegen()))
                return None if data is None else self._impl.rebuild(target_context, data)
        return kept

    def save_overload(self, sig, data) -> None:
        # Code that cannot be kept, on a full disk for example, can still run.
        with suppress(OSError):
            super().save_overload(sig, data)
            self._impl.forget_older()


# Reordered sums and fused multiply-adds let the loops use vector units; infinities stay exact (the
# score of an empty board is infinite).  Division by zero gives infinity, as in NumPy, because a
# loop that could raise would not use vector units.
#
# A kernel contains the kernels that it calls.  If it called them by name, it would reach the copy
# that the process has loaded first; copies add in different orders, so the last bit would differ.
_OPTIONS = {
    "fastmath": {"reassoc", "contract"},
    "error_model": "numpy",
    "forceinline": True,
}


def kernel(function: Callable) -> Callable:
    """Compile a function when it is called, and keep the code on disk."""
    return _kept(njit(**_OPTIONS)(function))


def ordered(function: Callable) -> Callable:
    """A kernel for noise: additions stay in the written order.

    So the last bit does not depend on the width of a machine's vectors.
    """
    return _kept(njit(**{**_OPTIONS, "fastmath": False})(function))


def _kept(compiled: Callable) -> Callable:
    """Let the compiled code of a kernel be kept."""
    if isinstance(compiled, Dispatcher):  # unless Numba is told to compile nothing
        try:
            # What `enable_caching` does, with a cache of ours.
            compiled._cache = _Cache(compiled.py_func)
        except RuntimeError:  # no folder can be written to
            warn(NOWHERE, RuntimeWarning, stacklevel=1)
    return compiled
