"""List the settings of every mechanism that a study plays."""

import sys

from shakedown.leaderboard.mechanism import mechanisms, settings_table
from shakedown.simulation import outcomes


def main(listed, path_to_settings):
    found = {one.setting: one for entries in listed for one in mechanisms(entries)}
    outcomes.write(settings_table(found.values()), path_to_settings)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(snakemake.params.mechanisms, snakemake.output.settings)
