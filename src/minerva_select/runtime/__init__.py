"""Where and how a fit runs: device, random numbers, deadline, processes, checkpoints, CUDA graphs."""
