"""Progress of a run: a bar in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from typing import TextIO

from tqdm import tqdm


class Display(tqdm):
    """Shows the jobs and the progress of a run, by default on standard error."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        super().__init__(
            desc="Planning the work",
            file=self._stream,
            disable=None,  # unless it is a terminal
            dynamic_ncols=True,
            leave=False,
            bar_format="{bar:24} {n_fmt}/{total_fmt} in {elapsed}  {desc}",
        )

    def job(self, what: str) -> None:
        """Show that a job starts, or its progress."""
        self.say(what) if self.disable else self.set_description_str(what)

    def steps(self, done: int, steps: int) -> None:
        """Show how many steps are done."""
        if self.disable:
            self.say(f"{done} of {steps} steps done")
        else:
            self.n, self.total = done, steps
            self.refresh()

    def say(self, line: str) -> None:
        """Print a line that stays."""
        self.write(line, file=self._stream)
        self._stream.flush()
