"""Types of columns, encoders of columns as quantiles and codes, and bins of targets, fitted on training rows only."""
