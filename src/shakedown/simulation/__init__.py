"""A replicate, a participant's session on its boards, and the tables of outcomes."""
