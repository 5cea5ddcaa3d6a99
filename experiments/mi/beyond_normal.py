"""The 40 tasks of the benchmark "Beyond Normal: On the Evaluation of Mutual Information Estimators".

Czyz, Grabowski, Vogt, Beerenwinkel and Marx, 2023. Names and parameters are those of the package benchmark-mi 0.1.3.
"""

import numpy as np
from scipy.special import ndtr

from mi.distributions import Distribution, additive, dense, normal, sparse, student
from mi.transforms import bimodal, half_cube, identity, spiral, swiss_roll, transform, wiggly_x, wiggly_y

CORRELATION = 0.75  # of the pairs of one column each
STUDENTS = ((1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (5, 2), (5, 3))  # columns of a side, degrees of freedom
ASINH_STUDENTS = ((1, 1), (2, 1), (3, 2), (5, 2))


def make_tasks() -> dict[str, Distribution]:
    """All tasks by name."""
    return {**make_pairs(), **make_normals(), **make_students(), **make_transformed()}


def make_pairs() -> dict[str, Distribution]:
    """Sides of one column, and a rolled-up one of two."""
    pair = normal(np.array([[1.0, CORRELATION], [CORRELATION, 1.0]]), 1)
    uniform = transform(pair, ndtr)
    return {
        "1v1-normal-0.75": pair,
        "normal_cdf-1v1-normal-0.75": uniform,
        "1v1-additive-0.1": additive(0.1),
        "1v1-additive-0.75": additive(0.75),
        "1v1-bimodal-0.75": transform(pair, bimodal(0.3, 0.0, 5.0), bimodal(0.5, -1.0, 3.0)),
        "wiggly-1v1-normal-0.75": transform(pair, wiggly_x, wiggly_y),
        "half_cube-1v1-normal-0.75": transform(pair, half_cube),
        "swissroll_x-normal_cdf-1v1-normal-0.75": transform(uniform, swiss_roll, identity),
    }


def make_normals() -> dict[str, Distribution]:
    """Normal sides with dense and with sparse dependence."""
    return {f"multinormal-dense-{n}-{n}-0.5": dense(n, n) for n in (2, 3, 5, 25, 50)} | {
        sparse_name(n): sparse(n, n) for n in (2, 3, 5, 25)
    }


def make_students() -> dict[str, Distribution]:
    """Student sides, as they are and with shortened tails."""
    return {f"student-identity-{n}-{n}-{df}": student(n, n, df) for n, df in STUDENTS} | {
        f"asinh-student-identity-{n}-{n}-{df}": transform(student(n, n, df), np.arcsinh) for n, df in ASINH_STUDENTS
    }


def make_transformed() -> dict[str, Distribution]:
    """Sparse normal sides after maps of columns and of rows."""
    tasks = {}
    for n in (3, 5, 25):
        task = sparse(n, n)
        uniform = transform(task, ndtr)
        tasks |= {
            f"normal_cdf-{sparse_name(n)}": uniform,
            f"half_cube-{sparse_name(n)}": transform(task, half_cube),
            f"spiral-{sparse_name(n)}": transform(task, spiral(0), spiral(1)),
            f"spiral-normal_cdf-{sparse_name(n)}": transform(uniform, spiral(0), spiral(1)),
        }
    return tasks


def sparse_name(n: int) -> str:
    return f"multinormal-sparse-{n}-{n}-2-2.0"
