"""Solvers, each of which reads top to bottom like its algorithm."""
