"""Who has won: ranks, ties and the winner of files on the same rows."""
