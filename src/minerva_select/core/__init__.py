"""The method on tensors, torch alone: bounds, critics, training, and the solvers."""
