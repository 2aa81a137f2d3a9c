"""Literal, slow transcriptions of the papers' algorithms: the oracles of the other tests.

Nothing here imports the package, so agreement with it is evidence.  [C] is Chaibub Neto et al.
(arXiv 1607.00091), [B] Blum & Hardt (2015), [Z] Zheng (2015); "line" is the line of the algorithm.
"""
