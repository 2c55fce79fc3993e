# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's SGDClassifier, a pass at a time. Run as a program, it is what trains."""
import json
import pathlib
import sys
import time


def passes(asked):
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import SGDClassifier
    words, settings = asked["options"], asked["settings"]
    begin = time.perf_counter()
    rows, labels = load_svmlight_file(asked["data"]["train"], zero_based=False)
    parsed = time.perf_counter() - begin
    loss = {"logistic": "log_loss", "hinge_svm": "hinge"}[words[words.index("--model") + 1]]
    model = SGDClassifier(loss=loss, alpha=float(words[words.index("--l2") + 1]), fit_intercept=False,
                          learning_rate="invscaling", eta0=settings["step"], power_t=settings["power"],
                          random_state=asked["seed"])
    from sklearn.utils import shuffle
    seconds = 0.0
    for epoch in range(1, asked["epochs"] + 1):
        mixed = shuffle(rows, labels, random_state=asked["seed"] + epoch)
        begin = time.perf_counter()
        model.partial_fit(*mixed, classes=[-1, 1])
        seconds += time.perf_counter() - begin
        path = pathlib.Path(asked["work"]) / f"sklearn_sgd_{epoch}.txt"
        path.write_text("".join(f"{j} {w!r}\n" for j, w in enumerate(model.coef_[0].tolist(), 1)), encoding="ascii")
        print(json.dumps({"seconds": seconds, "epochs": epoch, "weights": str(path), "parse_seconds": parsed}))


if __name__ == "__main__":
    passes(json.loads(sys.argv[1]))
else:
    from suite.peer import linear_script, module
    contestant = linear_script("sklearn_sgd", module("sklearn", "scikit-learn"), __file__, ("logistic", "hinge_svm"),
                               {"step": [0.5, 2.0, 8.0], "power": [0.1, 0.25, 0.5]})
