"""Correlated columns: near-copies, noise, Markov blankets, paths and contributions, compared with known answers."""
