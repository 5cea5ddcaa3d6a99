"""Mutual information of two sides of any columns, by their density ratio p(x, y) / (p(x) p(y))."""
