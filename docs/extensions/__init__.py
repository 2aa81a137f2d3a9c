"""What the site does with pages that Sphinx has no part for."""
