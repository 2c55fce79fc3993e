# SPDX-License-Identifier: Apache-2.0
"""The task imdb for machines on a network, whose replicas exchange seldom: the target is farther from the optimum."""
import dataclasses

from suite.terms import Target
from tasks import imdb

suites = ()
task = dataclasses.replace(imdb.task, name="imdb_between", epochs=60, target=Target(
    "objective", 0.132399, True, "optimum 0.126094 + 5 %, by LIBLINEAR"))
