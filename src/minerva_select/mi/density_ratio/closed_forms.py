"""Density ratios in closed form: of a Gaussian copula, of a Student copula, and of a Gaussian with radial inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import gammaln
from torch import Tensor

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.coupling import pointwise_information
from minerva_select.mi.density_ratio.side import Side

Array = NDArray[np.float64]


class Family(StrEnum):
    """Shape of a density ratio in closed form."""

    GAUSSIAN = "gaussian"
    STUDENT = "student"  # heavy tails in common, also without any correlation
    RADIAL = "radial"  # Gaussian in the normal scores and in their products with the radius


@dataclass(frozen=True)
class FormSettings:
    """Which density ratio in closed form is fitted."""

    family: Family
    threshold: float = 0.0  # times the largest correlation of independent sides
    degrees_of_freedom: float = 0.0  # of a Student copula

    def fit(self, x: Side, y: Side, rows: NDArray[np.int64]) -> CanonicalPairs:
        """Fit canonical pairs to these rows."""
        if self.family == Family.STUDENT:
            return fit_student(x, y, rows, self.degrees_of_freedom)
        if self.family == Family.RADIAL:
            return fit_gaussian(x.radial_values, y.radial_values, rows)
        return fit_gaussian(x.values, y.values, rows)


@dataclass(frozen=True, eq=False)
class CanonicalPairs:
    """Canonical variables of both sides, uncorrelated but for pairs, for all rows."""

    x: Array  # (n_rows, n_pairs)
    y: Array  # (n_rows, n_pairs)
    correlations: Array  # (n_pairs,) descending
    x_norms: Array  # (n_rows,) squared Mahalanobis norm of the whole side
    y_norms: Array  # (n_rows,)
    n_x: int  # dimensions of the side
    n_y: int
    noise: float  # squared correlation that the largest of independent sides reaches


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """A fitted density ratio; one row of every array per row of the table."""

    x: Tensor  # (n_rows, n_pairs)
    y: Tensor  # (n_rows, n_pairs)
    x_term: Tensor  # (n_rows,)
    y_term: Tensor  # (n_rows,)
    constant: float
    norms: tuple[Tensor, Tensor] | None = None  # of a Student copula
    degrees_of_freedom: float = 0.0
    n_dimensions: tuple[int, int] = (0, 0)

    def __call__(self, x_rows: Tensor, y_rows: Tensor) -> Tensor:  # (n_x_rows, n_y_rows)
        """Log density ratios of all pairs of these rows."""
        cross = torch.addmm(self.x_term[x_rows, None] + self.y_term[None, y_rows], self.x[x_rows], self.y[y_rows].T)
        if self.norms is None:
            return cross + self.constant
        x_norms, y_norms = self.norms[0][x_rows, None], self.norms[1][None, y_rows]
        dof, (n_x, n_y) = self.degrees_of_freedom, self.n_dimensions
        joint = (x_norms + y_norms - 2 * cross).clamp(min=0.0)
        return (
            self.constant
            - (dof + n_x + n_y) / 2 * torch.log1p(joint / dof)
            + (dof + n_x) / 2 * torch.log1p(x_norms / dof)
            + (dof + n_y) / 2 * torch.log1p(y_norms / dof)
        )


@dataclass(frozen=True, eq=False)
class FittedForm:
    """A density ratio fitted to training rows, and what it finds in tuning rows."""

    settings: FormSettings
    ratio: ClosedForm
    training_rows: Tensor
    tuning_rows: Tensor

    @cached_property
    def tuning(self) -> Tensor:  # (n_tuning_rows,)
        """Pointwise information of the tuning rows."""
        return pointwise_information(self.ratio, self.tuning_rows, self.training_rows)


def fit_forms(x: Side, y: Side, train: NDArray[np.int64], tune: NDArray[np.int64]) -> list[FittedForm]:
    """Fit all families to the training rows, each with the settings that are best on the tuning rows.

    A Gaussian form is the first.
    """
    rows = torch.as_tensor(train), torch.as_tensor(tune[: DENSITY_RATIO.max_choice_rows])

    def fit(settings: FormSettings) -> FittedForm:
        pairs = settings.fit(x, y, train)
        forms = [
            FittedForm(own := replace(settings, threshold=threshold), close(own, pairs), *rows)
            for threshold in DENSITY_RATIO.noise_thresholds
        ]
        return max(forms, key=lambda form: float(form.tuning.mean()))

    found = [fit(FormSettings(Family.GAUSSIAN))]
    if x.is_numeric and y.is_numeric:
        students = [FormSettings(Family.STUDENT, 0.0, dof) for dof in DENSITY_RATIO.degrees_of_freedom]
        forms = [FittedForm(own, close(own, own.fit(x, y, train)), *rows) for own in students]
        found.append(fit(max(forms, key=lambda form: float(form.tuning.mean())).settings))
    n_columns = x.radial_values.shape[1] + y.radial_values.shape[1]
    if x.n_columns + y.n_columns > 2 and n_columns <= len(train) // DENSITY_RATIO.min_rows_per_column:
        found.append(fit(FormSettings(Family.RADIAL)))
    return found


def choose(forms: Sequence[FittedForm]) -> FittedForm:
    """The form that is best on the tuning rows; the first one unless another is clearly better."""
    best = max(forms, key=lambda form: float(form.tuning.mean()))
    difference = best.tuning - forms[0].tuning
    error = float(difference.std(correction=0)) / max(1, len(difference) - 1) ** 0.5
    return best if float(difference.mean()) > DENSITY_RATIO.clear_z * error else forms[0]


def close(settings: FormSettings, pairs: CanonicalPairs) -> ClosedForm:
    """Density ratio of canonical pairs; correlations below the threshold are taken for noise."""
    level = min(settings.threshold * pairs.noise, 0.9)
    squares = np.maximum(pairs.correlations**2 - level, 0.0) / (1.0 - level)
    squares = np.minimum(squares, DENSITY_RATIO.max_squared_correlation)
    used = squares > 0
    squares, x, y = squares[used], pairs.x[:, used], pairs.y[:, used]
    shares = squares / (1.0 - squares)
    constant = -0.5 * np.log1p(-squares).sum()
    gaussian = ClosedForm(
        x=_tensor(x * (np.sqrt(squares) / (1.0 - squares))),
        y=_tensor(y),
        x_term=_tensor(-(x**2 @ shares) / 2),
        y_term=_tensor(-(y**2 @ shares) / 2),
        constant=float(constant),
    )
    if settings.family != Family.STUDENT:
        return gaussian
    n_x, n_y, dof = pairs.n_x, pairs.n_y, settings.degrees_of_freedom
    constant += gammaln((dof + n_x + n_y) / 2) + gammaln(dof / 2) - gammaln((dof + n_x) / 2) - gammaln((dof + n_y) / 2)
    norms = (_tensor(pairs.x_norms), _tensor(pairs.y_norms))
    return replace(gaussian, constant=float(constant), norms=norms, degrees_of_freedom=dof, n_dimensions=(n_x, n_y))


def fit_gaussian(x: Array, y: Array, train: NDArray[np.int64]) -> CanonicalPairs:
    """Fit the canonical correlations of these values."""
    both = np.hstack([x, y])
    own = both[train]
    center = own.mean(axis=0)
    covariance = (own - center).T @ (own - center) / len(own)
    return find_canonical_pairs(both - center, covariance, x.shape[1], len(train))


def fit_student(x: Side, y: Side, train: NDArray[np.int64], degrees_of_freedom: float) -> CanonicalPairs:
    """Fit a Student copula: its scatter matrix by expectation maximization."""
    both = np.hstack([x.student_scores(degrees_of_freedom), y.student_scores(degrees_of_freedom)])
    own, n_columns = both[train], both.shape[1]
    scatter = np.eye(n_columns)
    for _ in range(DENSITY_RATIO.n_scatter_steps):
        norms = np.einsum("ij,ij->i", own @ np.linalg.pinv(scatter, hermitian=True), own)
        weights = (degrees_of_freedom + n_columns) / (degrees_of_freedom + norms)
        scatter = (own * weights[:, None]).T @ own / len(own)
        scale = np.sqrt(np.diag(scatter).clip(min=1e-12))
        scatter /= np.outer(scale, scale)
    return find_canonical_pairs(both, scatter, x.quantiles.shape[1], len(train))


def find_canonical_pairs(both: Array, covariance: Array, n_x: int, n_train: int) -> CanonicalPairs:
    """Canonical pairs of centered values whose first ``n_x`` columns are those of x, by their covariance."""
    x_whitening, y_whitening = _whiten(covariance[:n_x, :n_x]), _whiten(covariance[n_x:, n_x:])
    left, correlations, right = np.linalg.svd(x_whitening.T @ covariance[:n_x, n_x:] @ y_whitening, full_matrices=False)
    x, y = both[:, :n_x] @ x_whitening, both[:, n_x:] @ y_whitening
    return CanonicalPairs(
        x=x @ left,
        y=y @ right.T,
        correlations=correlations.clip(0.0, 1.0),
        x_norms=(x**2).sum(axis=1),
        y_norms=(y**2).sum(axis=1),
        n_x=x.shape[1],
        n_y=y.shape[1],
        noise=_noise(x.shape[1] / n_train, y.shape[1] / n_train),
    )


def _whiten(covariance: Array) -> Array:  # (n_columns, n_dimensions)
    """Map to uncorrelated variables of variance 1; directions without variance are left out."""
    variances, directions = np.linalg.eigh(covariance)
    used = variances > DENSITY_RATIO.min_variance_share * max(float(variances.max(initial=0.0)), 1e-12)
    whitening: Array = directions[:, used] / np.sqrt(variances[used])
    return whitening


def _noise(x_share: float, y_share: float) -> float:
    """Largest squared canonical correlation of independent Gaussian sides, by dimensions per row (Wachter's law)."""
    x_share, y_share = min(x_share, 1.0), min(y_share, 1.0)
    return float(min(1.0, (np.sqrt(x_share * (1 - y_share)) + np.sqrt(y_share * (1 - x_share))) ** 2))


def _tensor(values: Array) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float32)
