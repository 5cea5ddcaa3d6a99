"""Claims about the size of a fit."""

import itertools

from minerva_select.config import FitConfig

SIZES = [10, 99, 100, 999, 1000, 4999, 5000, 19_999, 20_000, 3_000_000]


def test_fewer_rows_get_smaller_critics_and_more_regularization():
    configs = [FitConfig.for_rows(n_rows) for n_rows in SIZES]
    for smaller, larger in itertools.pairwise(configs):
        assert smaller.width <= larger.width
        assert smaller.dropout >= larger.dropout
        assert smaller.schedule.weight_decay >= larger.schedule.weight_decay
        assert smaller.schedule.batch_size <= larger.schedule.batch_size
        assert smaller.max_threads <= larger.max_threads
    assert all(config.n_folds >= 1 and config.n_members >= 1 and 0 <= config.dropout < 1 for config in configs)
    # Every member has its own part to tune on, and other parts to train on
    assert all(1 < config.n_tune_parts >= config.n_members for config in configs)


def test_a_long_table_with_a_rare_class_holds_out_every_row_once():
    plain, rare = FitConfig.for_rows(50_000), FitConfig.for_rows(50_000, 300)
    assert plain.n_folds == 1 < rare.n_folds
    assert rare.width < plain.width
    assert rare.schedule.weight_decay > plain.schedule.weight_decay
    assert FitConfig.for_rows(50_000, 60_000) == plain
    assert FitConfig.for_rows(2_000, 10) == FitConfig.for_rows(2_000)


def test_only_folds_with_one_member_encode_pairs():
    # The training rows of several members contain the rows that each of them tunes on
    configs = [FitConfig.for_rows(n_rows) for n_rows in SIZES] + [FitConfig.for_rows(50_000, 300)]
    assert all(config.n_members == 1 for config in configs if config.n_pairs)
    assert any(config.n_pairs for config in configs)
