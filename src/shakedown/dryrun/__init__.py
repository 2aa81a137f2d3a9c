"""The dry run of a challenge: what is played (`plan`), and until when (`jobs`)."""
