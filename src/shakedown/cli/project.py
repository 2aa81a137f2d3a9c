"""Find a configuration or a profile, and read a configuration."""

from __future__ import annotations

import os
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shakedown.checkout import project
from shakedown.interface import InputError
from shakedown.reading import refuse_special


def configuration_file(config: str) -> Path:
    """The file of a configuration, in the working folder or from the project."""
    for path in (Path(config), project() / config):
        if os.path.isfile(path):  # `path.is_file` would fail for names that no file can have
            return path
    refuse_special(config)
    ours = ", ".join(f"config/{path.name}" for path in sorted(project().glob("config/*.yaml")))
    raise InputError(
        f"There is no configuration '{config}' in {Path.cwd()}. Shakedown comes with: {ours}."
    )


def profile(name: str) -> Path:
    """The folder of a profile of Snakemake whose plugin is installed, such as profiles/slurm."""
    for folder in (Path(name), project() / name):
        if os.path.isfile(folder / "config.yaml"):
            break
    else:
        ours = ", ".join(f"profiles/{path.parent.name}" for path in _profiles())
        raise InputError(
            f"There is no profile '{name}' in {Path.cwd()}: no folder of this name with a file "
            f"config.yaml. Shakedown comes with: {ours}."
        )
    from shakedown.reading import read

    executor = (read(folder / "config.yaml") or {}).get("executor", "local")
    plugin = f"snakemake-executor-plugin-{executor}"
    if executor != "local" and find_spec(plugin.replace("-", "_")) is None:
        raise InputError(
            f"The profile {folder} needs a plugin of Snakemake. Install it: pip install {plugin}"
        )
    return folder


def _profiles() -> list[Path]:
    return sorted(project().glob("profiles/*/config.yaml"))


def whole(path: Path) -> dict[str, Any]:
    """A configuration, checked and complete."""
    import yaml

    from shakedown.config import complete
    from shakedown.reading import read

    try:
        content = read(path)
    except (OSError, yaml.YAMLError) as e:
        reason = " ".join(str(e).split())
        where = " Check brackets, quotes and indentation." if isinstance(e, yaml.YAMLError) else ""
        raise InputError(f"{path} cannot be read as YAML: {reason}.{where}") from e
    if not isinstance(content, dict):
        raise InputError(f"{path} has no keys; wanted a configuration.")
    return complete(content, base=project())


def again(config: Path | str) -> str:
    """The command that runs a configuration."""
    return shlex.join(["shakedown", "reproduce", str(config)])
