"""Events of a run for programs: what the command ``shakedown`` shows and records of Snakemake.

Snakemake finds this package by its name (``snakemake --logger shakedown``) when it starts, so it
imports nothing slow.  It writes what Snakemake would write, but of jobs and progress an event: a
line of JSON behind a character that begins no text, with what it is in `event`:

========  =====================================================
begun     `job`: its number; `message`: what it does; `log`: its log, if it has one
ended     `job`
steps     `done`, `total`: jobs
failed    `job`; `logs`: its log, and those of the executor
error     `exception`: the class of what ends the run
========  =====================================================

Jobs write to the same stream, so events are short: the system writes them in one piece.  The
package is not part of ``shakedown``, which does not depend on Snakemake.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from logging import LogRecord
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

__all__ = ["LogHandler"]

#: What an event's line begins with.
MARK = "\x02"
#: Events of Snakemake whose text says no more than the event.
SILENT = (LogEvent.JOB_INFO, LogEvent.JOB_FINISHED, LogEvent.PROGRESS)


class LogHandler(LogHandlerBase):
    """Writes events, and the text of all else, where Snakemake would write."""

    writes_to_stream = True
    writes_to_file = False
    # Those of Snakemake: its options, such as --quiet, hold as ever.
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Write a message of Snakemake."""
        try:
            stream = sys.stdout if self.common_settings.stdout else sys.stderr
            event = event_of(record)
            if event is not None:
                stream.write(f"{MARK}{json.dumps(event)}\n")
            if getattr(record, "event", None) not in SILENT:
                text = self.format(record)
                if text and text != "None":  # Snakemake formats messages without words so
                    stream.write(f"{text}\n")
            stream.flush()
        except Exception:
            self.handleError(record)


def event_of(record: LogRecord) -> Mapping[str, Any] | None:
    """What a message of Snakemake says of jobs and progress; None if nothing."""
    kind = getattr(record, "event", None)
    if kind == LogEvent.JOB_INFO:
        message = record.rule_msg or f"Rule {record.rule_name}"
        log = next(map(str, record.log), None)
        return {"event": "begun", "job": record.jobid, "message": message, "log": log}
    if kind == LogEvent.JOB_FINISHED:
        return {"event": "ended", "job": record.job_id}
    if kind == LogEvent.PROGRESS:
        return {"event": "steps", "done": record.done, "total": record.total}
    if kind == LogEvent.JOB_ERROR:
        return {"event": "failed", "job": record.jobid, "logs": list(map(str, record.log))}
    if kind == LogEvent.ERROR:
        return {"event": "error", "exception": getattr(record, "exception", None)}
    return None
