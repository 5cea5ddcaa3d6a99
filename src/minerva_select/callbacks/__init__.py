"""Callbacks for ``MinervaSelector(callbacks=...)``: progress bar, TensorBoard, MLflow."""

from minerva_select.callbacks.base import Callback
from minerva_select.callbacks.mlflow import MLflow
from minerva_select.callbacks.progress_bar import ProgressBar
from minerva_select.callbacks.tensorboard import TensorBoard

__all__ = ["Callback", "MLflow", "ProgressBar", "TensorBoard"]
