"""Fits divided among ranks: each rank computes a share of them, and all ranks get what they found."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import torch
from torch import Tensor

from minerva_select.mi.stacking import FoldInformation
from minerva_select.runtime.distributed import ProcessGroup
from minerva_select.runtime.parallel import run_side_by_side

Place = TypeVar("Place", bound=Hashable)


class DividedFits:
    """Fits that are identified by their place; the rank that has computed one computes its held-out rows too.

    All ranks take the same steps, so all of them ask for the same fits at the same time.
    """

    def __init__(self, ranks: ProcessGroup, device: torch.device) -> None:
        self.ranks = ranks
        self.device = device
        self._owners: dict[Hashable, int] = {}
        self._own: dict[Hashable, FoldInformation] = {}

    def fit(
        self,
        places: Sequence[Place],
        fit_one: Callable[[Place], FoldInformation],
        in_background: Callable[[Place], bool],
        *,
        measured: bool,
    ) -> list[FoldInformation]:
        """Fit what is not fitted yet, a share of it in this rank; if ``measured``, on held-out rows too."""
        for place in places:
            self._owners.setdefault(place, len(self._owners) % self.ranks.size)
        own = [place for place in places if self._owners[place] == self.ranks.rank]

        def compute(place: Place) -> FoldInformation:
            fit = self._own[place] if place in self._own else fit_one(place)
            if measured:
                fit.held_out  # noqa: B018 - computed when first asked for
            return fit

        jobs = [lambda place=place: compute(place) for place in own]
        fits = run_side_by_side(jobs, [in_background(place) for place in own])
        self._own |= dict(zip(own, fits, strict=True))
        found = [(fit.tuning.cpu(), fit.held_out.cpu() if measured else None) for fit in fits]
        parts = [iter(part) for part in self.ranks.gather(found)]
        return [self._shared(place, *next(parts[self._owners[place]])) for place in places]

    def _shared(self, place: Hashable, tuning: Tensor, held_out: Tensor | None) -> FoldInformation:
        """What a fit found; the rest is computed by its rank, and sent to the others, when they ask for it."""

        def measure() -> Tensor:
            return self._from_owner(place, lambda own: own.held_out) if held_out is None else held_out.to(self.device)

        return FoldInformation(tuning.to(self.device), measure, lambda: self._from_owner(place, _importances))

    def _from_owner(self, place: Hashable, compute: Callable[[FoldInformation], Tensor]) -> Tensor:
        own = self._own.get(place)
        values = self.ranks.gather(None if own is None else compute(own).cpu())[self._owners[place]]
        assert values is not None
        return values.to(self.device)


def _importances(fit: FoldInformation) -> Tensor:
    assert fit.importances is not None  # all array critics have them
    return fit.importances()
