# SPDX-License-Identifier: BSD-3-Clause
"""What is written about the Python package: its stubs, its texts for help(), docs/from-cupy.md, and the list of
expected failures.  One process, and no array is made; prints a line for each point, for tests/python.t."""

import ast
import importlib.machinery
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tempfile
import types

import maniple as mp

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
failures = 0


def ok(problems, name):
    """A point, which holds if there are no problems."""
    global failures
    failures += bool(problems)
    listed = "; ".join(map(str, list(problems)[:5])) if problems else ""
    print(f"{'not ok' if problems else 'ok'} - {name}{': ' if listed else ''}{listed}".replace("\n", " "), flush=True)


def text_of(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def script(name):
    """A script of build-aux, as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), os.path.join(SOURCE, "build-aux", name))
    module = types.ModuleType(loader.name)
    module.__file__ = loader.path
    loader.exec_module(module)
    return module


def modules():
    yield "", mp
    for name in """fft h5 interop kernels lib lib.stride_tricks linalg ndimage random restoration signal
            signal.windows sparse sparse.linalg""".split():
        yield name, importlib.import_module("maniple." + name)


def check_help():
    junk, silent, elsewhere = [], [], []
    for module_name, module in modules():
        for name in dir(module):
            value = getattr(module, name)
            if name.startswith("__"):
                continue
            if name.startswith("_") or isinstance(value, types.ModuleType) and "maniple." not in value.__name__:
                junk.append(f"{module_name}.{name}")
            if callable(value):
                silent += [f"{module_name}.{name}"] * (len((value.__doc__ or "").split()) < 3)
                elsewhere += [f"{value.__module__}.{name}"] * ("maniple._" in (value.__module__ or ""))
            if isinstance(value, type) and value.__module__.startswith("maniple"):
                silent += [f"{name}.{method}" for method, function in vars(value).items()
                           if inspect.isfunction(function) and not method.startswith("_") and not function.__doc__]
    ok(junk, "dir() of the package and its modules has what they offer")
    ok(silent, "every function, class and method has a text for help()")
    ok(elsewhere, "and is called from where it is offered")


def check_stubs():
    stubs = script("stubs")
    old, unnamed = [], []
    for module_name, module in modules():
        path = stubs.path_of(module_name)
        text = text_of("python", "maniple", path)
        old += [f"{path}: build-aux/stubs writes another one"] * (text != stubs.stub(module_name))
        tree, known = ast.parse(text), set()
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                known.add(node.name)
            elif isinstance(node, ast.ImportFrom):
                known.update(alias.asname for alias in node.names if alias.asname)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                known.update(t.id for t in getattr(node, "targets", [getattr(node, "target", None)]))
        unnamed += [f"{path}: {name}" for name in dir(module) if not name.startswith("__") and name not in known]
        classes = {node.name: {n.name for n in node.body if isinstance(n, ast.FunctionDef)} for node in tree.body
                   if isinstance(node, ast.ClassDef)}
        for name, members in classes.items():
            unnamed += [f"{name}.{m}" for m, v in vars(getattr(module, name, object)).items()
                        if not m.startswith("_") and (inspect.isfunction(v) or isinstance(v, property))
                        and m not in members]
    ok(unnamed, "every public name has a stub")
    ok(old, "the stubs are those of the package")


def check_types():
    """mypy, where it is, of a program that says which of its lines are wrong."""
    name = "mypy agrees with the stubs"
    if importlib.util.find_spec("mypy") is None:
        print(f"ok - {name} # SKIP {sys.executable} has no mypy", flush=True)
        return
    program = os.path.join(SOURCE, "tests", "python", "typed.py")
    wanted = {(number, line.rsplit(" ", 1)[1]) for number, line in enumerate(text_of("tests/python/typed.py").split("\n"), 1)
              if "# wrong: " in line}
    environment = {**os.environ, "MYPYPATH": os.path.join(SOURCE, "python")}
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder, program],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False,
                              env=environment).stdout
    lines = [line for line in said.split("\n") if ": error:" in line]
    found = {(int(line.split(":")[1]), re.search(r"\[([\w-]+)\]$", line).group(1)) if "typed.py:" in line else line
             for line in lines}
    ok(found ^ wanted or ([said] if not lines else []), name)


def check_cupy():
    table = script("cupy-table")
    page = text_of("docs", "from-cupy.md")
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        stdout, sys.stdout = sys.stdout, file
        try:
            table.main()
        finally:
            sys.stdout = stdout
        file.seek(0)
        wanted = file.read().rstrip()
    ok([] if page.endswith(wanted + "\n") else [next((line for line in wanted.split("\n") if line not in page), "order")],
       "docs/from-cupy.md ends with what build-aux/cupy-table prints")
    missing = []
    for module, names in table.cupy_names().items():
        home = table.HOMES[module][0]
        offered = dir(table.found(home) if home else mp) if home is not None else []
        missing += [f"{module}.{name}" for name in names if name in offered and not table.skipped(module, name)
                    and table.RENAMED.get(f"{module}.{name}", "") is not None
                    and f"| `{module}.{name}` |" not in page]
    ok(missing, "what the package and CuPy have has a row there")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    unread = []
    for block in blocks:
        try:
            ast.parse(block)
        except SyntaxError as error:
            unread.append(f"{block[:40]!r}: {error}")
    ok(unread, f"its {len(blocks)} blocks of Python can be read")


def check_notebook():
    wanted = script("notebook-page").page(os.path.join(SOURCE, "docs", "notebook.ipynb"))
    ok([] if text_of("docs", "notebook.md") == wanted else ["build-aux/notebook-page prints another page"],
       "docs/notebook.md is the notebook")


def check_expected_failures():
    """The list may become shorter; a longer one is a decision, which is made here."""
    lines = text_of("tests", "python", "array_api_failures.txt").split("\n")
    points = [line for line in lines if line and not line.startswith("#")]
    reasons = [r"test_(binary|iop)\[(floor_divide|__i?floordiv__)\(", r"test_unary\[expm1\(\(real\(x_i\) is \+0",
               r"test_unary\[tanh\(real\(x_i\) is \+infinity", r"test_dunder_dlpack$"]
    ok([p for p in points if not any(re.search(r, p) for r in reasons)] + ([f"{len(points)}"] if len(points) > 21 else []),
       "the array API's suite has no other expected failures than it had")


for check in (check_help, check_stubs, check_types, check_cupy, check_notebook, check_expected_failures):
    check()
raise SystemExit(1 if failures else 0)
