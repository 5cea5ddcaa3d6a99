import pytest
import torch

from minerva_select.mi.feature_weights import FeatureWeights
from minerva_select.mi.objective import sparsity_ratio

CPU = torch.device("cpu")


def step(weights, gradient, rate=0.25, **limit):
    weights.values.grad = torch.tensor(gradient)
    weights.step_(rate, **limit)


def test_weights_start_at_one():
    assert FeatureWeights([0, 1, 2], CPU).by_feature().tolist() == [1.0, 1.0, 1.0]


def test_the_step_is_a_plain_gradient_step_while_weights_stay_positive():
    weights = FeatureWeights([0, 1], CPU)
    step(weights, [0.5, -1.0])
    assert weights.values.tolist() == [1 - 0.25 * 0.5, 1 + 0.25]


def test_no_weight_changes_by_more_than_a_share_of_the_norm():
    weights = FeatureWeights([0, 1, 2, 3], CPU)  # norm 2
    step(weights, [40.0, -8.0, 0.2, 0.0], max_share=0.05)
    assert weights.values.tolist() == pytest.approx([0.9, 1.1, 1 - 0.25 * 0.2, 1.0])


def test_a_pushed_weight_reaches_exactly_zero_and_stays_there():
    weights = FeatureWeights([0, 1], CPU)
    seen = []
    for _ in range(6):
        step(weights, [1.5, 0.0])  # 0.375 per step: the third step would pass zero
        seen.append(float(weights.values[0].detach()))
    assert seen == [0.625, 0.25, 0.0, 0.0, 0.0, 0.0]
    assert weights.n_kept == 1


def test_a_zero_weight_returns_only_if_the_gradient_of_the_bound_exceeds_the_penalty():
    weights = FeatureWeights([0, 1], CPU)
    with torch.no_grad():
        weights.values[0] = 0.0
    for pull, back in ((0.9, False), (1.1, True)):
        # At p = (0, 1) the gradient of the ratio for the first weight is 1 / ||p|| = 1.
        (sparsity_ratio(weights.values) - pull * weights.values[0]).backward()
        weights.step_(0.5)
        assert (float(weights.values[0].detach()) > 0) is back


def test_the_penalty_alone_brings_all_weights_except_the_largest_to_zero():
    weights = FeatureWeights([0, 1, 2], CPU)
    with torch.no_grad():
        weights.values.copy_(torch.tensor([0.9, 1.0, 0.8]))
    for _ in range(200):
        sparsity_ratio(weights.values).backward()
        weights.step_(0.05)
    assert (weights.values == 0).tolist() == [True, False, True]


def test_grouped_features_share_one_weight_and_its_gradient():
    weights = FeatureWeights([0, 1, 0], CPU)
    (weights.by_feature() * torch.tensor([1.0, 10.0, 2.0])).sum().backward()
    assert weights.values.grad.tolist() == [3.0, 10.0]
    weights.step_(0.1)
    first, second, third = weights.by_feature().tolist()
    assert first == third == pytest.approx(0.7)
    assert second == 0.0
    assert weights.n_kept == 2


def test_a_step_clears_its_gradient():
    weights = FeatureWeights([0], CPU)
    step(weights, [1.0])
    with pytest.raises(ValueError, match="backward"):
        weights.step_(0.25)
