"""Card payments: reproducible rows, and fraud patterns with the documented probabilities."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, ks_2samp, spearmanr

from minerva_select.data.frames import as_table
from minerva_select.errors import InputError
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.duplicates import find_duplicates
from minerva_select.problems import Problem, card_fraud
from minerva_select.problems._card_fraud import PaymentGenerator

EQUALITIES = [("card_user", "device_user"), ("billing_country", "ip_country")]
RELEVANT = (
    *("card_user", "device_user", "billing_country", "ip_country", "amount", "hour"),
    *("spend_today", "spend_usual", "issuer_score"),
)
RATE = 0.1  # many frauds in few rows; the patterns of a fraud do not depend on the rate


@pytest.fixture(scope="module")
def payments() -> Problem:
    return card_fraud(60_000, n_features=60, rate=RATE)


def find_patterns(x: pd.DataFrame) -> pd.DataFrame:
    """Return which of the four binary patterns each payment shows."""
    return pd.DataFrame(
        {
            "foreign_device": x["card_user"] != x["device_user"],
            "foreign_address": x["billing_country"] != x["ip_country"],
            "large_at_night": (x["amount"] > 120) & (x["hour"] < 6),
            "sudden_spending": x["spend_today"] > np.sqrt(99) * x["spend_usual"],
        }
    )


def fraud_probability(x: pd.DataFrame, rate: float) -> np.ndarray:
    """Return P(y = 1 | x) by Bayes' rule, from the documented distribution."""
    score = x["issuer_score"].to_numpy(np.float64)
    ratio = np.where(np.isnan(score), 1, 1000 * (((score + 1) / 1000) ** 5 - (score / 1000) ** 5))
    for pattern in find_patterns(x).to_numpy().T:
        ratio *= np.where(pattern, 0.6 / 0.01, 0.4 / 0.99)
    odds = rate / (1 - rate) * (0.07 + 0.93 * ratio)
    return odds / (1 + odds)


def as_numbers(x: pd.DataFrame) -> pd.DataFrame:
    """Replace categories by their codes and missing values by -1."""
    return x.apply(lambda column: column.cat.codes if column.dtype == "category" else column.astype(float).fillna(-1))


@pytest.mark.parametrize("chunk_size", [1_300, 10_000, 12_345, 30_000])
def test_chunks_of_any_size_add_up_to_the_table(chunk_size):
    whole = card_fraud(23_456, n_features=30, rate=0.01, random_state=3)
    payments = PaymentGenerator.create(n_features=30, rate=0.01, random_state=3)
    starts = range(0, 23_456, chunk_size)
    chunks = [payments.draw(range(start, min(start + chunk_size, 23_456))) for start in starts]
    assert pd.concat([chunk.X for chunk in chunks]).equals(whole.X)
    assert pd.concat([chunk.y for chunk in chunks]).equals(whole.y)
    assert {(chunk.name, chunk.relevant) for chunk in chunks} == {("card_fraud", whole.relevant)}
    assert all(dict(chunk.proxies) == dict(whole.proxies) for chunk in chunks)


def test_a_small_table_is_the_head_of_a_large_one():
    small, large = (card_fraud(n, n_features=30, random_state=5) for n in (100, 15_000))
    assert small.X.equals(large.X.head(100))
    assert small.y.equals(large.y.head(100))


def test_blocks_of_rows_differ():
    x = card_fraud(20_000, n_features=9).X
    assert not x["amount"][:10_000].equals(x["amount"][10_000:].reset_index(drop=True))


def test_the_seed_changes_the_order_of_the_columns():
    one, two = card_fraud(10, random_state=1).X, card_fraud(10, random_state=2).X
    assert set(one) == set(two)
    assert list(one) != list(two)


@pytest.mark.parametrize("rate", [0.001, 0.02, 0.5])
def test_the_share_of_frauds_is_the_rate(rate):
    n_samples = 200_000
    # Five standard deviations of a share.
    tolerance = 5 * np.sqrt(rate * (1 - rate) / n_samples)
    assert card_fraud(n_samples, n_features=9, rate=rate).y.mean() == pytest.approx(rate, abs=tolerance)


def test_the_nine_columns_of_the_patterns_are_relevant(payments):
    assert sorted(payments.relevant) == sorted(RELEVANT)


def test_patterns_have_the_documented_probabilities(payments):
    shares = find_patterns(payments.X).groupby(payments.y).mean()
    # Five standard deviations: of 0.0004 for 54,000 other payments, of 0.0064 for 6,000 frauds.
    np.testing.assert_allclose(shares.loc[0], 0.01, atol=0.0022)
    np.testing.assert_allclose(shares.loc[1], 0.93 * 0.6 + 0.07 * 0.01, atol=0.032)


def test_optimal_average_precision_is_as_documented_and_needs_every_pattern():
    """Average precision of the true fraud probability, summed over all states."""
    score = np.arange(1001) / 1000  # the last one is a missing score
    score_of_others = np.append(np.full(1000, 0.95 / 1000), 0.05)
    score_of_frauds = np.append(0.95 * np.diff(score**5), 0.05)
    precision = {}
    for n_patterns, score_in_fraud in [(4, score_of_frauds), (3, score_of_frauds), (4, score_of_others)]:
        states = np.array(list(itertools.product([False, True], repeat=n_patterns)))
        other = np.outer(np.where(states, 0.01, 0.99).prod(axis=1), score_of_others).ravel()
        fraud = 0.07 * other + 0.93 * np.outer(np.where(states, 0.6, 0.4).prod(axis=1), score_in_fraud).ravel()
        likeliest = np.argsort(-fraud / other)
        fraud, other = 0.001 * fraud[likeliest], 0.999 * other[likeliest]
        at_threshold = fraud.cumsum() / (fraud + other).cumsum()
        precision[n_patterns, score_in_fraud is score_of_frauds] = (at_threshold * fraud).sum() / 0.001
    assert precision[4, True] == pytest.approx(0.75, abs=0.005)
    assert precision[3, True] == pytest.approx(0.62, abs=0.005)
    assert precision[4, False] == pytest.approx(0.68, abs=0.005)


def test_fraud_probability_follows_from_the_relevant_columns(payments):
    probability = fraud_probability(payments.X, RATE)
    bins = np.digitize(probability, [0.01, 0.02, 0.05, 0.1, 0.3, 0.7, 0.95])
    found = pd.DataFrame({"y": payments.y, "expected": probability}).groupby(bins).agg(["mean", "size"])
    assert len(found) == 8
    # Five standard deviations of a share of that many rows.
    error = np.abs(found["y", "mean"] - found["expected", "mean"])
    assert (error < 5 * np.sqrt(found["expected", "mean"] / found["y", "size"])).all()


@pytest.mark.parametrize("name", RELEVANT)
def test_every_relevant_column_is_needed_given_the_others(payments, name):
    shuffled = payments.X[name].sample(frac=1, random_state=0).array
    probabilities = [fraud_probability(x, RATE) for x in (payments.X, payments.X.assign(**{name: shuffled}))]
    true, without = (np.log(np.where(payments.y == 1, p, 1 - p)) for p in probabilities)
    # H(y) is 0.33 nats; permuting an irrelevant column would lose nothing, up to a standard deviation below 0.001.
    assert (true - without).mean() > 0.02


@pytest.mark.parametrize("pair", EQUALITIES)
def test_the_columns_of_an_equality_are_uninformative_alone(payments, pair):
    for name in pair:
        assert chi2_contingency(pd.crosstab(payments.X[name], payments.y)).pvalue > 0.01
    equal = payments.X[pair[0]] == payments.X[pair[1]]
    assert chi2_contingency(pd.crosstab(equal, payments.y)).pvalue < 1e-100


def test_usual_spending_is_uninformative_alone(payments):
    usual, fraud = payments.X["spend_usual"], payments.y == 1
    assert ks_2samp(usual[fraud], usual[~fraud]).pvalue > 0.01


def test_noise_is_independent_of_y_and_of_the_relevant_columns(payments):
    proxies = {name for names in payments.proxies.values() for name in names}
    x, y = payments.X.head(20_000), payments.y.head(20_000)
    noise = as_numbers(x.drop(columns=[*payments.relevant, *proxies]))
    others = as_numbers(x[list(payments.relevant)]).assign(y=y)
    correlations = spearmanr(noise, others).statistic[: noise.shape[1], noise.shape[1] :]
    # Five standard deviations, each 1 / sqrt(20,000) = 0.0071 for independent columns.
    assert np.abs(correlations).max() < 0.0355


def test_noise_columns_of_a_group_are_correlated(payments):
    x = payments.X[["velocity_1", "velocity_2", "bureau_1", "bureau_2"]]
    # Correlations of at least 0.5 with a shared variable give 0.25 between columns, less with missing values.
    assert x.corr("spearman").to_numpy().min() > 0.15
    assert x["bureau_1"].isna().equals(x["bureau_2"].isna())


def test_proxies_are_exact_monotone_coarse_or_noisy_copies(payments):
    x = payments.X
    table = as_table(x)
    assert find_duplicates(table, infer_column_types(table)) == {
        "account": "card_user",
        "phone_prefix": "billing_country",
        "amount_eur": "amount",
        "hour_utc": "hour",
        "scheme_score": "issuer_score",
    }
    for original, monotone in [("amount", "amount_log"), ("spend_usual", "spend_usual_usd")]:
        # Rounding to float32 makes a few neighbors equal.
        assert x[monotone].corr(x[original], "spearman") == pytest.approx(1, abs=1e-9)
    for original, coarse in [("ip_country", "ip_region"), ("hour", "daypart"), ("issuer_score", "issuer_grade")]:
        assert (x.groupby(original, observed=True, dropna=False)[coarse].nunique(dropna=False) == 1).all()
        assert x[coarse].nunique() < x[original].nunique()
    for original, noisy in [("amount", "fee"), ("spend_today", "spend_week")]:
        assert 0.9 < x[original].corr(x[noisy], "spearman") < 0.99
    # 10% are random, 1 in 24 of them equal by chance; the tolerance is four standard deviations of 0.0012.
    assert (x["device_user"] == x["wifi_user"]).mean() == pytest.approx(0.9 + 0.1 / 24, abs=0.005)


def test_originals_come_before_their_proxies(payments):
    for original, derived in payments.proxies.items():
        positions = [payments.X.columns.get_loc(name) for name in (original, *derived)]
        assert positions == sorted(positions)


def test_columns_are_compact_and_of_many_types():
    x = card_fraud(20_000).X
    types = x.dtypes.map(lambda dtype: "category" if isinstance(dtype, pd.CategoricalDtype) else str(dtype))
    assert set(types) == {"float32", "int8", "int16", "bool", "category"}
    assert all(pd.api.types.is_string_dtype(dtype.categories.dtype) for dtype in x.dtypes[types == "category"])
    assert x.memory_usage(index=False).sum() / x.size < 3  # bytes per cell
    assert (x["merchant"].nunique(), x["zip_code"].nunique()) > (4_000, 2_000)
    # Five standard deviations, each 0.0015 for a share of 20,000 rows.
    assert x["issuer_score"].isna().mean() == pytest.approx(0.05, abs=0.0077)
    missing = x.isna().mean()
    assert (missing > 0).sum() > 30
    assert missing.max() < 0.5
    assert not np.isinf(x.select_dtypes("float32")).any(axis=None)


def test_a_problem_can_be_pickled(payments):
    assert pickle.loads(pickle.dumps(payments)).proxies == payments.proxies


def test_a_table_of_nine_columns_has_only_the_relevant_ones():
    assert set(card_fraud(10, n_features=9).X) == set(card_fraud(10, n_features=9).relevant)
    assert dict(card_fraud(10, n_features=9).proxies) == {}
    for n_features in (10, 15, 400):
        assert card_fraud(10, n_features=n_features).X.shape == (10, n_features)
    assert sum(map(len, card_fraud(10, n_features=15).proxies.values())) == 3


@pytest.mark.parametrize(("name", "value"), [("n_features", 8), ("rate", 0), ("rate", 1.0), ("rate", "high")])
def test_invalid_parameters_are_rejected(name, value):
    with pytest.raises(InputError, match=f"^{name} "):
        card_fraud(100, **{name: value})
