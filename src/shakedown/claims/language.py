"""The language of the ledger's expressions: what can be asked of a study's tables.

An expression looks like Python and is never run as such.  It is made of numbers, `+ - * /`,
brackets, and calls of a fixed set of functions (`functions`)::

    smallest(median("delta", mechanism="ladderboot", alpha=each, iterations=last, b=10)
             - median("delta", mechanism="ladder", alpha=each, iterations=last))

Keywords choose the rows; a list, or `each` for all values, makes an axis, `last` takes the largest
value, and `none` the rows that have no value.  Axes of the same name go together, and a reduction
such as `smallest` removes them.
Of a trace there is a number for each replicate, and a statistic of these takes them together::

    median(found_jump(b=10) - last_accepted(b=10))

All is checked when an expression is read, before there is any table.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from difflib import get_close_matches

from shakedown.claims.functions import PLACES, PLAIN, REDUCTIONS, STATISTICS
from shakedown.claims.nodes import Node, Number, OverReplicates, Plain, Reduction, Statistic
from shakedown.claims.selection import Range
from shakedown.claims.tables import KINDS, TEXTS
from shakedown.interface import InputError
from shakedown.leaderboard.catalogue import CATALOGUE

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_FUNCTIONS = (*STATISTICS, *PLACES, *REDUCTIONS, *PLAIN)


def parse(text: str, of: Mapping[str, object]) -> Node:
    """Read an expression.

    Parameters
    ----------
    text : str
    of : mapping
        Keywords for every statistic in it that does not give them itself and can be asked for
        them.

    Returns
    -------
    Node
        Of one number: no axis is left.

    Raises
    ------
    InputError
        If it is not an expression of this language; the message shows the part that is not.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError) as e:
        raise InputError(f"does not parse: {getattr(e, 'msg', e)}, in {_one_line(text)}.") from None
    node = _Reader(of).node(tree.body)
    if node.axes == ("replicate",):
        raise InputError(
            "gives a number for each replicate; wanted a single one. Take median(...) or "
            f"share(...) of {_one_line(text)}."
        )
    if node.axes:
        raise InputError(
            f"gives a number for each {' and '.join(node.axes)}; wanted a single one. Choose one "
            f"value, or take largest(...), smallest(...) or average(...) of {_one_line(text)}."
        )
    return node


class _Reader:
    """Reads one expression; messages name the part that is wrong."""

    def __init__(self, of: Mapping[str, object]) -> None:
        self._of = of

    def node(self, tree: ast.expr) -> Node:
        match tree:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return Number(float(number))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Plain("-", (Number(0.0), self.node(operand)))
            case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
                return Plain(_OPERATORS[type(op)], (self.node(left), self.node(right)))
            case ast.Call(func=ast.Name(id=name)):
                return self._call(name, tree)
        raise InputError(
            f"can hold numbers, + - * /, brackets and calls of functions; got {_code(tree)}."
        )

    def _call(self, name: str, call: ast.Call) -> Node:
        if name not in _FUNCTIONS:
            raise InputError(_unknown("function", name, _FUNCTIONS))
        keywords = {k.arg: k.value for k in call.keywords}
        if None in keywords or any(isinstance(a, ast.Starred) for a in call.args):
            raise InputError(f"cannot use * or ** in {_code(call)}; write the arguments out.")
        if name in STATISTICS and any(isinstance(a, ast.Call | ast.BinOp) for a in call.args):
            return self._over_replicates(name, call, keywords)
        if name in STATISTICS or name in PLACES:
            return self._statistic(name, call, keywords)
        if name in REDUCTIONS:
            return self._reduction(name, call, keywords)
        number = PLAIN[name][1]
        if keywords or len(call.args) != number:
            wanted = f"{number} number{'s' * (number > 1)} and no keyword"
            raise InputError(f"{name}() takes {wanted}; got {_code(call)}.")
        return Plain(name, tuple(self.node(a) for a in call.args))

    def _statistic(self, name: str, call: ast.Call, keywords: dict[str, ast.expr]) -> Statistic:
        known = STATISTICS[name][1] if name in STATISTICS else ()
        options = {o: _number(o, keywords.pop(o), name) for o in known if o in keywords}
        _check_bounds(name, options, known)
        given = {key: _literal(key, tree, name) for key, tree in keywords.items()}
        kind, id, where = self._source(name, given)
        if name in PLACES and kind != "trace":
            raise InputError(f"{name}() looks at a trace; say trace='...' instead of {kind}='...'.")
        if len(call.args) != (name in STATISTICS):
            wanted = "a column and keywords" if name in STATISTICS else "keywords only"
            raise InputError(f"{name}() takes {wanted}; got {_code(call)}.")
        column = None
        if name in STATISTICS:
            column = getattr(call.args[0], "value", None)
            if column not in KINDS[kind].columns:
                got = column if isinstance(column, str) else _code(call.args[0])
                raise InputError(_unknown(f"column of the {kind} tables", got, KINDS[kind].columns))
        return Statistic(name, column, options, kind, id, where)

    def _over_replicates(self, name: str, call: ast.Call, keywords: dict) -> OverReplicates:
        known = STATISTICS[name][1]
        if len(call.args) != 1 or set(keywords) - set(known):
            wanted = " and ".join(["one quantity", *(f"{o}=" for o in known)])
            raise InputError(f"{name}() of a quantity takes {wanted}; got {_code(call)}.")
        options = {o: _number(o, tree, name) for o, tree in keywords.items()}
        _check_bounds(name, options, known)
        of = self.node(call.args[0])
        if "replicate" not in of.axes:
            raise InputError(
                f"{name}() of a quantity goes over the replicates of a trace; there is none in "
                f"{_code(call)}. Of outcomes, it takes a column in quotes."
            )
        return OverReplicates(name, options, of)

    def _source(self, name: str, given: dict) -> tuple[str, str, dict]:
        """Kind of table, id, and what chooses its rows."""
        kinds = [k for k in KINDS if k in given] or [k for k in KINDS if k in self._of]
        if len(kinds) != 1:
            raise InputError(
                f"{name}() needs one of {', '.join(f'{k}=' for k in KINDS)} to name its table, in "
                f"the call or under `of`; got {' and '.join(kinds) or 'none'}."
            )
        (kind,) = kinds
        keys = KINDS[kind].keys
        for key in given:
            if key != kind and key not in keys:
                raise InputError(_unknown(f"keyword of {name}()", key, keys))
        where = {key: value for key, value in self._of.items() if key in keys} | given
        if kind == "trace":
            where.setdefault("replicate", Range.each)
        id = where.pop(kind, self._of.get(kind))
        if not isinstance(id, str):
            raise InputError(f"{name}(): {kind} must be one id in quotes; got {id!r}.")
        for key, value in where.items():
            check_value(key, value)
        return kind, id, where

    def _reduction(self, name: str, call: ast.Call, keywords: dict[str, ast.expr]) -> Reduction:
        _, known, along_one = REDUCTIONS[name]
        if len(call.args) != 1:
            raise InputError(f"{name}() takes one quantity and keywords; got {_code(call)}.")
        of = self.node(call.args[0])
        over = keywords.pop("over", None)
        options, read = {}, None
        for key, tree in keywords.items():
            if key not in known:
                raise InputError(_unknown(f"keyword of {name}()", key, ("over", *known)))
            if key == "read":
                read = self.node(tree)
            else:
                options[key] = _number(key, tree, name)
        _check_bounds(name, options, [o for o in known if o != "read"])
        axes = of.axes if over is None and not along_one else _texts(over)
        if along_one and len(axes) != 1:
            raise InputError(f"{name}() needs over='...', one axis; got {_code(call)}.")
        of_all = (*of.axes, *(read.axes if read else ()))
        if not axes or not set(axes) <= set(of_all):
            raise InputError(
                f"{name}() has no axis {', '.join(map(str, axes))}{' ' * bool(axes)}to go along; "
                f"there is {' and '.join(of_all) or 'none'}. An axis comes from a list or each."
            )
        return Reduction(name, of, tuple(axes), options, read)


def check_value(key: str, value: object) -> None:
    """Whether a column can have such values.

    Raises
    ------
    InputError
        If it holds text and the value is a number, or the other way round; or if a mechanism is
        not known.
    """
    if isinstance(value, Range):
        if value is Range.last and key in TEXTS:
            raise InputError(f"{key} is text and has no last value; name one in quotes.")
        return
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, str) != (key in TEXTS):
            wanted = "text in quotes" if key in TEXTS else "a number"
            raise InputError(
                f"{key} must be {wanted}, a list of such, each, last or none; got {one!r}."
            )
        if key == "mechanism" and one not in CATALOGUE:
            raise InputError(_unknown("mechanism", one, CATALOGUE))


def _literal(key: str, tree: ast.expr, function: str) -> object:
    """Text, a number, a list (as a tuple), or a name of `Range`."""
    if isinstance(tree, ast.Name) and tree.id in Range.__members__:
        return Range[tree.id]
    try:
        value = ast.literal_eval(tree)
    except ValueError:
        value = None
    parts = value if isinstance(value, list) else [value]
    if not parts or any(isinstance(p, bool) or not isinstance(p, str | int | float) for p in parts):
        raise InputError(
            f"{function}(): {key} must be text in quotes, a number, a list of such, each, last or "
            f"none; got {_code(tree)}."
        )
    return tuple(value) if isinstance(value, list) else value


def _number(key: str, tree: ast.expr, function: str) -> float:
    value = _literal(key, tree, function)
    if not isinstance(value, int | float):
        raise InputError(f"{function}(): {key} must be a number; got {_code(tree)}.")
    return float(value)


def _texts(tree: ast.expr | None) -> tuple[str, ...]:
    if tree is None:
        return ()
    value = _literal("over", tree, "over")
    return value if isinstance(value, tuple) else (value,)


def _check_bounds(name: str, options: Mapping[str, float], known: Collection[str]) -> None:
    """Functions with options need exactly one of them."""
    if known and len(options) != 1:
        wanted = " or ".join(f"{o}=" for o in known)
        raise InputError(f"{name}() needs {wanted}; got {' and '.join(options) or 'none'}.")
    if not 0 <= options.get("at", 0) <= 1:
        raise InputError(f"{name}(): at is a probability, 0 to 1; got {options['at']:g}.")


def _unknown(what: str, got: str, known: Collection[str]) -> str:
    close = get_close_matches(got, known, n=1)
    guess = f" Did you mean '{close[0]}'?" if close else ""
    return f"{what} '{got}' is not known.{guess} Known: {', '.join(sorted(known))}."


def _code(tree: ast.expr) -> str:
    return _one_line(ast.unparse(tree))


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
