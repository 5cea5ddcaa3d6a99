"""Encode blocks of rows, numbers on a GPU if there is one."""

from __future__ import annotations

import logging
from typing import Any

import torch

from minerva_select.data.device_steps import DeviceEncoder
from minerva_select.data.frames import as_table
from minerva_select.preprocessing.table_encoder import EncodedTable, TableEncoder

logger = logging.getLogger("minerva_select")

CPU = torch.device("cpu")


class BlockEncoder:
    """Encodes Arrow tables with a fitted encoder, to the same bits on every device.

    A GPU that fails is not used again: the CPU encodes the rest.
    """

    def __init__(self, encoder: TableEncoder, device: torch.device = CPU) -> None:
        self.encoder = encoder
        self._on_device: DeviceEncoder | None = None
        if device.type == "cuda":
            try:
                self._on_device = DeviceEncoder(encoder, device)
            except RuntimeError as error:
                self._give_up(error)

    def __call__(self, block: Any) -> EncodedTable:
        """Encode the rows of a block."""
        table, on_device = as_table(block).select(self.encoder.names_), self._on_device
        if on_device is not None and on_device.can_encode(table):
            try:
                return on_device.encode(table)
            except RuntimeError as error:
                self._give_up(error)
        return self.encoder.transform(table)

    def _give_up(self, error: RuntimeError) -> None:
        # No warning: if the device is of no use to the fit either, the fit says so
        logger.info("Rows are encoded on the CPU: %s", error)
        self._on_device = None
