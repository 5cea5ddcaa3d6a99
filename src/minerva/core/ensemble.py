"""Critics of one shape trained side by side, as one batched computation."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from minerva.core.inputs import Rows
from minerva.core.networks import BoundedLinear


class Ensemble:
    """Several critics of the same shape; every parameter has one leading place a member.

    Parameters
    ----------
    build
        Makes one member, freshly initialised.
    n_members
        How many.
    device
        Where they live. Members are drawn on the CPU first, so that every device starts from the same network.
    """

    def __init__(self, build: Callable[[], nn.Module], n_members: int, device: torch.device) -> None:
        members = [build() for _ in range(n_members)]
        stacked, buffers = stack_module_state(members)
        self.n_members = n_members
        self.parameters = {name: value.detach().to(device).requires_grad_() for name, value in stacked.items()}
        self.buffers = {name: value.to(device) for name, value in buffers.items()}
        self.template = members[0].to(device)
        self._limits = {
            f"{name}.weight": module.limit
            for name, module in self.template.named_modules()
            if isinstance(module, BoundedLinear)
        }

    def train(self, mode: bool = True) -> None:
        """Switch dropout on (or off)."""
        self.template.train(mode)

    def __call__(self, x: Rows, y: Rows, weights: Tensor) -> Tensor:
        """Scores of every member; x, y and weights have one leading place a member."""

        def score(parameters: dict[str, Tensor], buffers: dict[str, Tensor], *tensors: Tensor) -> Tensor:
            x_ranks, x_codes, y_ranks, y_codes, p = tensors
            arguments = (Rows(x_ranks, x_codes, x.layout), Rows(y_ranks, y_codes, y.layout), p)
            out: Tensor = functional_call(self.template, (parameters, buffers), arguments)
            return out

        tensors = (x.ranks, x.codes, y.ranks, y.codes, weights)
        if self.n_members == 1:  # vmap costs about as much as a small network's own arithmetic
            first = ({k: v[0] for k, v in self.parameters.items()}, {k: v[0] for k, v in self.buffers.items()})
            return score(*first, *(tensor[0] for tensor in tensors)).unsqueeze(0)
        batched = vmap(score, randomness="different")
        out: Tensor = batched(self.parameters, self.buffers, *tensors)
        return out

    @torch.no_grad()
    def clip_gradients_(self, max_norm: float) -> None:
        """Scale down the gradient of each member whose norm is above ``max_norm``, on its own."""
        gradients = [value.grad for value in self.parameters.values() if value.grad is not None]
        squares = sum(gradient.flatten(1).square().sum(1) for gradient in gradients)
        scale = (max_norm / (torch.as_tensor(squares).sqrt() + 1e-12)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(scale.view(-1, *[1] * (gradient.dim() - 1)))

    @torch.no_grad()
    def project_(self) -> None:
        """Bring the bounded layers back into their range; called after every step."""
        for name, limit in self._limits.items():
            self.parameters[name].clamp_(-limit, limit)

    @torch.no_grad()
    def snapshot(self) -> dict[str, Tensor]:
        """A copy of all parameters."""
        return {name: value.detach().clone() for name, value in self.parameters.items()}

    @torch.no_grad()
    def copy_(self, source: dict[str, Tensor], into: dict[str, Tensor] | None, members: Tensor) -> None:
        """Copy the marked members' parameters from ``source`` into ``into`` (or into this ensemble)."""
        for name, value in source.items():
            target = (self.parameters if into is None else into)[name]
            target[members] = value[members]
