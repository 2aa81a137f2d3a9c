"""The mechanisms of the papers and two controls: one module each; all modules here are found."""
