import dataclasses
import math

import pytest
import torch

from minerva_select.config import PaperSettings
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.feature_weights import FeatureWeights
from minerva_select.mi.inference import MeanEstimate
from minerva_select.mi.objective import Loss
from minerva_select.mi.training_loop import TrainingContext, TrainingResult
from minerva_select.results import TrainingRecord
from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.rng import seeded_rng
from minerva_select.solvers import paper
from minerva_select.solvers.paper import solve_paper

CPU = torch.device("cpu")
FEW_STEPS = PaperSettings(batch_size=32, max_steps_learn=4, max_steps_sparsify=4)


def rows_of(codes, n_levels):
    return Rows(
        torch.empty(len(codes), 0), codes, ColumnLayout(0, (n_levels,) * codes.shape[1], tuple(range(codes.shape[1])))
    )


def equality(n_rows, n_features=6, n_levels=3, seed=0):
    """A small Experiment A: y is whether columns 1 and 4 are equal."""
    codes = torch.randint(n_levels, (n_rows, n_features), generator=torch.Generator().manual_seed(seed))
    return rows_of(codes, n_levels), rows_of((codes[:, 1] == codes[:, 4]).long().unsqueeze(1), 2)


def solve(n_rows=200, settings=FEW_STEPS, units=range(6), seed=0, seconds=None, held_out=None):
    x, y = equality(n_rows)
    with seeded_rng(seed, CPU) as generator:
        context = TrainingContext(generator, Deadline(seconds))
        return solve_paper(x, y, held_out or equality(n_rows, seed=1), list(units), settings, context)


@pytest.fixture
def stages(monkeypatch):
    """Schedule, losses and parameters of each stage."""
    seen = []
    original = paper.train

    def spy(critic, batch_loss, held_out_bound, schedule, context, *, stage, options):
        found = {"start": critic.snapshot(), "losses": [], "schedule": schedule}
        seen.append(found)

        def spied_loss():
            found["losses"].append(batch_loss())
            return found["losses"][-1]

        def spied_step():
            options.after_step()
            found["last"] = critic.snapshot()

        spied = dataclasses.replace(options, after_step=spied_step)
        result = original(critic, spied_loss, held_out_bound, schedule, context, stage=stage, options=spied)
        found["end"] = critic.snapshot()
        found["records"] = result.records
        return result

    monkeypatch.setattr(paper, "train", spy)
    return seen


@pytest.fixture
def batches(monkeypatch):
    """Every batch that was scored, with its weights."""
    seen = []
    original = paper.score_joint_and_marginal

    def spy(critic, x, y, weights, generator):
        seen.append((x, y, weights.detach().clone()))
        return original(critic, x, y, weights, generator)

    monkeypatch.setattr(paper, "score_joint_and_marginal", spy)
    return seen


def test_stage_two_starts_from_the_network_of_stage_one(stages):
    solve()
    learn, sparsify = stages
    assert not torch.equal(learn["start"], learn["end"])
    assert torch.equal(learn["end"], sparsify["start"])
    assert not torch.equal(sparsify["start"], sparsify["end"])


def test_stage_two_ends_with_its_last_network_not_with_the_best_one(stages):
    # Held-out rows with inverted targets: the more is learned, the lower their bound
    settings = PaperSettings(sparsity=0.0, learning_rate=0.01, batch_size=32, max_steps_learn=1, max_steps_sparsify=100)
    x, y = equality(200, seed=1)
    solve(settings=settings, held_out=(x, rows_of(1 - y.codes, 2)))
    _, sparsify = stages
    bounds = [record.held_out_bound for record in sparsify["records"]]
    assert max(bounds) > bounds[-1]
    assert torch.equal(sparsify["end"], sparsify["last"])


@pytest.mark.parametrize(("sparsity", "ends_early"), [(5.0, True), (0.0, False)])
def test_stage_two_ends_when_some_weights_are_zero_and_the_others_have_settled(stages, sparsity, ends_early):
    # A penalty of 5 leaves one weight after a few steps; without a penalty none becomes zero
    settings = PaperSettings(
        sparsity=sparsity, norm_drift=0.0, batch_size=32, max_steps_learn=1, max_steps_sparsify=500, settled_after=2
    )
    solution = solve(settings=settings)
    assert (len(stages[1]["losses"]) < 500) == ends_early
    assert (solution.records[-1].n_features < 6) == ends_early


def test_stage_two_is_repeated_with_half_the_penalty_if_information_is_lost(stages, monkeypatch):
    # An untrained critic has a bound near 0, far below this one of stage one
    monkeypatch.setattr(paper._Model, "estimate", lambda *_: MeanEstimate(1.0, 0.1))
    solution = solve(settings=dataclasses.replace(FEW_STEPS, sparsity=0.4, max_attempts=3))
    learn, *attempts = stages
    assert all(torch.equal(attempt["start"], learn["end"]) for attempt in attempts)
    # Every attempt starts with six weights of one
    terms = [float(attempt["losses"][0].sparsity_term.detach()) for attempt in attempts]
    assert terms == pytest.approx([0.4 * 6**0.5, 0.2 * 6**0.5, 0.1 * 6**0.5], rel=1e-6)
    assert [record.stage for record in solution.records] == ["learn", "sparsify"]


@pytest.mark.parametrize(
    ("bound", "total", "is_lost"),
    [(0.1, (0.5, 0.1), True), (0.3, (0.5, 0.1), False), (0.1, (0.5, 0.4), False), (-0.1, (-0.2, 0.01), False)],
)
def test_information_is_lost_if_half_of_what_was_certain_is_gone_from_training_rows(bound, total, is_lost):
    records = (TrainingRecord("sparsify", 25, bound, held_out_bound=-9.0),)  # an overfitted critic
    result = TrainingResult(25, torch.zeros(1), True, records)
    assert paper._has_lost_information(result, MeanEstimate(*total), PaperSettings()) is is_lost


def test_weights_are_one_through_stage_one_and_move_in_stage_two(stages, batches):
    solution = solve()
    assert {record.stage for record in solution.records} == {"learn", "sparsify"}
    weights = [weights for x, _, weights in batches if len(x) == FEW_STEPS.batch_size]
    n_learn = len(stages[0]["losses"])
    assert all((w == 1).all() for w in weights[: n_learn + 1])
    assert not any((w == 1).all() for w in weights[n_learn + 1 :])


def test_batches_are_rows_of_the_table_with_the_requested_size(batches):
    solve()
    x, y = equality(200)
    table = {tuple(row) for row in torch.cat([x.codes, y.codes], dim=1).tolist()}
    drawn = [(x, y) for x, y, _ in batches if len(x) != 200]
    assert len(drawn) == 8
    for x_batch, y_batch in drawn:
        assert len(x_batch) == len(y_batch) == 32
        assert {tuple(row) for row in torch.cat([x_batch.codes, y_batch.codes], dim=1).tolist()} <= table
    assert not torch.equal(drawn[0][0].codes, drawn[1][0].codes)


def test_stage_one_has_only_the_bound_and_stage_two_all_three_terms(stages):
    settings = PaperSettings(
        sparsity=0.5, norm_drift=0.25, target_norm=2.0, batch_size=32, max_steps_learn=3, max_steps_sparsify=3
    )
    solve(settings=settings)
    learn, sparsify = stages
    assert all((loss.sparsity_term, loss.drift_term) == (0.0, 0.0) for loss in learn["losses"])
    # Six weights of one: their ratio is sqrt(6), their norm sqrt(6)
    first = sparsify["losses"][0]
    assert float(first.sparsity_term.detach()) == pytest.approx(0.5 * 6**0.5, rel=1e-6)
    assert float(first.drift_term.detach()) == pytest.approx(0.25 * (6**0.5 - 2.0) ** 2, rel=1e-5)
    total = first.negative_bound + first.sparsity_term + first.drift_term
    torch.testing.assert_close(first.total, total)
    assert sparsify["records"][-1].sparsity_term > 0
    assert sparsify["records"][-1].drift_term > 0


def test_the_weight_step_is_the_plain_gradient_of_the_whole_loss(monkeypatch):
    made, pulls, steps = [], [], []

    class Watched(FeatureWeights):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

        def step_(self, *limits):
            before = self.values.detach().clone()
            super().step_(*limits)
            steps.append((before, self.values.detach().clone()))

    def watched_loss(negative_bound, *penalties):
        if penalties:
            pulls.extend(torch.autograd.grad(negative_bound.sum(), made[-1].values, retain_graph=True))
        return Loss(negative_bound, *penalties)

    monkeypatch.setattr(paper, "FeatureWeights", Watched)
    monkeypatch.setattr(paper, "Loss", watched_loss)
    solve(
        settings=PaperSettings(
            sparsity=20.0,
            norm_drift=0.25,
            target_norm=2.0,
            weight_rate=0.5,
            max_weight_step=math.inf,
            batch_size=32,
            max_steps_learn=3,
            max_steps_sparsify=6,
        )
    )
    assert len(pulls) == len(steps) == 6
    for pull, (p, after) in zip(pulls, steps, strict=True):
        # The gradients of c1 ||p||_1 / ||p||_2 and of c2 (||p||_2 - a)^2
        norm = p.norm()
        penalty = 20.0 * (1 / norm - p.sum() * p / norm**3) + 0.25 * 2 * (norm - 2.0) * p / norm
        torch.testing.assert_close(after, (p - 0.5 * (pull + penalty)).clamp(min=0), rtol=1e-4, atol=1e-5)
    # The strong penalty brings some weights to zero, but not all
    assert 0 < int((steps[-1][1] > 0).sum()) < 6


def test_weights_at_or_below_the_threshold_are_returned_as_zero():
    settings = PaperSettings(threshold=1e9, batch_size=32, max_steps_learn=2, max_steps_sparsify=2)
    assert solve(settings=settings).weights.tolist() == [0.0] * 6
    weights = solve().weights
    assert (weights > 0).all()


def test_grouped_features_end_with_one_weight():
    weights = solve(units=[0, 1, 2, 0, 3, 1]).weights
    assert weights[0] == weights[3]
    assert weights[1] == weights[5]
    assert len(set(weights.tolist())) == 4


def test_same_seed_same_weights():
    assert torch.equal(solve(seed=3).weights, solve(seed=3).weights)
    assert not torch.equal(solve(seed=3).weights, solve(seed=4).weights)


def test_an_expired_deadline_ends_both_stages_early():
    settings = PaperSettings(batch_size=32, max_steps_learn=500, max_steps_sparsify=500)
    solution = solve(settings=settings, seconds=0.0)
    assert not solution.converged
    assert [record.stage for record in solution.records] == ["learn", "sparsify"]


@pytest.mark.reference
def test_algorithm_1_is_exact_on_a_small_equality_problem():
    settings = PaperSettings(
        sparsity=0.2, weight_rate=0.05, batch_size=128, max_steps_learn=150, max_steps_sparsify=300
    )
    solution = solve(n_rows=2000, settings=settings)
    assert (solution.weights > 0).tolist() == [False, True, False, False, True, False]
    assert solution.weights[[0, 2, 3, 5]].tolist() == [0.0] * 4
    # The lemma at three levels: 2/3 log(3/2) + 1/3 log 3 = 0.6365 nats, estimated to 0.03 with 2,000 rows
    assert solution.total.mean == pytest.approx(0.6365, abs=0.1)
    assert solution.kept.mean == pytest.approx(0.6365, abs=0.1)
    last = solution.records[-1]
    assert last.n_features == 2
    # The ratio of two weights lies between 1 and sqrt(2); that of all six was sqrt(6)
    assert settings.sparsity <= last.sparsity_term <= settings.sparsity * 2**0.5 + 1e-6
