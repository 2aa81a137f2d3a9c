"""Formulas as MathML, which browsers draw by themselves, without a script or a font."""

import re

from docutils import nodes
from latex2mathml.converter import convert

SPACE = '<mspace width="0.17em"/>'
#: What the converter leaves out, as LaTeX has it: a pattern, and what it becomes.
SPACING = (
    # A bar is a bracket, and a minus behind a relation or a bracket is a sign.
    (r'<mo stretchy="false">&#x0007C;', '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;'),
    (
        r"(&#x0003D;|&#x02264;|&#x02265;|&#x00028;|&#x0002C;)</mo><mo>&#x02212;",
        r'\1</mo><mo form="prefix">&#x02212;',
    ),
    # A function's name stands apart, but not from its bracket.
    (r"(</(?:mi|mn|mfrac|msup|msub)>)(<mi>(?:exp|ln|log|min)</mi>)", rf"\1{SPACE}\2"),
    (r"(<mi>(?:ln|log)</mi>)(?!<mo stretchy|<mrow><mo)", rf"\1{SPACE}"),
)


def mathml(formula: str, display: str = "inline") -> str:
    """A formula of LaTeX in MathML."""
    markup = convert(formula, display=display)
    for pattern, better in SPACING:
        markup = re.sub(pattern, better, markup)
    return markup


def _inline(visitor, node):
    visitor.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _block(visitor, node):
    visitor.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
