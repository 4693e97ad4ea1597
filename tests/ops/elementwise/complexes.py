# SPDX-License-Identifier: BSD-3-Clause
"""All functions of complex numbers, in every type that they are computed in: see functions_of_type.py."""

import functions_of_type

functions_of_type.run("FD")
