"""What the papers prove, and what closed forms tell: theory beside the simulations."""
