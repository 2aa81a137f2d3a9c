"""The jobs of a study, a dry run or a replay: what each one plays or draws, reads and takes.

Plain functions of a complete configuration; the workflow makes Snakemake's rules of what they
return.  Paths are relative to the results of the study.
"""
