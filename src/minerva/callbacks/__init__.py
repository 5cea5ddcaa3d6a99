"""Ready callbacks for ``MinervaSelector(callbacks=...)``: a progress bar, TensorBoard, MLflow."""

from minerva.callbacks.base import Callback
from minerva.callbacks.mlflow import MLflow
from minerva.callbacks.progress_bar import ProgressBar
from minerva.callbacks.tensorboard import TensorBoard

__all__ = ["Callback", "MLflow", "ProgressBar", "TensorBoard"]
