#!/bin/sh
# State of a Slurm job as Snakemake wants it: running, success or failed.  Needs no accounting.
case $(scontrol --oneliner show job "$1" 2>/dev/null | grep -o 'JobState=[A-Z_]*') in
JobState=COMPLETED) echo success ;;
JobState=PENDING | JobState=CONFIGURING | JobState=RUNNING | JobState=COMPLETING | JobState=SUSPENDED | JobState=REQUEUED) echo running ;;
*) echo failed ;;
esac
