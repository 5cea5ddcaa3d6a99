"""AdamW on the flat parameters of an ensemble."""

from __future__ import annotations

import torch

from minerva_select.mi.ensemble import Ensemble


class AdamW:
    """Adam with decoupled weight decay, on the parameters of all members at once.

    torch.optim imports the compiler with its first optimizer, which takes longer than a small fit.
    """

    def __init__(self, ensemble: Ensemble, rate: float, weight_decay: float) -> None:
        self.ensemble = ensemble
        self.weight_decay = weight_decay
        self.mean = torch.zeros_like(ensemble.values)
        self.square = torch.zeros_like(ensemble.values)
        # Number of steps and learning rate; on the device, where a captured CUDA graph reads their current values
        self.clock = torch.tensor([0.0, rate], dtype=torch.float64, device=ensemble.values.device)

    @property
    def n_steps(self) -> int:
        """Number of steps taken."""
        return int(self.clock[0])

    @n_steps.setter
    def n_steps(self, n_steps: int) -> None:
        self.clock[0] = n_steps

    @property
    def rate(self) -> float:
        """The learning rate."""
        return float(self.clock[1])

    @rate.setter
    def rate(self, rate: float) -> None:
        self.clock[1] = rate

    def step(self, beta1: float = 0.9, beta2: float = 0.999) -> None:
        """Take one step down the gradient."""
        values, gradient = self.ensemble.values, self.ensemble.gradient
        self.mean.lerp_(gradient, 1 - beta1)
        self.square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        self.clock[0] += 1
        if values.is_cuda:
            n_steps, rate = self.clock
            size = (self.square / (1 - beta2**n_steps)).sqrt_().add_(1e-8)
            values.mul_(1 - rate * self.weight_decay)
            values.sub_(self.mean / size * (rate / (1 - beta1**n_steps)))
        else:  # Python numbers are faster where reading them does not wait for a device
            n_done, speed = self.clock.tolist()
            size = (self.square / (1 - beta2**n_done)).sqrt_().add_(1e-8)
            values.mul_(1 - speed * self.weight_decay)
            values.addcdiv_(self.mean, size, value=-speed / (1 - beta1**n_done))
