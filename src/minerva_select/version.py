"""The version, which results carry with them."""

__version__ = "0.1.0"
