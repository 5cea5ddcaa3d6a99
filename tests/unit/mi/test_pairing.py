import torch

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.pairing import score_joint_and_marginal

LAYOUT = ColumnLayout(0, (100,), (0,))


def numbered(n_rows, offset=0):
    return Rows(torch.empty(n_rows, 0), torch.arange(n_rows).unsqueeze(1) + offset, LAYOUT)


def test_joint_scores_take_true_pairs_and_marginal_scores_a_permutation_of_them():
    n_rows = 50
    seen = []

    def critic(x, y, weights):
        seen.append((x.codes[:, 0].tolist(), y.codes[:, 0].tolist()))
        return x.codes[:, 0].float() * weights

    x, y = numbered(n_rows), numbered(n_rows, offset=1000)
    joint, marginal = score_joint_and_marginal(critic, x, y, torch.tensor(2.0), torch.Generator().manual_seed(0))
    (x_joint, y_joint), (x_marginal, y_marginal) = seen
    assert x_joint == list(range(n_rows))
    assert y_joint == y_marginal == list(range(1000, 1000 + n_rows))
    assert x_marginal != x_joint
    assert sorted(x_marginal) == x_joint
    assert joint.tolist() == [2.0 * value for value in x_joint]
    assert marginal.tolist() == [2.0 * value for value in x_marginal]


def test_the_permutation_comes_from_the_generator():
    def critic(x, y, weights):
        return x.codes[:, 0].float()

    def marginal(generator):
        return score_joint_and_marginal(critic, numbered(20), numbered(20), torch.ones(1), generator)[1].tolist()

    generator = torch.Generator().manual_seed(3)
    first, second = marginal(generator), marginal(generator)
    assert first != second
    assert first == marginal(torch.Generator().manual_seed(3))
