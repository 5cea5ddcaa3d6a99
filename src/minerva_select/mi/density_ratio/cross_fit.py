"""Estimate the density ratio of two sides on training rows, and read off the information of held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from minerva_select.config import DENSITY_RATIO, JUDGE
from minerva_select.mi.density_ratio.closed_forms import ClosedForm, Family, choose, close, fit_forms
from minerva_select.mi.density_ratio.columns import limit_columns
from minerva_select.mi.density_ratio.conditional_density import fit_conditional_density
from minerva_select.mi.density_ratio.coupling import LogRatios, pointwise_information
from minerva_select.mi.density_ratio.fold import FoldInformation, FoldRows
from minerva_select.mi.density_ratio.pair_grids import cross_fit_pair, is_pair
from minerva_select.mi.density_ratio.pair_trees import fit_pair_trees
from minerva_select.mi.density_ratio.predictions import predict_narrow_side
from minerva_select.mi.density_ratio.separable_critic import CriticJob, train_critics
from minerva_select.mi.density_ratio.side import Side
from minerva_select.mi.stacking import mix, mixture_weights


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A density ratio as fitted to the training rows, to choose weights by, and to the tuning rows as well."""

    chosen: LogRatios
    final: LogRatios


@dataclass(frozen=True, eq=False)
class _Fold:
    """What is fitted in one fold."""

    rows: FoldRows
    x: Side  # the columns in use, with predictions
    y: Side
    start: tuple[ClosedForm, ClosedForm]  # that the critic starts from, as fitted to training rows and to all
    best: int  # index of the best closed form; 0 is a Gaussian one of the columns alone
    n_plain: int  # closed forms without predictions, which come first
    n_closed: int  # closed forms
    candidates: list[_Candidate]  # the closed forms, and others


def cross_fit(
    x: Side, y: Side, splits: Sequence[FoldRows], rng: np.random.Generator, generator: torch.Generator
) -> list[FoldInformation]:
    """Information of the held-out rows of every fold."""
    if is_pair(x, y):
        return [cross_fit_pair(x, y, rows, rng) for rows in splits]
    folds = [_fit_closed_forms(x, y, rows, rng) for rows in splits]
    if min(len(rows.train) for rows in splits) >= DENSITY_RATIO.min_critic_rows:
        _add_critics(folds, generator)
        for fold in folds:
            _add_pair_trees(fold, rng)
    return [_measure(fold) for fold in folds]


def _fit_closed_forms(x: Side, y: Side, rows: FoldRows, rng: np.random.Generator) -> _Fold:
    """Fit closed forms to the columns, and to the columns and predictions."""
    x, y = limit_columns(x, y, rows.train)
    forms = plain = fit_forms(x, y, rows.train, rows.tune)
    sides = [(x, y)] * len(forms)
    densities: list[LogRatios] = []
    if predictions := predict_narrow_side(x, y, rows.train, rng):
        narrow, wide = (x, y) if predictions.of_x else (y, x)
        if narrow.n_columns == 1 and narrow.is_numeric:
            predicted = predictions.mean[:, 0]
            values = narrow.normal_scores[:, 0]
            densities.append(fit_conditional_density(values, predicted, wide.values, rows.train, of_x=predictions.of_x))
        x, y = predictions.add_to(x, y)
        more = fit_forms(x, y, rows.train, rows.tune)
        forms, sides = forms + more, sides + [(x, y)] * len(more)
    finals = [close(form.settings, form.settings.fit(*own, rows.rest)) for form, own in zip(forms, sides, strict=True)]
    candidates = [_Candidate(form.ratio, final) for form, final in zip(forms, finals, strict=True)]
    candidates += [_Candidate(density, density) for density in densities]
    best = choose(forms)
    start = choose([form for form in forms if form.settings.family != Family.RADIAL])
    return _Fold(
        rows=rows,
        x=x,
        y=y,
        start=(start.ratio, finals[forms.index(start)]),
        best=forms.index(best),
        n_plain=len(plain),
        n_closed=len(forms),
        candidates=candidates,
    )


def _add_critics(folds: Sequence[_Fold], generator: torch.Generator) -> None:
    """Train critics that start from the best elliptical form of their fold."""
    jobs = [
        CriticJob(fold.start[0], torch.as_tensor(fold.rows.train), torch.as_tensor(fold.rows.tune)) for fold in folds
    ]
    x, y = (
        torch.stack([torch.as_tensor(side.critic_inputs, dtype=torch.float32) for side in sides])
        for sides in ([fold.x for fold in folds], [fold.y for fold in folds])
    )
    for fold, critic in zip(folds, train_critics(x, y, jobs, generator), strict=True):
        fold.candidates.append(_Candidate(critic, replace(critic, offset=fold.start[1])))


def _add_pair_trees(fold: _Fold, rng: np.random.Generator) -> None:
    """Fit trees to a single numeric column and its prediction."""
    x, y = fold.x, fold.y
    if min(x.n_columns, y.n_columns) != 1 or not x.quantiles.shape[1] or not y.quantiles.shape[1]:
        return
    if fold.n_plain < fold.n_closed:
        trees = fit_pair_trees(x.quantiles[:, -1], y.quantiles[:, -1], fold.rows.train, rng)
        fold.candidates.append(_Candidate(trees, trees))


def _measure(fold: _Fold) -> FoldInformation:
    """Mix all density ratios by weights that are best on the tuning rows."""
    tune, held_out, train = (torch.as_tensor(rows) for rows in (fold.rows.tune, fold.rows.held_out, fold.rows.train))
    seen_rows = train[: len(held_out)]  # as many, so that blocks are as large
    tuning = torch.stack([pointwise_information(one.chosen, tune, train) for one in fold.candidates])
    weights = mixture_weights(tuning, torch.ones(len(tune)), JUDGE.weight_prior_rows)
    unseen, seen = (
        torch.stack([pointwise_information(one.final, own, others) for one in fold.candidates])
        for own, others in ((held_out, torch.cat([train, tune])), (seen_rows, torch.cat([held_out, tune])))
    )
    return FoldInformation(
        is_gaussian=fold.best == 0,
        plain=float(unseen[: fold.n_plain].mean(dim=1).max()),
        closed=unseen[fold.best],
        mixed=mix(unseen, weights),
        closed_in_training=float(seen[fold.best].mean()),
        mixed_in_training=float(mix(seen, weights).mean()),
    )
