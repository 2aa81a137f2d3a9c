"""Imports and compiles what a client of a board needs, before it is forked."""

import gc
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.live.test_live_board import board, submissions

with TemporaryDirectory() as folder:
    board(Path(folder)).submit("a", submissions(1)[0])
# A child that looks through these objects for what can be freed would copy their memory.
gc.collect()
gc.freeze()
