"""The progress bar of the commands."""

from minerva_select.callbacks.progress_bar import ProgressBar

__all__ = ["ProgressBar"]
