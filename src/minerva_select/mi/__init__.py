"""How information is estimated: critics, bounds, networks, training, cross-fitting, inference."""
