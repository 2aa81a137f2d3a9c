"""How the core is compiled; ``python -m shakedown.rehearsal`` compiles it ahead.

A kernel is dull: arguments are checked before it is called, and inside there is no check and no
print.  Compiled code is kept on disk, so a job does not pay for compiling again.
"""

import hashlib
from pathlib import Path

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

PACKAGE = Path(__file__).parent


def forget_stale(package: Path = PACKAGE) -> bool:
    """Forget compiled code that is older than the package's sources; whether there was any.

    Numba compiles a kernel again when its own file has changed, but a kernel also holds code of
    the kernels that it calls, which may lie in other files.
    """
    sources = hashlib.blake2b(digest_size=16)
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        if b"@kernel" in content or b"@inlined" in content:
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
        pass  # a folder that cannot be written to holds no compiled code either
    return True


forget_stale()

# Sums may be re-ordered and multiply-adds fused, which is what lets the loops use vector units;
# infinities keep their meaning (the score of an empty board is infinite).  For the same reason a
# division by zero is infinite, as in NumPy: a loop that could raise uses no vector units.
_OPTIONS = {"cache": True, "fastmath": {"reassoc", "contract"}, "error_model": "numpy"}
kernel = njit(**_OPTIONS)
#: For the body of a loop that stands in two kernels: a call would keep it from vector units.
inlined = njit(**_OPTIONS, inline="always")


@intrinsic
def bits_of(_, number):
    """The 64 bits of a float as an unsigned integer; only inside a kernel."""

    def cast(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), cast


@intrinsic
def float_of(_, bits):
    """The float with these 64 bits; only inside a kernel."""

    def cast(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), cast
