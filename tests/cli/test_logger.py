"""The logger tells the command what Snakemake does: jobs, steps, failures, and all else as text."""

import json
import logging

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry
from snakemake_interface_logger_plugins.tests import MockOutputSettings, TestLogHandlerBase

import snakemake_logger_plugin_shakedown as plugin
from shakedown.cli.watching import MARK, Watched


class TestContract(TestLogHandlerBase):
    """What Snakemake asks of every logger."""

    __test__ = True

    def get_log_handler_cls(self):
        return plugin.LogHandler

    def get_log_handler_settings(self):
        return None


#: Messages of Snakemake that are told as events, with the attributes that it gives them.
EVENTS = {
    "begun": (
        {
            "event": LogEvent.JOB_INFO,
            "jobid": 5,
            "rule_msg": "Playing",
            "rule_name": "play",
            "log": ["a.log"],
        },
        {"job": 5, "message": "Playing", "log": "a.log"},
    ),
    "ended": ({"event": LogEvent.JOB_FINISHED, "job_id": 5}, {"job": 5}),
    "steps": ({"event": LogEvent.PROGRESS, "done": 3, "total": 1000}, {"done": 3, "total": 1000}),
    "failed": (
        {"event": LogEvent.JOB_ERROR, "jobid": 5, "log": ["a.log", "slurm.log"]},
        {"job": 5, "logs": ["a.log", "slurm.log"]},
    ),
    "error": (
        {"event": LogEvent.ERROR, "exception": "LockException"},
        {"exception": "LockException"},
    ),
}


def written(capsys, message, **attributes):
    """What the logger writes of a message: to standard error, and to standard output."""
    record = logging.LogRecord("snakemake", logging.INFO, "a.py", 1, message, (), None)
    record.__dict__.update(attributes)
    settings = MockOutputSettings()
    plugin.LogHandler(common_settings=settings, settings=None).emit(record)
    told = capsys.readouterr()
    assert told.out == ""
    return told.err.splitlines()


@pytest.mark.parametrize("kind", EVENTS)
def test_what_snakemake_does_is_an_event_that_the_command_reads(kind, capsys):
    attributes, fields = EVENTS[kind]
    line, *text = written(capsys, "In words", **attributes)
    assert json.loads(line.removeprefix(MARK)) == {"event": kind, **fields}
    assert text == ([] if kind in ("begun", "ended", "steps") else ["In words"])
    assert Watched().take(line) == kind
    assert plugin.MARK == MARK


def test_a_job_without_a_message_is_called_by_its_rule(capsys):
    job = {"jobid": 1, "rule_msg": None, "rule_name": "draw", "log": []}
    (line,) = written(capsys, "", event=LogEvent.JOB_INFO, **job)
    assert json.loads(line[1:])["message"] == "Rule draw"


def test_all_else_is_text_and_messages_without_words_are_nothing(capsys):
    assert written(capsys, "Nothing to be done.") == ["Nothing to be done."]
    assert written(capsys, None, event=LogEvent.WORKFLOW_STARTED) == []


def test_a_dry_run_writes_to_standard_output(capsys):
    settings = MockOutputSettings()
    settings.stdout = True
    record = logging.LogRecord("snakemake", logging.INFO, "a.py", 1, "Planned", (), None)
    plugin.LogHandler(common_settings=settings, settings=None).emit(record)
    assert capsys.readouterr().out == "Planned\n"


def test_snakemake_finds_it():
    assert LoggerPluginRegistry().is_installed("shakedown")
