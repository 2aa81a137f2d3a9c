"""What a disk or a folder refuses, in one sentence."""

from __future__ import annotations

import errno
import os
import shutil

#: A disk that is full, or the share of it that a user has.
FULL = (errno.ENOSPC, errno.EDQUOT)
#: A folder or a file that cannot be written to.
CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)
#: Bytes that a disk has left when it counts as full: a job could write nothing of use.
ROOM = 1 << 20


def sentence(e: OSError, cure: str = "") -> str | None:
    """What an error of the file system means for the user; None if it is another error.

    Parameters
    ----------
    e : OSError
    cure : str
        What to do after the cause is removed.
    """
    if e.errno in FULL:
        return full(cure)
    if e.errno in CLOSED:
        return (
            f"{e.filename2 or e.filename or 'The output'} cannot be read or written "
            f"({e.strerror}). Change that, or work in another folder.{cure and ' '}{cure}"
        )
    return None


def full(cure: str = "") -> str:
    """What is said when there is no room."""
    return f"The disk is full, or the share of it that you may use. Free some.{cure and ' '}{cure}"


def is_full(lines: list[str]) -> bool:
    """Whether the disk of the working folder is full, or was when a run printed these lines."""
    reasons = {os.strerror(number) for number in FULL}
    told = any(reason in line for line in lines for reason in reasons)
    return told or shutil.disk_usage(".").free < ROOM
