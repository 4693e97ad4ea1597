# SPDX-License-Identifier: BSD-3-Clause
"""What select.py checks, over several nodes, which MANIPLE_NODE_SIZE makes of a host: ranks reach no memory of others, so
indices and values are sent to the owners of elements."""

import os
import runpy

os.environ["MANIPLE_NODE_SIZE"] = "1"
runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "select.py"))
