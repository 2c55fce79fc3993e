# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's OneVsRestClassifier on rows with several labels: LIBLINEAR's logistic regression for each label, a
separate fit for each tolerance."""
import time
import warnings

from suite import point
from suite.peer import module, script


def main(asked):
    from sklearn.datasets import load_svmlight_files
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import MultiLabelBinarizer
    warnings.simplefilter("ignore")  # it is not meant to converge
    begin = time.perf_counter()
    rows, lists, tested, wanted = load_svmlight_files([asked.data["train"], asked.data["test"]], multilabel=True,
                                                      zero_based=False)
    rows.indices, rows.indptr = rows.indices.astype("int32"), rows.indptr.astype("int32")  # as LIBLINEAR needs them
    parsed, labels = time.perf_counter() - begin, MultiLabelBinarizer()
    targets = labels.fit_transform(lists)
    for tried, tolerance in enumerate((1.0, 0.1, 0.01, 0.001), 1):
        model = OneVsRestClassifier(LogisticRegression(C=asked.settings["cost"], solver="liblinear", tol=tolerance))
        begin = time.perf_counter()
        model.fit(rows, targets)
        seconds = time.perf_counter() - begin
        best = labels.classes_[model.decision_function(tested).argmax(1)]
        right = sum(label in row for label, row in zip(best, wanted)) / len(wanted)
        point.tell(seconds=seconds, epochs=tried, value=right, parse_seconds=parsed)


contestant = script("sklearn_one_vs_rest", module("sklearn", "scikit-learn"), ("softmax", "tree"),
                    {"cost": [1.0, 10.0, 100.0]}, metrics=("test_precision_at_1",))
