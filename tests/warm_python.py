"""A Python that has imported what takes long, for the many programs that the tests start.

`program()` starts a server, once for each process of tests, and returns the path of a program that
is called as Python is.  The program sends its arguments, folder, environment and streams to the
server, which forks: the fork becomes what Python would have become, and ends when the program is
killed.  Shakedown itself is not imported before, so a fork finds it where its environment says.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp

#: What programs of the package import, and Snakemake.
IMPORTED = (
    "jsonschema", "matplotlib.pyplot", "numba", "pandas", "pyarrow.parquet", "pydantic",
    "scipy.stats", "seaborn", "sklearn.linear_model", "snakemake.cli", "sqlalchemy",
    "statsmodels.api", "xarray",
)  # fmt: skip

#: The sources of this checkout.
SOURCE = str(Path(__file__).parents[1] / "src")

#: The program.  Options other than a module's name are for a real Python.
CLIENT = """\
#!{python} -ISE
import json, os, socket, sys
from pathlib import Path
if len(sys.argv) < 2 or sys.argv[1].startswith("-") and sys.argv[1] not in ("-m", "-P"):
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as server:
    server.connect(str(Path(__file__).with_name("socket")))
    socket.send_fds(server, [b"."], [0, 1, 2])
    server.sendall(json.dumps([os.getcwd(), dict(os.environ), sys.argv[1:]]).encode())
    server.shutdown(socket.SHUT_WR)
    answer = server.recv(8)
sys.exit(int(answer or 1))
"""


@cache
def program() -> Path:
    """The program, which is called as Python is; where forks cannot be watched, Python itself."""
    if not hasattr(os, "pidfd_open"):
        return Path(sys.executable)
    folder = Path(mkdtemp(prefix="python-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "python"
    path.write_text(CLIENT.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    server = subprocess.Popen(
        [sys.executable, "-P", __file__, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=clean(),
    )
    atexit.register(server.communicate)
    assert server.stdout.readline(), "the server did not start"
    return path


def clean() -> dict[str, str]:
    """The environment without what the tests' own Python was told."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("SNAKEMAKE", "PYTHON"))}


def serve(folder: Path) -> None:
    """Fork for each call, until the standard input ends."""
    for name in IMPORTED:
        import_module(name)
    # Plugins are found once; that of this checkout imports nothing else of it.
    sys.path.insert(0, SOURCE)
    import_module("snakemake.cli").get_argument_parser()
    sys.path.remove(SOURCE)
    gc.collect()
    gc.freeze()
    sys.executable = str(folder / "python")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "socket"))
    listening.listen()
    print("ready", flush=True)
    while sys.stdin not in select.select([sys.stdin, listening], [], [])[0]:
        call, _ = listening.accept()
        if not os.fork():
            listening.close()
            answer(call)
        call.close()


def answer(call: socket.socket) -> None:
    """Run a program in a fork, and send its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    streams = socket.recv_fds(call, 1, 3)[1]
    folder, environment, arguments = json.loads(b"".join(iter(partial(call.recv, 1 << 16), b"")))
    if child := os.fork():
        waiting = select.poll()
        waiting.register(os.pidfd_open(child), select.POLLIN)
        waiting.register(call, 0)  # tells that the one who called is gone
        if call.fileno() in dict(waiting.poll()):
            os.kill(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(BrokenPipeError):
            call.sendall(str(code).encode())
        os._exit(0)
    call.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    atexit.register(sys.__stdout__.flush)  # also if the program has put another in its place
    become(arguments)


def become(arguments: list[str]) -> None:
    """Run what Python runs when it is started with these arguments."""
    own = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if alone := arguments[0] == "-P":
        arguments = arguments[1:]
    if arguments[0] == "-m":
        sys.path[:0] = own if alone else [os.getcwd(), *own]
        sys.argv[:] = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.path[:0] = own if alone else [str(Path(arguments[0]).parent), *own]
        sys.argv[:] = arguments
        runpy.run_path(arguments[0], run_name="__main__")
    sys.exit(0)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
