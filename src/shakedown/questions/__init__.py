"""Questions that a user asks: functions that return an `answer.Answer`, which commands print.

Each is a module, and a name of ``shakedown``.  CONTRIBUTING.md says how another one is added.
"""
