"""Mutual information estimates compared with closed forms: the "Beyond Normal" benchmark and further cases."""
