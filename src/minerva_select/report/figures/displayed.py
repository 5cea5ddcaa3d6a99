"""A plotly figure whose saved display has the values as a table, for pages that cannot draw it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio

_HTML, _PLOTLY = "text/html", "application/vnd.plotly.v1+json"


class DisplayedFigure(go.Figure):  # type: ignore[misc]
    """A figure for notebooks.

    Jupyter and VS Code draw the plotly figure of a saved output. An export such as that of nbconvert has no chart
    library; it shows the HTML of the output, which is a table of the values.
    """

    _make_table: Callable[[], str] | None = None  # lost in a copy, as after a change by another library

    def _repr_mimebundle_(self, *arguments: Any, **options: Any) -> dict[str, Any]:
        """Add the table where the renderer has no HTML of its own."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(*arguments, **options)
        if _PLOTLY in bundle and _HTML not in bundle and self._make_table is not None:
            bundle[_HTML] = self._make_table()
        return bundle

    def _ipython_display_(self) -> None:
        """Display the figure as plotly does, with the table."""
        bundle = self._repr_mimebundle_() if pio.renderers.render_on_display and pio.renderers.default else {}
        if _PLOTLY not in bundle:  # a browser, an image, or no display at all
            super()._ipython_display_()
            return
        from IPython.display import display  # noqa: PLC0415 - only in a notebook

        display(bundle, raw=True)  # type: ignore[no-untyped-call]
