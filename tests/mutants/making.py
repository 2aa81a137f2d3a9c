"""Make mutants of a file, from its syntax tree.

Each rule changes one node: a comparison, a sum, a constant, a slice, a condition, a pair of
arguments, or a statement that is left out.  What only words a message is left alone.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator

from tests.mutants.mutant import Mutant, source_of

_COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
_NAMES = (
    ("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("any", "all"),
    ("floor", "ceil"), ("zeros", "ones"),
)  # fmt: skip
_OTHER_NAME = dict(_NAMES) | {b: a for a, b in _NAMES}
#: Nodes that say something and compute nothing, or whose change is an error at once.
_SKIPPED = ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom


def mutants_of(file: str) -> list[Mutant]:
    """All mutants of a file, in a fixed order that looks random.

    The order depends on names of mutants only, so a change elsewhere leaves it alone.
    """
    source = source_of(file)
    place = _Places(source)
    times: Counter = Counter()
    made = []
    for where, node, new in _changes(ast.parse(source), "", False):
        start, stop = place.of(node)
        old = source[start:stop]
        made.append(Mutant(file, where, old, new, times[where, old, new], start, stop))
        times[where, old, new] += 1
    return sorted(made, key=lambda mutant: hashlib.sha256(mutant.name.encode()).digest())


class _Places:
    """Turns the lines and columns of nodes, which count bytes, into positions in the text."""

    def __init__(self, source: str) -> None:
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def of(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The first position of a node, and the first one after it."""
        first = self._at(node.lineno, node.col_offset)
        return first, self._at(node.end_lineno, node.end_col_offset)

    def _at(self, line: int, column: int) -> int:
        before = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(before)


def _changes(node: ast.AST, where: str, in_class: bool) -> Iterator[tuple[str, ast.AST, str]]:
    """For every mutant below a node: the function, the node to replace, and the new text."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _SKIPPED):
            continue
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inner = f"{where}.{child.name}".lstrip(".")
            parts = child.body
            if isinstance(child, ast.FunctionDef):  # not its annotations and decorators
                defaults = (*child.args.defaults, *child.args.kw_defaults)
                parts = [*(default for default in defaults if default is not None), *parts]
            body = ast.Module(parts, [])
            yield from _changes(body, inner, isinstance(child, ast.ClassDef))
        elif isinstance(child, ast.AnnAssign):
            if child.value is not None and not in_class:  # there, parameters and words
                yield from _changes(ast.Module([child.value], []), where, False)
        else:
            yield from ((where, child, new) for new in _written(child))
            yield from _changes(child, where, in_class)


def _written(node: ast.AST) -> Iterator[str]:
    """Each way in which a node is written differently."""
    match node:
        case ast.Compare():
            for k, operator in enumerate(node.ops):
                if other := _COMPARED.get(type(operator)):
                    changed = copy.deepcopy(node)
                    changed.ops[k] = other()
                    yield ast.unparse(changed)
        case ast.BinOp() if not (_is_text(node.left) or _is_text(node.right)):
            if other := _COMPUTED.get(type(node.op)):
                yield ast.unparse(ast.BinOp(node.left, other(), node.right))
        case ast.AugAssign():
            if other := _COMPUTED.get(type(node.op)):
                yield ast.unparse(ast.AugAssign(node.target, other(), node.value))
            yield "pass"
        case ast.UnaryOp(op=ast.Not() | ast.Invert() | ast.USub()):
            yield f"({ast.unparse(node.operand)})"
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield f"({ast.unparse(ast.BoolOp(other, node.values))})"
        case ast.Constant(value=bool()):
            yield str(not node.value)
        case ast.Constant(value=int()):
            yield str(node.value + 1)
        case ast.Constant(value=float()):
            yield repr(1.5 * node.value if node.value else 1.0)
        case ast.Slice():
            yield from _sliced(node)
        case ast.Call():
            yield from _called(node)
        case ast.Expr(value=ast.Call()) | ast.Assign(targets=[ast.Subscript()]):
            yield "pass"
        case ast.IfExp() if not (_is_text(node.body) or _is_text(node.orelse)):
            yield f"({ast.unparse(node.body)})"
            yield f"({ast.unparse(node.orelse)})"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _sliced(node: ast.Slice) -> Iterator[str]:
    """Slices that begin or end one further."""
    ends = node.lower, node.upper
    lower, upper = (None if end is None else ast.unparse(end) for end in ends)
    step = "" if node.step is None else f":{ast.unparse(node.step)}"
    if upper is not None:
        yield f"{lower or ''}:({upper}) - 1{step}"
    if lower is not None:
        yield f"({lower}) + 1:{upper or ''}{step}"
    if lower is None and upper is None and step:
        yield f"1:{step}"


def _called(node: ast.Call) -> Iterator[str]:
    """Calls with the first two arguments swapped, or of the opposite function."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    name = node.func.id if isinstance(node.func, ast.Name) else name
    if other := _OTHER_NAME.get(name):
        changed = copy.deepcopy(node)
        if isinstance(changed.func, ast.Name):
            changed.func.id = other
        else:
            changed.func.attr = other
        yield ast.unparse(changed)
    elif len(node.args) >= 2 and all(isinstance(argument, ast.Name) for argument in node.args[:2]):
        changed = copy.deepcopy(node)
        changed.args[:2] = changed.args[1::-1]
        if (swapped := ast.unparse(changed)) != ast.unparse(node):  # not f(x, x)
            yield swapped
