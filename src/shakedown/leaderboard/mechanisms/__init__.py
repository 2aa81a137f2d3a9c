"""The mechanisms of the papers and two controls, one module each; the registry finds them all."""
