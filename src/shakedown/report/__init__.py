"""The report of a study, the pages of a dry run and of a replay: one self-contained file each."""
