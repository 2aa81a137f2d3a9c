"""The image of the Dockerfile: built with buildah, and run without a daemon.

A Debian 12 that mmdebstrap makes stands for `python:3.11-slim`, which is Docker's to give; it has a
Python 3.11, too.  What runs in the image has no network, cannot write to it, and belongs to a user
who has no name there.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
NEEDED = ("buildah", "mmdebstrap", "unshare", "nsenter", "mount", "chroot")
PYTHON = "python3,python3-pip,python-is-python3"
#: What tells a build's programs where packages come from.
HOST = ("/etc/ssl/certs", "/etc/pip.conf")
#: Seconds for each step of a build.
PATIENCE = 900
#: Signs that a step could not reach its packages.
UNREACHED = (
    "connection", "could not find a version", "could not resolve", "failed to establish",
    "name resolution", "no matching distribution", "timed out", "unable to fetch",
)  # fmt: skip
#: A user without a name, here and in the image.
USER = next(n for n in range(54_321, 60_000) if n not in {entry.pw_uid for entry in pwd.getpwall()})
#: The exit code if the image could not be mounted.
NOT_MOUNTED = 125

#: Processes of their own, which end with the first of them.
APART = ("unshare", "--pid", "--fork", "--kill-child")
#: In mounts of its own: the image, what is bound into it, and then nothing in it can be written to.
MOUNTING = """
root=$1 binds=$2; shift 2
mounted() (
    mount --bind "$root" "$root" &&
    mkdir -p "$root/proc" "$root/dev" "$root/tmp" && mount -t proc proc "$root/proc" &&
    mount --rbind /dev "$root/dev" && mount -t tmpfs -o mode=1777 tmpfs "$root/tmp" &&
    while [ "$binds" -gt 0 ]; do
        mkdir -p "$root$2" && mount --bind "$1" "$root$2" || return 1
        shift 2; binds=$((binds - 1))
    done &&
    mount -o remount,ro,bind "$root"
)
mounted "$@" || exit 125
shift $((2 * binds))
# Not in its place: a process that changes its user is no longer ended with its parent.
"$@"
exit $?
"""
#: The loopback interface of a network of one's own.
LOOPBACK = """
import fcntl, os, socket, struct, sys
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 0x41))
os.execvp(sys.argv[1], sys.argv[1:])
"""


class NoImage(Exception):
    """Why no image can be built or run here; no fault of the image."""


def why_not() -> str | None:
    """Why no image can be built here; None if one can."""
    lacking = [name for name in NEEDED if shutil.which(name) is None]
    if lacking:
        return f"no {', '.join(lacking)}"
    if os.geteuid() != 0:
        return "only root mounts an image"
    done = subprocess.run([*APART, "--mount", "--net", "true"], capture_output=True, text=True)
    return f"no namespaces: {done.stderr.strip()}" if done.returncode else None


def _step(*words: object, reaches: bool = False, **variables: str) -> str:
    """Run a step of the build; what it prints.

    Parameters
    ----------
    words
    reaches : bool
        Whether it needs packages from elsewhere.
    """
    command = [*APART, *map(str, words)]
    try:
        done = subprocess.run(
            command, env=os.environ | variables, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=PATIENCE,
        )  # fmt: skip
    except subprocess.TimeoutExpired as e:
        raise NoImage(f"{words[0]} took more than {PATIENCE} s") from e
    if done.returncode:
        last = (done.stdout + done.stderr)[-3000:]
        if reaches and any(sign in last.lower() for sign in UNREACHED):
            raise NoImage(f"{words[0]} reaches no packages: {last.splitlines()[-1]}")
        raise AssertionError(f"{' '.join(command)}\n{last}")
    return done.stdout


@dataclass(frozen=True)
class Image:
    """An image in a folder.

    Attributes
    ----------
    folder : Path
        Of the images and their files.
    """

    folder: Path

    def _buildah(self, *words: object, reaches: bool = False) -> str:
        store = ("--root", self.folder / "store", "--runroot", self.folder / "run")
        return _step(
            "buildah", *store, "--storage-driver", "vfs", *words,
            reaches=reaches, TMPDIR=str(self.folder),
        ).strip()  # fmt: skip

    def build(self) -> None:
        """Make the base, and build the Dockerfile upon it.

        Raises
        ------
        NoImage
            If packages cannot be reached from here.
        """
        base = self.folder / "base.tar"
        try:
            _step("mmdebstrap", "--variant=minbase", f"--include={PYTHON}", "bookworm", base)
        except AssertionError as e:
            raise NoImage(f"no Debian 12: {str(e).splitlines()[-1]}") from e
        made = self._buildah("from", "scratch")
        self._buildah("add", "--quiet", made, base, "/")
        base.unlink()
        # Debian keeps pip out of its own Python; the image that this stands for does not.
        for mark in Path(self._buildah("mount", made)).glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
            mark.unlink()
        self._buildah("commit", "--quiet", "--rm", made, "docker.io/library/python:3.11-slim")
        shared = [
            word for path in HOST if os.path.exists(path) for word in ("-v", f"{path}:{path}:ro")
        ]
        self._buildah(
            "bud", "--isolation", "chroot", "--pull-never", *shared, "--tag", "shakedown", ROOT,
            reaches=True,
        )  # fmt: skip

    @cached_property
    def settings(self) -> dict:
        """What the Dockerfile says of the image's programs: Env, Entrypoint, WorkingDir."""
        told = json.loads(self._buildah("inspect", "--type", "image", "shakedown"))
        return told["OCIv1"]["config"]

    @cached_property
    def files(self) -> Path:
        """The image's files."""
        return Path(self._buildah("mount", self._buildah("from", "--pull-never", "shakedown")))

    def start(
        self, *words: object, work: Path, program: tuple[str, ...] | None = None,
        volumes: Mapping[str, str] | None = None, **variables: str,
    ) -> subprocess.Popen:  # fmt: skip
        """Start what `docker run --user USER --read-only --network none --tmpfs /tmp` would.

        Parameters
        ----------
        words
            Arguments of the program.
        work : Path
            The folder that is mounted where the image works.
        program : tuple of str, optional
            In place of the image's own.
        volumes : mapping, optional
            More folders: from here, to there.
        **variables : str
            More of the environment.
        """
        here = self.settings["WorkingDir"]
        binds = [word for pair in {str(work): here, **(volumes or {})}.items() for word in pair]
        environment = [*self.settings["Env"], *(f"{k}={v}" for k, v in variables.items())]
        command = [
            *(*APART, "--mount", "--net", sys.executable, "-ISc", LOOPBACK),
            *("sh", "-c", MOUNTING, "sh", self.files, len(binds) // 2, *binds),
            *("env", "-i", *environment, "chroot", f"--userspec={USER}:{USER}"),
            *(f"--groups={USER}", self.files, "sh", "-c", 'cd "$0" && exec "$@"', here),
            *(program or self.settings["Entrypoint"]),
            *words,
        ]
        return subprocess.Popen(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, *words: object, **where) -> str:
        """Run it to its end; what it prints."""
        process = self.start(*words, **where)
        out, err = process.communicate()
        if process.returncode == NOT_MOUNTED:
            raise NoImage(f"the image cannot be mounted: {err.strip()}")
        assert process.returncode == 0, err
        return out


#: Runs in the network of a container: prints the status of an address, and what it answers.
_ASKING = """
import sys, urllib.error, urllib.request
try:
    answer = urllib.request.urlopen(sys.argv[1], timeout=30)
except urllib.error.HTTPError as e:
    answer = e
print(answer.status, answer.read().decode())
"""


def asked(server: subprocess.Popen, address: str) -> tuple[int, str] | None:
    """What a started server answers; None if it does not listen yet."""
    inside = ("nsenter", "--target", str(server.pid), "--net")
    asking = [*inside, sys.executable, "-ISc", _ASKING, address]
    done = subprocess.run(asking, capture_output=True, text=True)
    if done.returncode:
        assert "refused" in done.stderr or "unreachable" in done.stderr, done.stderr
        return None
    status, _, text = done.stdout.partition(" ")
    return int(status), text.strip()
