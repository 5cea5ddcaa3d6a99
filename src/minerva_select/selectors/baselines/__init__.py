"""The nine other selection methods, with the same interface as MinervaSelector."""
