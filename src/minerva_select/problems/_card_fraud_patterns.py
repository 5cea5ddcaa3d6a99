"""The signs of a card fraud: the columns that know, drawn from whether a payment is one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from minerva_select.schema import Array

SIGNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "foreign_device": ("card_user", "device_user"),
        "foreign_address": ("billing_country", "ip_country"),
        "large_at_night": ("amount", "hour"),
        "sudden_spending": ("spend_today", "spend_usual"),
        "risk_score": ("issuer_score",),
    }
)

N_USERS = 24  # hashes of user names, as a bank would keep them
COUNTRIES = ("AT", "BE", "CH", "DE", "DK", "ES", "FI", "FR", "GB", "IE", "IT", "LU", "NL", "NO", "PT", "SE")

# At a rate of 0.001 these let the best of all models reach a PR-AUC of 0.75; without one of the signs, 0.62 to 0.68.
SHARE_IN_FRAUD = 0.6
SHARE_ELSEWHERE = 0.01
UNMARKED_SHARE = 0.07
SCORE_POWER = 5

NIGHT_ENDS = 6
NIGHT_SHARE = 0.1
LARGE_SHARE = 0.1
MEDIAN_AMOUNT = 40.0
SCORE_GAPS = 0.05


def draw_signs(fraud: Array, rng: np.random.Generator) -> dict[str, Array]:
    """Draw the relevant columns of some rows; users and countries as codes.

    Given its signs a row is drawn without a look at ``fraud``, so that the signs are all there is to know.
    """
    n_rows = len(fraud)
    marked = fraud & (rng.random(n_rows) >= UNMARKED_SHARE)
    shares = np.where(marked, SHARE_IN_FRAUD, SHARE_ELSEWHERE)
    foreign_device, foreign_address, large_at_night, sudden_spending = rng.random((4, n_rows)) < shares
    card_user, device_user = _draw_pair(foreign_device, N_USERS, rng)
    billing_country, ip_country = _draw_pair(foreign_address, len(COUNTRIES), rng)
    amount, hour = _draw_amount_and_hour(large_at_night, rng)
    spend_usual = np.exp(4 + rng.standard_normal(n_rows))
    score = np.floor(1000 * rng.random(n_rows) ** np.where(marked, 1 / SCORE_POWER, 1))
    return {
        "card_user": card_user,
        "device_user": device_user,
        "billing_country": billing_country,
        "ip_country": ip_country,
        "amount": amount.astype(np.float32),
        "hour": hour,
        "spend_today": (spend_usual * _draw_skewed(sudden_spending, SHARE_ELSEWHERE, rng)).astype(np.float32),
        "spend_usual": spend_usual.astype(np.float32),
        "issuer_score": np.where(rng.random(n_rows) < SCORE_GAPS, np.nan, score).astype(np.float32),
    }


def _draw_pair(differ: Array, n_levels: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw two columns of codes that differ in these rows and are equal elsewhere; each is uniform in both."""
    first = rng.integers(n_levels, size=len(differ), dtype=np.int8)
    step = rng.integers(1, n_levels, size=len(differ), dtype=np.int8)
    return first, np.where(differ, (first + step) % n_levels, first)


def _draw_amount_and_hour(large_at_night: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw large amounts at night in these rows; elsewhere some at day, and nights with small ones."""
    n_rows = len(large_at_night)
    night = large_at_night | (rng.random(n_rows) < NIGHT_SHARE)
    large = large_at_night | (~night & (rng.random(n_rows) < LARGE_SHARE))
    cents = np.ceil(100 * MEDIAN_AMOUNT * _draw_skewed(large, LARGE_SHARE, rng))  # up, to stay above the limit
    hour_at_night = rng.integers(NIGHT_ENDS, size=n_rows, dtype=np.int8)
    hour_at_day = rng.integers(NIGHT_ENDS, 24, size=n_rows, dtype=np.int8)
    return cents / 100, np.where(night, hour_at_night, hour_at_day)


def _draw_skewed(high: Array, share: float, rng: np.random.Generator) -> Array:
    """Draw from the upper ``share`` of a log-logistic law of median 1 in these rows, from the rest of it elsewhere."""
    ranks = rng.random(len(high))
    ranks = np.where(high, 1 - share * ranks, (1 - share) * ranks)
    skewed: Array = np.sqrt(ranks / (1 - ranks))
    return skewed
