# SPDX-License-Identifier: BSD-3-Clause
"""Documents whose lines are run."""

import ast
import importlib.machinery
import importlib.util
import os
import re
import shutil

import maniple as mp
import numpy as np
import scipy.sparse

from . import ok, shared_folder


def check_page():
    """The blocks of docs/from-cupy.md that begin with "# Maniple", one after the other; "# -> " names a value."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "docs", "from-cupy.md")
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n# Maniple\n(.*?)^```", file.read(), re.M | re.S)
    n = 30
    known = {"np": np, "scipy_matrix": scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(n, n)).tocsr()}
    folder, back = shared_folder(), os.getcwd()
    os.chdir(folder)
    for block in blocks:
        lines = block.split("\n")
        for statement in ast.parse(block).body:
            first = min(d.lineno for d in [statement, *getattr(statement, "decorator_list", [])])
            text = "\n".join(lines[first - 1 : statement.end_lineno])
            value = lines[statement.end_lineno - 1].partition("# -> ")[2]
            if not value:
                exec(text, known)  # noqa: S102  the page's own lines
                continue
            got, want = np.asarray(eval(text.strip(), known)), np.asarray(eval(value))
            good = got.shape == want.shape and np.allclose(got.astype(float), want.astype(float), rtol=1e-6)
            ok(good, f"from-cupy.md: {text.partition('#')[0].strip()} is {value}{'' if good else f', not {got}'}")
    ok(len(blocks) > 15, f"from-cupy.md has {len(blocks)} blocks that run")
    os.chdir(back)
    mp.sum(mp.ones(mp.nranks())).item()  # all are done with the folder
    if mp.rank() == 0:
        shutil.rmtree(folder)


def check_notebook():
    """The notebook's cells print the same on any number of ranks."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
    path = os.path.join(source, "build-aux", "notebook-page")
    loader = importlib.machinery.SourceFileLoader("notebook_page", path)
    pages = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(pages)
    names = {}
    for kind, text, wanted in pages.cells_of(os.path.join(source, "docs", "notebook.ipynb"))[1]:
        if kind == "code":
            got = pages.printed(text, names)
            ok(got == wanted or mp.rank() > 0, f"the notebook: {text.splitlines()[-1]}{'' if got == wanted else ': ' + got}")
