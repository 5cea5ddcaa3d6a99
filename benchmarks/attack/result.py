"""What every part of the attack yields: one row of the table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """Something that was tried on the real thing.

    A part is a module with ``results(quick: bool) -> Iterator[Result]``, which yields each as soon as it is known.

    Attributes
    ----------
    what : str
        What was done, in a few words.
    tried : int
        How often.
    lost : int
        How often something was lost: an answer, a file, a promise; 0 is what is wanted.
    seconds : float
        How long all of it took.
    note : str
        What else there is to know; of a loss, the first one in words.
    """

    what: str
    tried: int
    lost: int
    seconds: float
    note: str = ""
