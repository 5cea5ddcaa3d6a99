"""Members of a critic trained side by side: their parameters as one tensor, and the steps on it."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from minerva_select.mi.networks import Linear

Entries = tuple[list[int], list[int]]


class Ensemble:
    """The parameters of a critic as one flat tensor, so that a step on all of them is a few calls.

    Parameters
    ----------
    critic
        The network, drawn on the CPU, so that every device starts from the same one. Every parameter has one leading
        place a member.
    device
        Where it is to live.
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
            value.grad = gradient.view(value.shape)  # gradients are added up in place
        self._bounded = [module for module in self.critic.modules() if isinstance(module, Linear) and module.bounded]

    def _blocks(self, flat: Tensor) -> list[Tensor]:  # (n_members, n_values) each
        """The parts of such a tensor that belong to each parameter, a row a member."""
        sizes = [value.numel() for value in self.parameters.values()]
        return [block.view(self.n_members, -1) for block in flat.split(sizes)]

    def train(self, mode: bool = True) -> None:
        """Switch dropout on (or off)."""
        self.critic.train(mode)

    def clip_gradients_(self, max_norm: float) -> None:
        """Scale down the gradient of each member whose norm is above ``max_norm``, on its own."""
        blocks = [block for block in self._blocks(self.gradient) if block.numel()]
        norms = torch.stack([block.norm(dim=1) for block in blocks]).norm(dim=0)
        scale = (max_norm / (norms + 1e-12)).clamp(max=1.0).unsqueeze(1)
        for block in blocks:
            block.mul_(scale)

    @torch.no_grad()
    def project_(self) -> None:
        """Bring the bounded layers back into their range; called after every step."""
        for layer in self._bounded:
            layer.weight.clamp_(-layer.limit, layer.limit)

    def snapshot(self) -> Tensor:
        """A copy of all parameters."""
        return self.values.clone()

    def update_snapshot_(self, snapshot: Tensor, members: Tensor) -> None:
        """Bring a snapshot up to date for the marked members only."""
        marked = members.to(snapshot.device).unsqueeze(1)
        for known, value in zip(self._blocks(snapshot), self._blocks(self.values), strict=True):
            known.copy_(torch.where(marked, value, known))

    def restore_(self, snapshot: Tensor) -> None:
        """Go back to the parameters of a snapshot."""
        self.values.copy_(snapshot)

    def warm_start_(self, other: Ensemble, members: tuple[slice, slice], entries: Mapping[str, Entries]) -> None:
        """Take over the parameters of another ensemble's members: (mine, theirs), and so for entries of a parameter."""
        mine, theirs = members
        for name, value in other.parameters.items():
            if name not in self.parameters:  # a critic that is told of no pairs of columns has no place for theirs
                continue
            block = self.parameters[name].data[mine]
            if name in entries:
                to, of = entries[name]
                block[:, to] = value.data[theirs][:, of]
            else:
                block.copy_(value.data[theirs])


class AdamW:
    """Adam with decoupled weight decay, on all members' parameters at once.

    torch.optim does the same, but imports the compiler with its first optimizer, which takes longer than a small fit.
    """

    def __init__(self, ensemble: Ensemble, rate: float, weight_decay: float) -> None:
        self.ensemble = ensemble
        self.weight_decay = weight_decay
        self.mean = torch.zeros_like(ensemble.values)
        self.square = torch.zeros_like(ensemble.values)
        # Steps done, and the rate: on the device, since a graph of a step is to find them changed
        self.clock = torch.tensor([0.0, rate], dtype=torch.float64, device=ensemble.values.device)

    @property
    def n_steps(self) -> int:
        """Number of steps done."""
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

    def step(self, momentum: float = 0.9, memory: float = 0.999) -> None:
        """One step down the gradient."""
        values, gradient = self.ensemble.values, self.ensemble.gradient
        self.mean.lerp_(gradient, 1 - momentum)
        self.square.mul_(memory).addcmul_(gradient, gradient, value=1 - memory)
        self.clock[0] += 1
        if values.is_cuda:
            n_steps, rate = self.clock
            size = (self.square / (1 - memory**n_steps)).sqrt_().add_(1e-8)
            values.mul_(1 - rate * self.weight_decay)
            values.sub_(self.mean / size * (rate / (1 - momentum**n_steps)))
        else:  # plain numbers are quicker where nobody waits for them
            n_done, speed = self.clock.tolist()
            size = (self.square / (1 - memory**n_done)).sqrt_().add_(1e-8)
            values.mul_(1 - speed * self.weight_decay)
            values.addcdiv_(self.mean, size, value=-speed / (1 - momentum**n_done))
