"""Settings of dry runs."""

from shakedown.dryrun.settings import DryRunEntry


def asked(mechanisms=None, **given):
    """Settings of a dry run, which may be smaller than users may ask for."""
    return DryRunEntry(mechanisms=mechanisms).model_copy(update=given)
