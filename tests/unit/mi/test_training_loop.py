import itertools

import pytest
import torch
from torch import nn

from minerva_select.config import Schedule
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.errors import DivergenceError
from minerva_select.mi.critics import ConcatenatedCritic
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.networks import NetworkShape
from minerva_select.mi.objective import Loss
from minerva_select.mi.training_loop import TrainingContext, TrainingOptions, train
from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.rng import seeded_rng

CPU = torch.device("cpu")


class Number(nn.Module):
    """The smallest network: one number, which a constant gradient moves by the learning rate in every step."""

    def __init__(self, n_members):
        super().__init__()
        self.value = nn.Parameter(torch.zeros(n_members, 1))


class Scripted:
    """A training with scripted tuning bounds; the last one repeats."""

    def __init__(self, bounds, *, loss=None, seconds=None, **schedule):
        self.bounds = [torch.as_tensor(bound, dtype=torch.float32).reshape(-1) for bound in bounds]
        self.ensemble = Ensemble(Number(len(self.bounds[0])), CPU)
        self.schedule = Schedule(**{"max_steps": 100, "evaluate_every": 2, "weight_decay": 0.0, **schedule})
        self.loss = loss or (lambda value: Loss(-value))
        self.deadline = Deadline(seconds)
        self.values = []  # after every step
        self.gradients = []  # of every step
        self.reported = []
        self.modes = []

    def go(self, **options):
        script = itertools.chain(self.bounds, itertools.repeat(self.bounds[-1]))

        def batch_loss():
            self.modes.append(("loss", self.ensemble.critic.training))
            return self.loss(self.ensemble.parameters["value"][:, 0])

        def tuning_bound():
            self.modes.append(("tuning", self.ensemble.critic.training))
            return next(script)

        return train(
            self.ensemble,
            batch_loss,
            tuning_bound,
            self.schedule,
            TrainingContext(torch.Generator(), deadline=self.deadline, on_record=self.reported.append),
            stage="learn",
            options=TrainingOptions(after_step=self.look, **options),
        )

    def look(self):
        self.values.append(self.value)
        self.gradients.append(self.ensemble.gradient.clone())

    @property
    def value(self):
        return self.ensemble.parameters["value"].detach()[:, 0].clone()


def test_early_stopping_restores_the_best_parameters():
    run = Scripted([0.1, 0.5, 0.4, 0.3], patience=2)
    result = run.go()
    assert result.converged
    assert result.n_steps < 100
    assert len(result.records) == result.n_steps / 2
    assert result.tuning_bound.tolist() == [0.5]
    # The second evaluation, the best one, came after the fourth step
    assert torch.equal(run.value, run.values[3])
    assert not torch.equal(run.value, run.values[-1])


def test_every_member_returns_to_its_own_best():
    run = Scripted([[0.9, 0.1], [0.2, 0.2], [0.2, 0.8], [0.2, 0.2]], patience=2)
    result = run.go()
    assert result.tuning_bound.tolist() == pytest.approx([0.9, 0.8])
    assert run.value.tolist() == [float(run.values[1][0]), float(run.values[5][1])]


def test_training_continues_while_the_tuning_bound_rises():
    result = Scripted([0.01 * step for step in range(1, 51)], patience=1).go()
    assert result.n_steps == 100
    assert not result.converged


def test_one_rising_member_keeps_all_of_them_in_training():
    rising = Scripted([[0.5, 0.01 * step] for step in range(1, 51)], patience=2).go()
    flat = Scripted([[0.5, 0.5]], patience=2).go()
    assert rising.n_steps == 100
    assert flat.n_steps < 20


def test_a_small_rise_of_one_of_many_members_does_not_prolong_training():
    # A rise of 0.01 is more than half a percent of 0.5; in the mean of ten it is 0.001, which is less
    alone = Scripted([0.5 + 0.01 * step for step in range(50)], patience=2).go()
    of_ten = Scripted([[0.5] * 9 + [0.5 + 0.01 * step] for step in range(50)], patience=2).go()
    assert alone.n_steps == 100
    assert of_ten.converged
    # The first evaluation is a rise, and patience covers two more
    assert of_ten.n_steps == 6
    # The gain so far is kept
    assert of_ten.tuning_bound.tolist() == pytest.approx([0.5] * 9 + [0.52])


def test_a_bound_at_zero_gets_more_patience():
    informed = Scripted([0.5], patience=2, patience_at_zero=6).go()
    at_zero = Scripted([0.0], patience=2, patience_at_zero=6).go()
    late = Scripted([0.0] * 4 + [0.5], patience=2, patience_at_zero=6).go()
    assert informed.converged
    assert at_zero.converged
    assert informed.n_steps < at_zero.n_steps < late.n_steps + 4
    assert late.tuning_bound.tolist() == [0.5]


def test_training_stops_at_the_ceiling():
    result = Scripted([0.3, 0.6931, 0.7], patience=10).go(ceiling=0.6931)
    assert result.converged
    assert result.n_steps == 4


def test_without_keep_best_the_last_parameters_stay():
    run = Scripted([0.5, 0.1], patience=1, max_steps=30)
    result = run.go(keep_best=False)
    assert result.n_steps == 30
    assert result.tuning_bound.tolist() == pytest.approx([0.1])
    assert torch.equal(run.value, run.values[-1])


def test_training_ends_when_finished_returns_true():
    answers = iter([False, False, True])
    run = Scripted([0.1, 0.9, 0.2], max_steps=30)
    result = run.go(keep_best=False, finished=lambda: next(answers))
    assert result.converged
    assert result.n_steps == 6
    assert torch.equal(run.value, run.values[5])


def test_without_patience_left_learning_continues_from_the_best_parameters_at_a_lower_rate():
    run = Scripted([0.5, 0.4], patience=2, n_decays=1, learning_rate=0.1)
    result = run.go()
    plain = Scripted([0.5, 0.4], patience=2, n_decays=0, learning_rate=0.1).go()
    assert result.n_steps > plain.n_steps
    assert result.converged
    before, after = run.values[: plain.n_steps], run.values[plain.n_steps :]
    best = before[1]
    # A constant gradient moves Adam by the learning rate: 0.1 per step before, less after
    assert float(before[-1] - before[-2]) == pytest.approx(0.1, rel=1e-3)
    assert 0 < float(after[0] - best) < 0.05
    assert 0 < float(after[1] - after[0]) < 0.05


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_the_divergence_error_has_the_step_and_the_last_finite_bound(bad):
    with pytest.raises(DivergenceError, match=r"'learn' at step 6 .*0\.2500 nats.*learning_rate"):
        Scripted([0.1, 0.25, bad]).go()


def test_divergence_of_the_loss_is_an_error():
    def loss(value):
        return Loss(-value, sparsity_term=torch.tensor(float("nan")))

    with pytest.raises(DivergenceError, match=r"step 2 .*none yet"):
        Scripted([0.1], loss=loss).go()


def test_an_expired_deadline_stops_training_with_an_evaluation():
    result = Scripted([0.1, 0.2], seconds=0.0).go()
    assert result.n_steps == 1  # although evaluations come every second step
    assert not result.converged
    assert result.tuning_bound.tolist() == pytest.approx([0.1])


def test_records_have_the_three_terms_and_the_tuning_bound():
    def loss(value):
        return Loss(-value - torch.tensor([1.0, 2.0]), torch.tensor(0.25), torch.tensor(0.125))

    run = Scripted([[0.1, 0.3], [0.2, 0.6]], loss=loss, max_steps=4, learning_rate=0.5)
    result = run.go(n_features=lambda: 7)
    assert list(result.records) == run.reported
    assert [record.step for record in result.records] == [2, 4]
    first, second = result.records
    assert (first.stage, first.n_features) == ("learn", 7)
    assert (first.sparsity_term, first.drift_term) == (0.25, 0.125)
    assert first.held_out_bound == pytest.approx(0.2)
    assert second.held_out_bound == pytest.approx(0.4)
    # The mean of both members' bounds, at the parameters before the step: 1.5 and one step of 0.5
    assert first.bound == pytest.approx(1.5 + 0.5, rel=1e-4)


def test_dropout_is_on_for_batches_and_off_for_evaluations():
    run = Scripted([0.1], max_steps=4)
    run.go()
    assert set(run.modes) == {("loss", True), ("tuning", False)}
    assert not run.ensemble.critic.training


def test_every_step_uses_the_gradient_of_its_own_batch():
    slopes = iter([1.0, -2.0, 3.0, 0.5])
    run = Scripted([[0.1, 0.1]], loss=lambda value: Loss(next(slopes) * value * torch.tensor([1.0, 0.5])), max_steps=4)
    run.go()
    assert [gradient.tolist() for gradient in run.gradients] == [[1.0, 0.5], [-2.0, -1.0], [3.0, 1.5], [0.5, 0.25]]


def test_gradients_are_clipped_per_member():
    slopes = iter([1e6, 1.0])
    run = Scripted(
        [[0.1, 0.1]],
        loss=lambda value: Loss(next(slopes) * value * torch.tensor([1.0, 1e-6])),
        max_steps=2,
        max_gradient_norm=2.0,
    )
    run.go()
    assert torch.stack(run.gradients).flatten().tolist() == pytest.approx([2.0, 1.0, 1.0, 1e-6])


def test_the_last_step_is_always_evaluated():
    result = Scripted([0.1], max_steps=3, evaluate_every=10).go()
    assert [record.step for record in result.records] == [3]


def test_bounded_layers_stay_within_their_limit_after_training_steps():
    layout = ColumnLayout(0, (3,), (0,))
    rows = Rows(torch.empty(1, 8, 0), torch.arange(8).remainder(3).view(1, 8, 1), layout)
    with seeded_rng(0, CPU):
        ensemble = Ensemble(ConcatenatedCritic(layout, layout, NetworkShape(width=8)), CPU)
    limit = ensemble.critic.tower[0].limit
    largest = []
    train(
        ensemble,
        lambda: Loss(-ensemble.critic(rows, rows, torch.ones(1, 1)).mean(1)),
        lambda: torch.zeros(1),
        Schedule(max_steps=5, learning_rate=1.0, evaluate_every=5),
        TrainingContext(torch.Generator()),
        stage="learn",
        options=TrainingOptions(
            after_step=lambda: largest.append(float(ensemble.parameters["tower.0.weight"].detach().abs().max()))
        ),
    )
    # A step of Adam at this rate is 1, four times the limit, so every step ends at the limit
    assert limit == pytest.approx(0.25)
    assert largest == pytest.approx([limit] * 5)
