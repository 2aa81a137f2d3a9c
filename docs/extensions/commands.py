"""The page of the command line, from the parsers of the command."""

import re
from argparse import SUPPRESS, ArgumentParser

from shakedown.cli.arguments import parsers

PAGE = "reference/command_line"


def described(text: str) -> str:
    """A description: paragraphs, and examples where lines are indented."""
    parts = []
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        lines = part.splitlines()
        if all(line.startswith("  ") for line in lines):
            parts.append("\n".join(["```text", *(line[2:] for line in lines), "```"]))
        elif any(line.startswith("  ") for line in lines):
            first = next(k for k, line in enumerate(lines) if line.startswith("  "))
            parts += [described("\n".join(lines[:first])), described("\n".join(lines[first:]))]
        else:
            parts.append(" ".join(lines).replace("<", r"\<"))
    return "\n\n".join(parts)


def options(parser: ArgumentParser) -> str:
    """A table of what a command takes."""
    rows = []
    for action in parser._actions:
        if action.help == SUPPRESS or action.dest in ("help", "command", "action"):
            continue
        name = action.option_strings[-1] if action.option_strings else ""
        value = "" if action.nargs == 0 else (action.metavar or action.dest)
        meaning = (action.help or "") % {"prog": parser.prog, "default": action.default}
        rows.append(f"| `{f'{name} {value}'.strip()}` | {meaning.replace('|', chr(92) + '|')} |")
    return "\n".join(["| takes | meaning |", "|---|---|", *rows]) if rows else ""


def manual() -> str:
    """All commands, in Markdown."""
    _, commands, actions = parsers()
    parts = []
    for name, parser in commands.items():
        parts += [f"## shakedown {name}", described(parser.description)]
        if name != "board":
            parts.append(options(parser))
            continue
        for action, sub in actions.items():
            parts += [f"### shakedown board {action}", described(sub.description), options(sub)]
    return "\n\n".join(parts)


def _append(app, docname, source):
    if docname == PAGE:
        source[0] += "\n" + manual()


def setup(app):
    app.connect("source-read", _append)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
