"""The documentation site: `make docs` builds it, and it opens from the disk, without a network."""

import sys
from pathlib import Path

from pygments.lexers.special import TextLexer

import shakedown
import shakedown.live.web  # before autodoc, under which fastapi cannot be imported

sys.path.insert(0, str(Path(__file__).parent))

project = "Shakedown"
release = version = shakedown.__version__
html_title = "Shakedown"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "extensions.commands",
    "extensions.mathml",
    "extensions.mirrors",
    "extensions.notebooks",
    "extensions.reach",
]
exclude_patterns = ["_build", "extensions"]

# Markdown, as GitHub shows it.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
myst_disable_syntax = ["html_block", "html_inline"]  # so a <name> in a text is seen

# Docstrings are NumPy's; a public name is documented where it is imported from.
napoleon_google_docstring = False
napoleon_use_rtype = False
autosummary_generate = False
autodoc_typehints = "none"
autodoc_preserve_defaults = True
autodoc_default_options = {"exclude-members": "model_config, model_post_init"}  # pydantic's own
autodoc_member_order = "bysource"
default_role = "code"

# One quiet theme.  Nothing is loaded from elsewhere: not fonts, not scripts, not formulas.
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["shakedown.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
# A page on a disk cannot fetch the text of another one.
html_show_search_summary = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
pygments_style = "friendly"


def setup(app):
    app.add_lexer("csv", TextLexer)
