"""A step captured as a graph computes the same as an ordinary step."""

import pytest
import torch

from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.objective import Loss
from minerva_select.mi.optimizer import AdamW
from minerva_select.runtime.cuda_graphs import BatchLoss, GraphedStep

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def test_a_batch_loss_draws_once_per_call():
    drawn = iter([(torch.tensor([1.0]), torch.tensor([2.0])), (torch.tensor([3.0]), torch.tensor([5.0]))])
    batch = BatchLoss(lambda: next(drawn), lambda a, b: Loss(a * b))
    assert [batch().total.item() for _ in range(2)] == [2.0, 15.0]


def test_a_detached_loss_has_no_gradient():
    loss = Loss(torch.ones(1, requires_grad=True) * 2, sparsity_term=0.5).detach()
    assert not loss.total.requires_grad
    assert loss.total.item() == 2.5


def steps_of(graphed, n_steps=12):
    """Parameters after some steps of least squares on random batches, and the losses."""
    torch.manual_seed(0)
    device, generator = torch.device("cuda"), torch.Generator().manual_seed(1)
    model = torch.nn.Module()
    model.weight = torch.nn.Parameter(torch.zeros(1, 4))
    ensemble = Ensemble(model, device)
    x = torch.randn(256, 4, generator=torch.Generator().manual_seed(2)).to(device)
    y = x @ torch.tensor([1.0, -2.0, 0.5, 0.0], device=device)
    descent = AdamW(ensemble, 0.05, 0.0)

    def loss(rows):
        return Loss(((x[rows] @ model.weight[0] - y[rows]) ** 2).mean()[None])

    def descend(loss):
        ensemble.gradient.zero_()
        loss.total.sum().backward()
        descent.step()

    batch = BatchLoss(lambda: (torch.randint(256, (32,), generator=generator).to(device),), loss)
    step = GraphedStep(batch, descend)
    losses = []
    for _ in range(n_steps):
        if graphed:
            losses.append(float(step().total))
        else:
            one = batch()
            descend(one)
            losses.append(float(one.total.detach()))
    return ensemble.values.cpu(), losses, descent.n_steps, step


@needs_gpu
def test_graphed_steps_equal_ordinary_steps():
    (values, losses, n_steps, step), (expected, expected_losses, _, _) = steps_of(True), steps_of(False)
    assert step.graph is not None
    assert n_steps == 12
    torch.testing.assert_close(values, expected, rtol=0, atol=1e-6)
    assert losses == pytest.approx(expected_losses, abs=1e-6)
