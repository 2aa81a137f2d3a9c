"""Generated input: how many cases, what they are made of, and what is required of an error.

Every run makes the same cases.  ``SHAKEDOWN_SEED=7 python -m pytest -m full tests`` makes others.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

#: Cells that programs and people write where a number or a name should stand.
ODD_CELLS = (
    "", " ", "NA", "nan", "-nan", "null", "inf", "-Infinity", "1e400", "1e308", "-1e51", "1e-320",
    "0", "-0", "+1", "1_0", "１", "0x1F", "1,5", "1.5.2", "1e", "5 %", "=1+1", "TRUE", "false",
    "#REF!", "2024-02-30", "r1", "R1", "r01", "1.0", "\ufeff", "a\u0308", "\u202e", "\x00",
    "\x1b[31m", "<b>", "{}", "'", "\"", '""', "a\"b", "a,b", "a\nb", "\r", "\t", ";", "x" * 3000,
    "9" * 400, "../x", "%s", "\ud7ff",
)  # fmt: skip
odd_cells = st.sampled_from(ODD_CELLS)
cells = st.one_of(
    odd_cells,
    st.text(max_size=5),
    st.floats().map(repr),
    st.integers(-(10**20), 10**20).map(str),
)
#: What is done to a file: at a share of its length, so many bytes are replaced by some.
cuts = st.tuples(
    st.floats(0, 1),
    st.integers(0, 12),
    st.one_of(
        st.sampled_from([b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"\r", b"\n\n", b",", b"\t"]),
        st.binary(max_size=6),
    ),
)  # fmt: skip


def cut(raw: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    """A file with some of its bytes replaced."""
    for share, length, new in changes:
        at = int(share * len(raw))
        raw = raw[:at] + new + raw[at + length :]
    return raw


def cases(number: int, **given_: st.SearchStrategy) -> Callable:
    """Run a test on so many generated cases."""
    other = os.environ.get("SHAKEDOWN_SEED")

    def decorated(test):
        test = given(**given_)(test)
        if other is not None:
            test = seed(int(other))(test)
        return settings(
            max_examples=number,
            derandomize=other is None,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate, Phase.shrink],
        )(test)

    return decorated


def check_message(error: Exception) -> None:
    """An error of ours is a line that a terminal shows as it is."""
    message = str(error)
    assert 20 < len(message) < 2000, message
    assert "Traceback" not in message
    assert message.isprintable(), repr(message)
    assert message.rstrip()[-1] in ".?:)]'\"", message
