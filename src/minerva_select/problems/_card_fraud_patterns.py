"""The relevant columns of the card-fraud table, drawn given whether a payment is fraudulent."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from minerva_select.schema import Array

PATTERNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "foreign_device": ("card_user", "device_user"),
        "foreign_address": ("billing_country", "ip_country"),
        "large_at_night": ("amount", "hour"),
        "sudden_spending": ("spend_today", "spend_usual"),
        "risk_score": ("issuer_score",),
    }
)

N_USERS = 24
COUNTRIES = ("AT", "BE", "CH", "DE", "DK", "ES", "FI", "FR", "GB", "IE", "IT", "LU", "NL", "NO", "PT", "SE")

# At a rate of 0.001 these make the PR-AUC of the optimal model 0.75; without one of the patterns, 0.62 to 0.68.
FRAUD_SHARE = 0.6  # of frauds that show a pattern
OTHER_SHARE = 0.01  # of other payments that show it
HIDDEN_SHARE = 0.07  # of frauds that look like any other payment
SCORE_POWER = 5

NIGHT_END_HOUR = 6
NIGHT_SHARE = 0.1
LARGE_SHARE = 0.1
MEDIAN_AMOUNT = 40.0
MISSING_SCORE_SHARE = 0.05


def draw_relevant_columns(is_fraud: Array, rng: np.random.Generator) -> dict[str, Array]:
    """Draw the relevant columns of some rows; users and countries as integer codes.

    Given its patterns and score, a row is independent of ``is_fraud``.
    """
    n_rows = len(is_fraud)
    visible = is_fraud & (rng.random(n_rows) >= HIDDEN_SHARE)
    shares = np.where(visible, FRAUD_SHARE, OTHER_SHARE)
    foreign_device, foreign_address, large_at_night, sudden_spending = rng.random((4, n_rows)) < shares
    card_user, device_user = _draw_pair(foreign_device, N_USERS, rng)
    billing_country, ip_country = _draw_pair(foreign_address, len(COUNTRIES), rng)
    amount, hour = _draw_amount_and_hour(large_at_night, rng)
    spend_usual = np.exp(4 + rng.standard_normal(n_rows))
    score = np.floor(1000 * rng.random(n_rows) ** np.where(visible, 1 / SCORE_POWER, 1))
    return {
        "card_user": card_user,
        "device_user": device_user,
        "billing_country": billing_country,
        "ip_country": ip_country,
        "amount": amount.astype(np.float32),
        "hour": hour,
        "spend_today": (spend_usual * _draw_skewed(sudden_spending, OTHER_SHARE, rng)).astype(np.float32),
        "spend_usual": spend_usual.astype(np.float32),
        "issuer_score": np.where(rng.random(n_rows) < MISSING_SCORE_SHARE, np.nan, score).astype(np.float32),
    }


def _draw_pair(differ: Array, n_levels: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw two uniform columns of codes that differ in these rows and are equal in all others."""
    first = rng.integers(n_levels, size=len(differ), dtype=np.int8)
    step = rng.integers(1, n_levels, size=len(differ), dtype=np.int8)
    return first, np.where(differ, (first + step) % n_levels, first)


def _draw_amount_and_hour(large_at_night: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw large amounts at night in these rows; in all others, amounts that are large only by day."""
    n_rows = len(large_at_night)
    night = large_at_night | (rng.random(n_rows) < NIGHT_SHARE)
    large = large_at_night | (~night & (rng.random(n_rows) < LARGE_SHARE))
    cents = np.ceil(
        100 * MEDIAN_AMOUNT * _draw_skewed(large, LARGE_SHARE, rng)
    )  # rounded up, to stay above the threshold
    hour_at_night = rng.integers(NIGHT_END_HOUR, size=n_rows, dtype=np.int8)
    hour_at_day = rng.integers(NIGHT_END_HOUR, 24, size=n_rows, dtype=np.int8)
    return cents / 100, np.where(night, hour_at_night, hour_at_day)


def _draw_skewed(high: Array, share: float, rng: np.random.Generator) -> Array:
    """Draw from the top ``share`` of a log-logistic distribution of median 1 in these rows, from the rest in others."""
    uniform = rng.random(len(high))
    quantiles = np.where(high, 1 - share * uniform, (1 - share) * uniform)
    skewed: Array = np.sqrt(quantiles / (1 - quantiles))
    return skewed
