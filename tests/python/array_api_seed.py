# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest for array_api.t: all ranks, which run the same points, draw the same random numbers."""

import random


def pytest_runtest_setup(item):
    random.seed(item.nodeid)
