"""What attacks that deal the rows into groups have in common; see `Span`."""

from __future__ import annotations

from typing import Any

from shakedown.attacks.adversary import Holder
from shakedown.attacks.attack import Scope
from shakedown.component import parameter

#: Fewest groups of rows, unless they are given: fewer save no time worth it.
FEWEST = 400
#: Groups in a dry run: they can tell far more of the response than anybody tolerates.
IN_DRY_RUN = 200


def groups_parameter(null: str) -> Any:
    """The parameter `groups`; `null` says what null stands for."""
    return parameter(
        None,
        ge=1,
        description=(
            "Number of groups into which more public rows than this are dealt; rows of a group "
            "change together, which makes the attack quicker and, with few groups, weaker.  null: "
            f"{null}."
        ),
    )


def usual_groups(submissions: int) -> int:
    """Groups for an attack that learns from each of its submissions: six for ten of them."""
    return max(FEWEST, 6 * submissions // 10)


class GroupedHolder(Holder):
    """An adversary with the parameter `groups`."""

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        entries = super().for_dry_run(scope)
        return {name: entry | {"groups": IN_DRY_RUN} for name, entry in entries.items()}
