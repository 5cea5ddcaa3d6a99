"""Ensemble of critics trained side by side, with all parameters in one flat tensor."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from minerva_select.mi.layers import Linear

Entries = tuple[list[int], list[int]]


class Ensemble:
    """Parameters of a critic as one flat tensor, so that a step on all of them takes a few calls.

    The critic is initialized on the CPU and moved to the device, so that all devices start from the same parameters.
    Every parameter has a leading dimension of members.
    """

    def __init__(self, critic: nn.Module, device: torch.device) -> None:
        self.critic = critic.to(device)
        self.parameters = dict(self.critic.named_parameters())
        self.n_members = len(next(iter(self.parameters.values())))
        self.values = torch.cat([value.detach().flatten() for value in self.parameters.values()])
        self.gradient = torch.zeros_like(self.values)
        blocks = zip(self.parameters.values(), self._blocks(self.values), self._blocks(self.gradient), strict=True)
        for value, own, gradient in blocks:
            value.data = own.view(value.shape)
            value.grad = gradient.view(value.shape)  # autograd accumulates into it
        self._bounded = [module for module in self.critic.modules() if isinstance(module, Linear) and module.bounded]

    def _blocks(self, flat: Tensor) -> list[Tensor]:  # (n_members, n_values) each
        """Split a flat tensor by parameter, one row per member."""
        sizes = [value.numel() for value in self.parameters.values()]
        return [block.view(self.n_members, -1) for block in flat.split(sizes)]

    def train(self, mode: bool = True) -> None:
        """Switch dropout on or off."""
        self.critic.train(mode)

    def clip_gradients_(self, max_norm: float) -> None:
        """Scale down the gradient of each member whose norm exceeds ``max_norm``."""
        blocks = [block for block in self._blocks(self.gradient) if block.numel()]
        norms = torch.stack([block.norm(dim=1) for block in blocks]).norm(dim=0)
        scale = (max_norm / (norms + 1e-12)).clamp(max=1.0).unsqueeze(1)
        for block in blocks:
            block.mul_(scale)

    @torch.no_grad()
    def project_(self) -> None:
        """Clamp the bounded layers to their range, after every step."""
        for layer in self._bounded:
            layer.weight.clamp_(-layer.limit, layer.limit)

    def snapshot(self) -> Tensor:
        """Copy of all parameters."""
        return self.values.clone()

    def update_snapshot_(self, snapshot: Tensor, members: Tensor) -> None:
        """Copy the parameters of the marked members to a snapshot."""
        marked = members.to(snapshot.device).unsqueeze(1)
        for saved, value in zip(self._blocks(snapshot), self._blocks(self.values), strict=True):
            saved.copy_(torch.where(marked, value, saved))

    def restore_(self, snapshot: Tensor) -> None:
        """Set all parameters to those of a snapshot."""
        self.values.copy_(snapshot)

    def warm_start_(self, other: Ensemble, members: tuple[slice, slice], entries: Mapping[str, Entries]) -> None:
        """Copy parameters from members of another ensemble.

        ``members`` and ``entries`` are pairs (own, other); a parameter without ``entries`` is copied whole.
        """
        own, theirs = members
        for name, value in other.parameters.items():
            if name not in self.parameters:  # pairs that this critic does not encode
                continue
            block = self.parameters[name].data[own]
            if name in entries:
                to, of = entries[name]
                block[:, to] = value.data[theirs][:, of]
            else:
                block.copy_(value.data[theirs])
