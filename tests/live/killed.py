"""Starts a client of a board again and again, and kills it at random moments.

    python -m tests.live.killed URL FILE KILLS

The client submits the next file that has no answer in FILE, and writes the answer there.
"""

import os
import random
import signal
import sys
import time

from shakedown.live.live_board import LiveBoard
from tests.live import ready  # noqa: F401
from tests.live.test_live_board import submissions


def client(url, acknowledged, files, acknowledge):
    """Submits until it is killed."""
    running = LiveBoard.open(url)
    with open(acknowledged, "r+") as log:
        done = log.read().splitlines(keepends=True)
        if done and not done[-1].endswith("\n"):  # killed while it wrote
            log.truncate(sum(map(len, done[:-1])))
            done = done[:-1]
            log.seek(0, os.SEEK_END)
        for k in range(len(done), len(files)):
            answer = running.submit("a", files[k], f"k{k}")
            log.write(f"{answer.submission} {answer.number} {answer.score}\n")
            log.flush()
            os.write(acknowledge, b"t")


def main(url, acknowledged, kills):
    open(acknowledged, "w").close()
    draw, files = random.Random(5), submissions(5000)
    for number in range(int(kills)):
        listen, acknowledge = os.pipe()
        child = os.fork()
        if not child:
            client(url, acknowledged, files, acknowledge)
            os._exit(0)
        if number % 4:  # else it may be killed while it opens the board, or in its first submission
            os.read(listen, 1)
        time.sleep(draw.uniform(0.0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(listen)
        os.close(acknowledge)


if __name__ == "__main__":
    main(*sys.argv[1:])
