"""The two solvers, each written like its algorithm: vetting (the default) and Algorithm 1 of the paper."""
