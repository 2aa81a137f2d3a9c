"""The package, installed from a wheel into an environment of its own, without a network."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from urllib.request import urlopen

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.cli.studies import ROOT

PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def wheel_of(source, folder):
    """The wheel that pip builds of a folder or an sdist."""
    alone = ("--no-deps", "--no-index", "--no-build-isolation")
    subprocess.run([*PIP, "wheel", *alone, "--wheel-dir", folder, source], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def sdist_of(source, folder):
    """The sdist that hatchling builds of a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (sdist,) = folder.glob("*.tar.gz")
    return sdist


def required(extra=""):
    """All distributions that the package needs with an extra, by name, as they are here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = project["dependencies"] + project["optional-dependencies"].get(extra, [])
    waiting, there, met = [Requirement(line) for line in lines], {}, set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        there.setdefault(name, distribution(name))
        for of in {"", *wanted.extras} - {of for known, of in met if known == name}:
            met.add((name, of))
            more = map(Requirement, there[name].requires or ())
            waiting += [m for m in more if not m.marker or m.marker.evaluate({"extra": of})]
    return there


def install(wheel, environment, extra=""):
    """Make an environment with what the package needs, and let pip install it there.

    The packages that it needs are links to those of this environment; pip finds that none lacks.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (own,) = environment.glob("lib/*/site-packages")
    for there in required(extra).values():
        tops = {Path(file).parts[0] for file in there.files} - {"..", "__pycache__"}
        # An old pip names the folder of what it says of a package otherwise than its files do.
        name = re.sub("[-_.]", "?", there.name)
        about = Path(there.locate_file("")).glob(f"{name}-{there.version}*-info")
        for top in {*map(there.locate_file, tops), *about}:
            if top.exists() and not (own / top.name).exists():
                (own / top.name).symlink_to(top)
    wanted = f"shakedown[{extra}] @ {wheel.as_uri()}" if extra else wheel
    there = ("--python", environment / "bin/python")
    subprocess.run([*PIP, *there, "install", "--no-index", wanted], check=True)
    keep_compiled(own / "shakedown")


def keep_compiled(package):
    """Compiled code of the checkout, which is found by the times of the sources."""
    source = ROOT / "src/shakedown"
    for path in package.rglob("*.py"):
        if (source / path.relative_to(package)).is_file():
            shutil.copystat(source / path.relative_to(package), path)
    for folder in source.rglob("__pycache__"):
        shutil.copytree(folder, package / folder.relative_to(source), dirs_exist_ok=True)


class Installed:
    """The command in an environment of its own, and an empty folder to run it in."""

    def __init__(self, environment, folder):
        self.bin, self.folder = environment / "bin", folder
        self.folder.mkdir()
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SNAKEMAKE"))}
        self._environment = {**clean, "XDG_CACHE_HOME": str(environment / "cache")}

    def start(self, *words):
        return subprocess.Popen(
            [self.bin / words[0], *words[1:]],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell that started the tests in the background lets its children ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def run(self, *words, code=0):
        process = self.start(*words)
        out, err = process.communicate()
        assert process.returncode == code, err
        assert "Traceback" not in err
        return out if code == 0 else err


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def fetched(address, server):
    """What a server answers once it listens; the test fails if it ends before."""
    while server.poll() is None:
        try:
            with urlopen(address, timeout=10) as answer:
                return answer.read().decode()
        except OSError:
            time.sleep(0.1)
    raise AssertionError(server.communicate()[1])
