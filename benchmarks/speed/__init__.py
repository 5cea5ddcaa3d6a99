"""Speed: seconds of MINERVA and of other methods on the same tables, and where the seconds go."""
