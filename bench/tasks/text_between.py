# SPDX-License-Identifier: Apache-2.0
"""The task text for machines on a network, whose replicas exchange seldom: the target is farther from the optimum."""
import dataclasses

from suite.terms import Target
from tasks import text

suites = ()
task = dataclasses.replace(text.task, name="text_between", epochs=40, target=Target(
    "objective", 0.214614, True, "optimum 0.212489 + 1 %, by LIBLINEAR"))
