"""The files of a study: what its claims, its report and its user read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shakedown.claims import files_of
from shakedown.scheduling.experiments import chunk_files, large
from shakedown.scheduling.figures import threat_maps, traced


def claim_files(config: Mapping[str, Any]) -> list[Path]:
    """The files of the modules with claims."""
    return [file for module in config["claims"] for file in files_of(module)]


def claim_tables(config: Mapping[str, Any]) -> dict[str, list[str]]:
    """All tables that claims are checked against, by their kind."""
    names = {
        "outcomes": config["experiments"],
        "traces": traced(config),
        "release_variability": config["release_variability"],
    }
    return {kind: [f"{kind}/{name}.parquet" for name in of] for kind, of in names.items()}


def bounded(config: Mapping[str, Any]) -> list[str]:
    """The experiments whose outcomes stand beside what theory guarantees."""
    return config["bounds"]["experiments"] if config["bounds"] else []


def answers(config: Mapping[str, Any]) -> dict[str, str]:
    """What the report tells beside the outcomes, where the study asks for it."""
    asked = {
        "claims": config["claims"],
        "sensitivity": config["sensitivity"],
        "bounds": config["bounds"],
        "threats": threat_maps(config),
    }
    return {name: f"{name}.csv" for name, wanted in asked.items() if wanted}


def tables(config: Mapping[str, Any]) -> list[str]:
    """Data sets, chunks and tables of outcomes.

    Also those that are read only once, so that a lost one is made again.
    """
    return [
        *(f"datasets/{name}.npz" for name in config["datasets"]),
        *(file for name in large(config) for file in chunk_files(config, name)),
        *(file for files in claim_tables(config).values() for file in files),
    ]
