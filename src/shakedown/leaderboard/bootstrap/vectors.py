"""Eight numbers at once, for loops that the compiler does not turn into vectors by itself.

Operators of `Vector` build instructions, so this code is only for intrinsics that `ordered` kernels
call: in other kernels the compiler may reorder additions.  Each lane computes the same on every
machine, whatever the width of its vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir
from numba.core import cgutils

#: Numbers in a vector: one of 512 bits, two of 256, four of 128.
WIDTH = 8

_WORD, _FLOAT = ir.IntType(64), ir.DoubleType()
_WORDS, _FLOATS = ir.VectorType(_WORD, WIDTH), ir.VectorType(_FLOAT, WIDTH)
_TWO_52, _TWO_51 = 0x4330000000000000, 1 << 51  # the bits of 2^52; whole numbers have steps of 1


class Vector:
    """Eight words of 64 bits, or eight floats, with Python's operators; words are unsigned.

    Words can be cut into `parts`, which are numbers of their own.
    """

    def __init__(self, builder: ir.IRBuilder, value) -> None:
        self._builder, self.value = builder, value
        self._is_float = value.type == _FLOATS

    def _new(self, value) -> Vector:
        return Vector(self._builder, value)

    def _operand(self, other):
        """The same number in all lanes, or the other's lanes."""
        if isinstance(other, Vector):
            return other.value
        number = float(other) if self._is_float else int(other)
        return ir.Constant(self.value.type, [number] * self.value.type.count)

    def _by(self, instruction: str, other) -> Vector:
        return self._new(getattr(self._builder, instruction)(self.value, self._operand(other)))

    def __add__(self, other) -> Vector:
        return self._by("fadd" if self._is_float else "add", other)

    def __sub__(self, other) -> Vector:
        return self._by("fsub" if self._is_float else "sub", other)

    def __mul__(self, other) -> Vector:
        return self._by("fmul" if self._is_float else "mul", other)

    def times_plus(self, factor, term) -> Vector:
        """self x factor + term of floats, rounded once where the machine can, and else twice."""
        builder, flags = self._builder, ("contract",)
        product = builder.fmul(self.value, self._operand(factor), flags=flags)
        return self._new(builder.fadd(product, self._operand(term), flags=flags))

    def __and__(self, other) -> Vector:
        return self._by("and_", other)

    def __or__(self, other) -> Vector:
        return self._by("or_", other)

    def __xor__(self, other) -> Vector:
        return self._by("xor", other)

    def __lshift__(self, other) -> Vector:
        return self._by("shl", other)

    def __rshift__(self, other) -> Vector:
        return self._by("lshr", other)

    def signed_shift(self, other) -> Vector:
        """Shift words to the right, with copies of their first bits."""
        return self._by("ashr", other)

    def __lt__(self, other) -> Vector:
        return self._new(self._builder.icmp_unsigned("<", self.value, self._operand(other)))

    def choose(self, yes: Vector, no: Vector | int) -> Vector:
        """Vector of `yes` where a comparison holds, and of `no` elsewhere."""
        return self._new(self._builder.select(self.value, yes.value, yes._operand(no)))

    def any(self):
        """Whether a comparison holds in any lane."""
        kind = ir.IntType(self.value.type.count)
        whole = self._builder.bitcast(self.value, kind)
        return self._builder.icmp_unsigned("!=", whole, kind(0))

    def as_float(self) -> Vector:
        """Floats with these bits."""
        return self._new(self._builder.bitcast(self.value, _FLOATS))

    def as_bits(self) -> Vector:
        """The bits of floats."""
        return self._new(self._builder.bitcast(self.value, _WORDS))

    def to_float(self) -> Vector:
        """Whole numbers, negative or not, below 2^51 as floats; older machines only have this."""
        return (self + (_TWO_52 + _TWO_51)).as_float() - (2.0**52 + 2.0**51)

    def parts(self, bits: int) -> Vector:
        """The parts of words, of so many bits each, the least significant first."""
        kind = ir.VectorType(ir.IntType(bits), WIDTH * 64 // bits)
        return self._new(self._builder.bitcast(self.value, kind))

    def product(self, factor: Vector) -> tuple[Vector, Vector]:
        """The upper and the lower halves of the products of parts."""
        builder, kind = self._builder, self.value.type
        bits = kind.element.width
        wide = ir.VectorType(ir.IntType(2 * bits), kind.count)
        whole = builder.mul(builder.zext(self.value, wide), builder.zext(factor.value, wide))
        upper = builder.lshr(whole, ir.Constant(wide, [bits] * kind.count))
        return self._new(builder.trunc(upper, kind)), self._new(builder.trunc(whole, kind))

    def total(self):
        """The sum of the lanes, always in the same order."""
        parts = [self._builder.extract_element(self.value, ir.IntType(32)(k)) for k in range(WIDTH)]
        add = self._builder.fadd if self._is_float else self._builder.add
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [add(a, b) for a, b in zip(parts[:half], parts[half:], strict=True)]
        return parts[0]


def numbered(builder: ir.IRBuilder, first) -> Vector:
    """The words first, first + 1, ...; `first` is one word."""
    return spread(builder, first) + Vector(builder, ir.Constant(_WORDS, list(range(WIDTH))))


def spread(builder: ir.IRBuilder, word, bits: int = 64) -> Vector:
    """The same word, or its last bits in parts, in all lanes; known only when the code runs."""
    kind = ir.VectorType(ir.IntType(bits), WIDTH * 64 // bits)
    word = word if bits == 64 else builder.trunc(word, kind.element)
    alone = builder.insert_element(ir.Constant(kind, ir.Undefined), word, ir.IntType(32)(0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return Vector(builder, builder.shuffle_vector(alone, alone, everywhere))


class Row:
    """The data of an array of words, parts or floats, read and written in vectors."""

    def __init__(self, context, builder: ir.IRBuilder, kind, value) -> None:
        array = context.make_array(kind)(context, builder, value)
        self._builder, self._data = builder, array.data
        self.size = builder.extract_value(array.shape, kind.ndim - 1)

    def _at(self, first, kind):
        return self._builder.bitcast(self._builder.gep(self._data, [first]), kind.as_pointer())

    def read(self, first) -> Vector:
        """Eight numbers from an index on."""
        kind = _FLOATS if self._data.type.pointee == _FLOAT else _WORDS
        return Vector(self._builder, self._builder.load(self._at(first, kind), align=8))

    def write(self, first, vector: Vector) -> None:
        """Write all lanes from an index on."""
        kind = vector.value.type
        align = 8 if kind == _FLOATS else kind.element.width // 8
        self._builder.store(vector.value, self._at(first, kind), align=align)

    def gathered(self, where: Vector) -> Vector:
        """The words at eight indices."""
        builder, yes = self._builder, ir.IntType(1)(1)
        start = spread(builder, builder.ptrtoint(self._data, _WORD))
        pointers = builder.inttoptr(
            (start + (where << 3)).value, ir.VectorType(_WORD.as_pointer(), WIDTH)
        )
        everywhere = ir.Constant(ir.VectorType(yes.type, WIDTH), [yes] * WIDTH)
        given = [pointers, ir.IntType(32)(8), everywhere, ir.Constant(_WORDS, ir.Undefined)]
        gather = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(_WORDS, [value.type for value in given]),
            f"llvm.masked.gather.v{WIDTH}i64.v{WIDTH}p0",
        )
        return Vector(builder, builder.call(gather, given))


class Sum:
    """Sums over a loop, one in each lane."""

    def __init__(self, builder: ir.IRBuilder, *, of_floats: bool) -> None:
        kind = _FLOATS if of_floats else _WORDS
        self._builder = builder
        self._pointer = cgutils.alloca_once_value(builder, ir.Constant(kind, [0] * WIDTH))

    def add(self, vector: Vector) -> None:
        """Add to each lane."""
        self._builder.store((self.vector + vector).value, self._pointer)

    def add_product(self, a: Vector, b: Vector) -> None:
        """Add to each lane what `Vector.times_plus` gives."""
        self._builder.store(a.times_plus(b, self.vector).value, self._pointer)

    @property
    def vector(self) -> Vector:
        """The sums so far."""
        return Vector(self._builder, self._builder.load(self._pointer))


@contextmanager
def blocks(builder: ir.IRBuilder, size) -> Iterator:
    """A loop over the first indices of each eight of `size`; the last may have fewer."""
    step = ir.Constant(size.type, WIDTH)
    count = builder.udiv(builder.add(size, ir.Constant(size.type, WIDTH - 1)), step)
    with cgutils.for_range(builder, count) as loop:
        yield builder.mul(loop.index, step)


class _Place:
    """Where a loop is that goes on by steps of its own."""

    def __init__(self, builder: ir.IRBuilder, end) -> None:
        self._builder, self._pointer = builder, cgutils.alloca_once_value(builder, end.type(0))

    @property
    def index(self):
        """The present index."""
        return self._builder.load(self._pointer)

    def write(self, row: Row, vector: Vector) -> None:
        """Write all lanes, and go on behind them."""
        row.write(self.index, vector)
        behind = self._builder.add(self.index, self.index.type(vector.value.type.count))
        self._builder.store(behind, self._pointer)

    def go_back(self, condition, index) -> None:
        """Go back to an index if a condition holds."""
        self._builder.store(self._builder.select(condition, index, self.index), self._pointer)


@contextmanager
def until(builder: ir.IRBuilder, end) -> Iterator[_Place]:
    """A loop that moves its index itself, until it has reached `end`."""
    place = _Place(builder, end)
    question, body, after = (builder.append_basic_block(name) for name in ("ask", "draw", "done"))
    builder.branch(question)
    builder.position_at_end(question)
    builder.cbranch(builder.icmp_unsigned("<", place.index, end), body, after)
    builder.position_at_end(body)
    yield place
    builder.branch(question)
    builder.position_at_end(after)
