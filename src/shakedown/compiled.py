"""How the core is compiled; ``python -m shakedown.simulation.warm_up`` compiles it in advance.

Kernels do no checks and no printing; callers check the arguments.  Compiled code is cached on disk,
so that jobs do not compile it again.
"""

import hashlib
import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from pathlib import Path

import numpy
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

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
    code of kernels that it calls, which may be in other files.
    """
    sources = hashlib.blake2b(digest_size=16)
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        if any(mark in content for mark in (b"@kernel", b"@ordered")):
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


@intrinsic
def sums_of_lines(_, lines, rows):
    """Sums of the four columns of `lines`, shape (n, 4), over some rows; only inside a kernel.

    The compiler does not see that a line is one vector, and needs twice the time.  The sum is in
    two parts, of even and odd positions, on every machine.
    """
    vector = ir.VectorType(ir.DoubleType(), 4)

    def add(context, builder, signature, arguments):
        table, which = (
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        parts = [cgutils.alloca_once_value(builder, ir.Constant(vector, [0.0] * 4)) for _ in "eo"]

        def add_line(position, part):
            row = builder.load(builder.gep(which.data, [position]))
            cell = builder.shl(builder.zext(row, position.type), position.type(2))
            start = builder.gep(table.data, [cell])
            line = builder.load(builder.bitcast(start, vector.as_pointer()), align=8)
            builder.store(builder.fadd(builder.load(part), line), part)

        count = builder.extract_value(which.shape, 0)
        one = count.type(1)
        with cgutils.for_range(builder, builder.lshr(count, one)) as loop:
            first = builder.shl(loop.index, one)
            add_line(first, parts[0])
            add_line(builder.add(first, one), parts[1])
        with builder.if_then(builder.trunc(count, ir.IntType(1))):
            add_line(builder.sub(count, one), parts[0])
        total = builder.fadd(builder.load(parts[0]), builder.load(parts[1]))
        sums = [builder.extract_element(total, ir.IntType(32)(k)) for k in range(4)]
        return context.make_tuple(builder, signature.return_type, sums)

    four = types.UniTuple(types.float64, 4)
    return four(lines, rows), add
