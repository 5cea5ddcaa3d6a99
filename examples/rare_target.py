"""
What if only one row in fifty is positive?
==========================================

Fraud, defects and diseases are rare. MINERVA uses every positive row and a sample of the others, with weights that
correct for it, so nothing has to be resampled before.
"""

# %%
# Simulated card payments. Several columns have a proxy: another currency, a coarser or a noisier version.

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from minerva_select import MinervaSelector
from minerva_select.problems import card_fraud

problem = card_fraud(n_samples=20_000, n_features=16, rate=0.02, random_state=0)
y = problem.y.rename("is_fraud")
print(f"{y.mean():.1%} of {len(y):,} payments are fraud")

# %%
# The columns that the target depends on, and those that repeat them:

print("relevant:", problem.relevant)
print("proxies:", problem.proxies)

# %%
# The rows are split before anything else, so that the test rows take no part in the selection.

X_train, X_test, y_train, y_test = train_test_split(problem.X, y, stratify=y, random_state=0)
selector = MinervaSelector(random_state=0).fit(X_train, y_train)
print(selector.selection_)

# %%
# Information about a rare target is small in nats, because its entropy is small.

selection = selector.selection_
print(f"entropy {selection.target_entropy:.3f}, information kept {selection.mutual_information.nats:.3f} nats")

# %%
# A model with the kept columns, and one with all:

encoder = make_column_transformer(
    (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        make_column_selector(dtype_exclude="number"),
    ),
    remainder="passthrough",
)
for name, columns in {"all": list(problem.X.columns), "kept": list(selection.selected)}.items():
    model = make_pipeline(encoder, HistGradientBoostingClassifier(random_state=0)).fit(X_train[columns], y_train)
    scores = model.predict_proba(X_test[columns])[:, 1]
    print(f"{name:>5}: {len(columns):2d} columns, PR-AUC {average_precision_score(y_test, scores):.3f}")

# %%

selection.plot("contributions")
