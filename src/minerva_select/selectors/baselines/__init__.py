"""Nine other feature-selection methods, with the same interface as MinervaSelector."""
