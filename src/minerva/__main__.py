"""Run the command line with ``python -m minerva``."""

from __future__ import annotations

from minerva.cli import main

if __name__ == "__main__":
    main()
