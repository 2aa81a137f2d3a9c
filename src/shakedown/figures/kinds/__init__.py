"""The kinds of figures of experiments, one module each: parameters, words and caption."""
