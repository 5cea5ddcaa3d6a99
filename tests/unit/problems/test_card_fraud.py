"""Card payments: rows that do not depend on how they are read, and a truth that is as promised."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, ks_2samp, spearmanr

from minerva_select.data.frames import as_table
from minerva_select.errors import InputError
from minerva_select.preprocessing import copies, find_kinds
from minerva_select.problems import CARD_FRAUD_MECHANISMS, Problem, card_fraud, card_fraud_chunks

EQUALITIES = [("card_user", "device_user"), ("billing_country", "ip_country")]
RATE = 0.1  # many frauds in few rows; what a fraud looks like does not depend on it


@pytest.fixture(scope="module")
def payments() -> Problem:
    return card_fraud(60_000, n_features=60, rate=RATE)


def signs(x: pd.DataFrame) -> pd.DataFrame:
    """Say of every payment which of the four yes-or-no signs it has."""
    return pd.DataFrame(
        {
            "foreign_device": x["card_user"] != x["device_user"],
            "foreign_address": x["billing_country"] != x["ip_country"],
            "large_at_night": (x["amount"] > 120) & (x["hour"] < 6),
            "sudden_spending": x["spend_today"] > np.sqrt(99) * x["spend_usual"],
        }
    )


def chance_of_fraud(x: pd.DataFrame, rate: float) -> np.ndarray:
    """Return P(y = 1 | x) by Bayes' rule, from the description alone."""
    score = x["issuer_score"].to_numpy(np.float64)
    ratio = np.where(np.isnan(score), 1, 1000 * (((score + 1) / 1000) ** 5 - (score / 1000) ** 5))
    for sign in signs(x).to_numpy().T:
        ratio *= np.where(sign, 0.6 / 0.01, 0.4 / 0.99)
    odds = rate / (1 - rate) * (0.07 + 0.93 * ratio)
    return odds / (1 + odds)


def numbers(x: pd.DataFrame) -> pd.DataFrame:
    """Put codes for categories, and -1 for gaps."""
    return x.apply(lambda column: column.cat.codes if column.dtype == "category" else column.astype(float).fillna(-1))


@pytest.mark.parametrize("chunk_size", [1_300, 10_000, 12_345, 30_000])
def test_chunks_of_any_size_join_to_the_whole(chunk_size):
    whole = card_fraud(23_456, n_features=30, rate=0.01, random_state=3)
    chunks = list(card_fraud_chunks(23_456, n_features=30, rate=0.01, chunk_size=chunk_size, random_state=3))
    assert [len(chunk.y) for chunk in chunks[:-1]] == [chunk_size] * (len(chunks) - 1)
    assert pd.concat([chunk.X for chunk in chunks]).equals(whole.X)
    assert pd.concat([chunk.y for chunk in chunks]).equals(whole.y)
    assert {(chunk.name, chunk.relevant) for chunk in chunks} == {("card_fraud", whole.relevant)}
    assert all(dict(chunk.stand_ins) == dict(whole.stand_ins) for chunk in chunks)


def test_a_small_table_is_the_head_of_a_large_one():
    small, large = (card_fraud(n, n_features=30, random_state=5) for n in (100, 15_000))
    assert small.X.equals(large.X.head(100))
    assert small.y.equals(large.y.head(100))


def test_blocks_of_rows_differ():
    x = card_fraud(20_000, n_features=9).X
    assert not x["amount"][:10_000].equals(x["amount"][10_000:].reset_index(drop=True))


def test_seeds_move_the_columns():
    one, two = card_fraud(10, random_state=1).X, card_fraud(10, random_state=2).X
    assert set(one) == set(two)
    assert list(one) != list(two)


@pytest.mark.parametrize("rate", [0.001, 0.02, 0.5])
def test_frauds_are_as_frequent_as_asked_for(rate):
    n_samples = 200_000
    # Five standard deviations of a share.
    tolerance = 5 * np.sqrt(rate * (1 - rate) / n_samples)
    assert card_fraud(n_samples, n_features=9, rate=rate).y.mean() == pytest.approx(rate, abs=tolerance)


def test_mechanisms_are_the_relevant_columns(payments):
    listed = [name for names in CARD_FRAUD_MECHANISMS.values() for name in names]
    assert sorted(listed) == sorted(payments.relevant)
    assert len(set(listed)) == 9


def test_signs_are_as_frequent_as_described(payments):
    shares = signs(payments.X).groupby(payments.y).mean()
    # Standard deviations: 0.0004 among 54,000 other payments, 0.0064 among 6,000 frauds; five of them.
    np.testing.assert_allclose(shares.loc[0], 0.01, atol=0.0022)
    np.testing.assert_allclose(shares.loc[1], 0.93 * 0.6 + 0.07 * 0.01, atol=0.032)


def test_best_model_has_a_middling_precision_and_needs_every_sign():
    """The figures of the documentation: the average precision of the true chances, summed over all states."""
    score = np.arange(1001) / 1000  # the last one stands for a gap
    ordinary = np.append(np.full(1000, 0.95 / 1000), 0.05)
    suspect = np.append(0.95 * np.diff(score**5), 0.05)
    precision = {}
    for n_signs, score_in_fraud in [(4, suspect), (3, suspect), (4, ordinary)]:
        states = np.array(list(itertools.product([False, True], repeat=n_signs)))
        other = np.outer(np.where(states, 0.01, 0.99).prod(axis=1), ordinary).ravel()
        fraud = 0.07 * other + 0.93 * np.outer(np.where(states, 0.6, 0.4).prod(axis=1), score_in_fraud).ravel()
        likeliest = np.argsort(-fraud / other)
        fraud, other = 0.001 * fraud[likeliest], 0.999 * other[likeliest]
        found = fraud.cumsum() / (fraud + other).cumsum()
        precision[n_signs, score_in_fraud is suspect] = (found * fraud).sum() / 0.001
    assert precision[4, True] == pytest.approx(0.75, abs=0.005)
    assert precision[3, True] == pytest.approx(0.62, abs=0.005)
    assert precision[4, False] == pytest.approx(0.68, abs=0.005)


def test_chance_of_fraud_follows_from_the_relevant_columns(payments):
    chance = chance_of_fraud(payments.X, RATE)
    bins = np.digitize(chance, [0.01, 0.02, 0.05, 0.1, 0.3, 0.7, 0.95])
    found = pd.DataFrame({"y": payments.y, "chance": chance}).groupby(bins).agg(["mean", "size"])
    assert len(found) == 8
    # Five standard deviations of a share of that many rows.
    off = np.abs(found["y", "mean"] - found["chance", "mean"])
    assert (off < 5 * np.sqrt(found["chance", "mean"] / found["y", "size"])).all()


@pytest.mark.parametrize("name", [name for names in CARD_FRAUD_MECHANISMS.values() for name in names])
def test_every_relevant_column_is_needed_beside_the_others(payments, name):
    shuffled = payments.X[name].sample(frac=1, random_state=0).array
    chances = [chance_of_fraud(x, RATE) for x in (payments.X, payments.X.assign(**{name: shuffled}))]
    true, without = (np.log(np.where(payments.y == 1, chance, 1 - chance)) for chance in chances)
    # H(y) is 0.33 nats; a column whose order does not matter loses nothing, up to a standard deviation below 0.001.
    assert (true - without).mean() > 0.02


@pytest.mark.parametrize("pair", EQUALITIES)
def test_columns_of_an_equality_say_nothing_alone(payments, pair):
    for name in pair:
        assert chi2_contingency(pd.crosstab(payments.X[name], payments.y)).pvalue > 0.01
    equal = payments.X[pair[0]] == payments.X[pair[1]]
    assert chi2_contingency(pd.crosstab(equal, payments.y)).pvalue < 1e-100


def test_usual_spending_says_nothing_alone(payments):
    usual, fraud = payments.X["spend_usual"], payments.y == 1
    assert ks_2samp(usual[fraud], usual[~fraud]).pvalue > 0.01


def test_filler_knows_nothing_of_y_nor_of_relevant_columns(payments):
    made = {name for names in payments.stand_ins.values() for name in names}
    x, y = payments.X.head(20_000), payments.y.head(20_000)
    filler = numbers(x.drop(columns=[*payments.relevant, *made]))
    known = numbers(x[list(payments.relevant)]).assign(y=y)
    correlations = spearmanr(filler, known).statistic[: filler.shape[1], filler.shape[1] :]
    # Of independent columns they have standard deviation 1 / sqrt(20,000) = 0.0071; five of them.
    assert np.abs(correlations).max() < 0.0355


def test_filler_has_blocks_that_have_to_do_with_each_other(payments):
    x = payments.X[["velocity_1", "velocity_2", "bureau_1", "bureau_2"]]
    # Correlations of at least 0.5 with what they share make 0.25 with each other; less what the ranks and gaps take.
    assert x.corr("spearman").to_numpy().min() > 0.15
    assert x["bureau_1"].isna().equals(x["bureau_2"].isna())


def test_stand_ins_follow_their_original(payments):
    x = payments.X
    table = as_table(x)
    assert copies(table, find_kinds(table)) == {
        "account": "card_user",
        "phone_prefix": "billing_country",
        "amount_eur": "amount",
        "hour_utc": "hour",
        "scheme_score": "issuer_score",
    }
    for original, monotone in [("amount", "amount_log"), ("spend_usual", "spend_usual_usd")]:
        # Short floats let a few neighbours fall together.
        assert x[monotone].corr(x[original], "spearman") == pytest.approx(1, abs=1e-9)
    for original, coarse in [("ip_country", "ip_region"), ("hour", "daypart"), ("issuer_score", "issuer_grade")]:
        assert (x.groupby(original, observed=True, dropna=False)[coarse].nunique(dropna=False) == 1).all()
        assert x[coarse].nunique() < x[original].nunique()
    for original, noisy in [("amount", "fee"), ("spend_today", "spend_week")]:
        assert 0.9 < x[original].corr(x[noisy], "spearman") < 0.99
    # 10% are drawn anew, of which one in 24 is the same; a share of 60,000 has standard deviation 0.0012, four of them.
    assert (x["device_user"] == x["wifi_user"]).mean() == pytest.approx(0.9 + 0.1 / 24, abs=0.005)


def test_originals_stand_before_what_is_made_from_them(payments):
    place = {name: number for number, name in enumerate(payments.X.columns)}
    for original, made in payments.stand_ins.items():
        places = [place[name] for name in (original, *made)]
        assert places == sorted(places)


def test_columns_are_short_and_of_many_kinds():
    x = card_fraud(20_000).X
    kinds = x.dtypes.map(lambda dtype: "category" if isinstance(dtype, pd.CategoricalDtype) else str(dtype))
    assert set(kinds) == {"float32", "int8", "int16", "bool", "category"}
    assert all(pd.api.types.is_string_dtype(dtype.categories.dtype) for dtype in x.dtypes[kinds == "category"])
    assert x.memory_usage(index=False).sum() / x.size < 3  # bytes a cell
    assert (x["merchant"].nunique(), x["zip_code"].nunique()) > (4_000, 2_000)
    # A share of 20,000 rows has standard deviation 0.0015; five of them.
    assert x["issuer_score"].isna().mean() == pytest.approx(0.05, abs=0.0077)
    gaps = x.isna().mean()
    assert (gaps > 0).sum() > 30
    assert gaps.max() < 0.5
    assert not np.isinf(x.select_dtypes("float32")).any(axis=None)


def test_a_problem_can_be_sent_to_another_process(payments):
    assert pickle.loads(pickle.dumps(payments)).stand_ins == payments.stand_ins


def test_few_columns_are_the_relevant_ones_and_more_come_with_filler():
    assert set(card_fraud(10, n_features=9).X) == set(card_fraud(10, n_features=9).relevant)
    assert dict(card_fraud(10, n_features=9).stand_ins) == {}
    for n_features in (10, 15, 400):
        assert card_fraud(10, n_features=n_features).X.shape == (10, n_features)
    assert sum(map(len, card_fraud(10, n_features=15).stand_ins.values())) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_features": 8}, r"n_features is 8; pass a whole number of 9 or more\."),
        ({"rate": 0}, r"rate is 0; pass a number above 0 and below 1\."),
        ({"rate": 1.0}, r"rate is 1\.0; pass a number above 0 and below 1\."),
        ({"chunk_size": 0}, r"chunk_size is 0; pass a whole number of 1 or more\."),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_the_first_chunk(arguments, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        card_fraud_chunks(100, **arguments)
