"""Sums over the rows of bootstrap samples, for the noisy gates and releases."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from shakedown.compiled import kernel, ordered
from shakedown.leaderboard.bootstrap.bits import LOW, Generators
from shakedown.leaderboard.bootstrap.vectors import WIDTH, Row, Sum, blocks, numbered, spread
from shakedown.metrics import MEAN_LOSS, Metric, correlation_risk, offset


@intrinsic
def _count_and_sum(_, states, shift, cells, n, losses):
    def draw(context, builder, signature, arguments):
        generators = Generators(context, builder, signature.args[0], arguments[0])
        table, row = (Row(context, builder, signature.args[k], arguments[k]) for k in (2, 4))
        shift, end = (spread(builder, arguments[k]) for k in (1, 3))
        drawn, total = Sum(builder, of_floats=False), Sum(builder, of_floats=True)
        with blocks(builder, row.size) as first:
            word = generators.word()
            cell = table.gathered(word >> shift)
            count = ((word & LOW) < (cell & LOW)).choose((cell >> 32) & 0xFFFF, cell >> 48)
            count = (numbered(builder, first) < end).choose(count, 0)
            drawn.add(count)
            total.add(count.to_float() * row.read(first))
        generators.put_back()
        sums = [drawn.vector.total(), total.vector.total()]
        return context.make_tuple(builder, signature.return_type, sums)

    pair = types.Tuple((types.int64, types.float64))
    return pair(states, types.uint64, cells, types.uint64, losses), draw


@ordered
def count_and_sum(states, shift, cells, n, losses):
    """Draw a whole number for each of n rows; returns their sum, and their sum with losses.

    Parameters
    ----------
    states : ndarray, shape (4, 8)
    shift, cells
        Of an `AliasTable`.
    n : int
    losses : ndarray, shape (m,)
        Those of the n rows, and numbers that do not count, so that m is a multiple of 8.
    """
    return _count_and_sum(states, shift, cells, n, losses)


@kernel
def blank_weights(n):
    """Room for the weights of n rows, and for more that do not count; shape (m,)."""
    return np.empty(-(-n // (2 * WIDTH)) * 2 * WIDTH)


@kernel
def terms_of_response(y):
    """1, u and u^2 with u = y - y[0], and zeros for weights that do not count; shape (3, m)."""
    terms = np.zeros((3, len(blank_weights(len(y)))))
    for i in range(len(y)):
        u = y[i] - y[0]
        terms[0, i], terms[1, i], terms[2, i] = 1.0, u, u * u
    return terms


@kernel
def terms_of(row, y, formula):
    """p, p^2 and u p of a row, less an offset, and zeros; shape (3, m)."""
    terms = np.zeros((3, len(blank_weights(len(y)))))
    taken_off = offset(formula, row, y)
    for i in range(len(y)):
        u, p = y[i] - y[0], row[i] - taken_off
        terms[0, i], terms[1, i], terms[2, i] = p, p * p, u * p
    return terms


#: Groups of independent rows: none.
NO_GROUPS = np.empty(0, np.int64)


def drawn_together(metric: Metric) -> np.ndarray:
    """The groups of rows whose terms a bootstrap draws whole; `NO_GROUPS` if each row has its own.

    Terms of losses are those of groups already (`Metric.judge`).
    """
    if metric.groups is None or metric.has_losses:
        return NO_GROUPS
    return np.ascontiguousarray(metric.groups, dtype=np.int64)


@ordered
def in_units(terms, groups):
    """Terms of rows, shape (3, m), summed over each group, and zeros; those of rows without groups.

    A weighted sum of the terms of rows is that of these sums, if the rows of a group share a
    weight.
    """
    if len(groups) == 0:
        return terms
    sums = np.zeros((3, len(blank_weights(groups.max() + 1))))
    for k in range(3):
        for i in range(len(groups)):
            sums[k, groups[i]] += terms[k, i]
    return sums


@intrinsic
def _weighted_sums(_, weights, terms):
    def add(context, builder, signature, arguments):
        weight, term = (
            Row(context, builder, kind, value)
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        # Two halves at once: an addition need not wait for the one before it.
        half = builder.udiv(weight.size, weight.size.type(2))
        sums = [[Sum(builder, of_floats=True) for _ in range(2)] for _ in range(3)]
        with blocks(builder, half) as first:
            for part in range(2):
                at = builder.add(first, half) if part else first
                weights = weight.read(at)
                for k, pair in enumerate(sums):
                    of_row = builder.add(at, builder.mul(term.size, term.size.type(k)))
                    pair[part].add_product(weights, term.read(of_row))
        totals = [(front.vector + back.vector).total() for front, back in sums]
        return context.make_tuple(builder, signature.return_type, totals)

    return types.UniTuple(types.float64, 3)(weights, terms), add


@ordered
def weighted_sums(weights, terms):
    """Sums of weights, shape (m,), times each of three terms, shape (3, m)."""
    return _weighted_sums(weights, terms)


@kernel
def weighted_risk(formula, weights, sums, terms):
    """The risk of weighted rows, from the sums of the response's terms and the row's terms."""
    w, wy, wyy = sums
    wp, wpp, wyp = weighted_sums(weights, terms)
    return wp / w if formula == MEAN_LOSS else correlation_risk(formula, w, wy, wyy, wp, wpp, wyp)


#: An addition must wait for the one before it in the same part, for about as many lines.
_PARTS = 4


@intrinsic
def _sums_of_lines(_, lines, rows):
    vector = ir.VectorType(ir.DoubleType(), 4)

    def add(context, builder, signature, arguments):
        table, which = (
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        zeros = ir.Constant(vector, [0.0] * 4)
        parts = [cgutils.alloca_once_value(builder, zeros) for _ in range(_PARTS)]

        def add_line(position, part):
            row = builder.load(builder.gep(which.data, [position]))
            cell = builder.shl(builder.zext(row, position.type), position.type(2))
            start = builder.gep(table.data, [cell])
            line = builder.load(builder.bitcast(start, vector.as_pointer()), align=8)
            builder.store(builder.fadd(builder.load(part), line), part)

        count = builder.extract_value(which.shape, 0)
        whole = builder.udiv(count, count.type(_PARTS))
        with cgutils.for_range(builder, whole) as loop:
            first = builder.mul(loop.index, count.type(_PARTS))
            for k, part in enumerate(parts):
                add_line(builder.add(first, count.type(k)), part)
        first = builder.mul(whole, count.type(_PARTS))
        with cgutils.for_range(builder, builder.sub(count, first)) as loop:
            add_line(builder.add(first, loop.index), parts[0])
        sums = [builder.load(part) for part in parts]
        while len(sums) > 1:
            half = len(sums) // 2
            sums = [builder.fadd(a, b) for a, b in zip(sums[:half], sums[half:], strict=True)]
        four = [builder.extract_element(sums[0], ir.IntType(32)(k)) for k in range(4)]
        return context.make_tuple(builder, signature.return_type, four)

    four = types.UniTuple(types.float64, 4)
    return four(lines, rows), add


@ordered
def sums_of_lines(lines, rows):
    """Sums of the four columns of `lines`, shape (n, 4), over some rows.

    The compiler does not see that a line is one vector, and needs twice the time.  The sum is in
    four parts, of every fourth position, on every machine.
    """
    return _sums_of_lines(lines, rows)
