"""One row of the attack's table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """The outcome of one kind of attack.

    A part of the attack is a function of ``quick: bool`` that yields results as soon as they are known.

    Attributes
    ----------
    attack : str
        Short description.
    n_trials : int
        Number of trials.
    n_failures : int
        Number of trials with a wrong or missing answer, a damaged file or another broken guarantee.
    seconds : float
        Total time.
    note : str
        Expected behavior or measurements; if there were failures, the first one comes first.
    """

    attack: str
    n_trials: int
    n_failures: int
    seconds: float
    note: str = ""
