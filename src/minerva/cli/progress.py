"""The progress bar of the commands."""

from minerva.callbacks.progress_bar import ProgressBar

__all__ = ["ProgressBar"]
