"""Published estimators of mutual information on arrays of floats: KSG, CCA, InfoNCE and MINE.

Every function returns one value per row, the pointwise information of that row, whose mean is the estimate. Values of
the same rows can be subtracted, which gives conditional mutual information by the chain rule.
"""
