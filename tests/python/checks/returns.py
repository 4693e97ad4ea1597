# SPDX-License-Identifier: BSD-3-Clause
"""What functions return is what the stubs say: watched while the other checks call them."""

import ast
import functools
import glob
import os
import types

import maniple as mp
import numpy as np

from . import ok

KINDS = {"ndarray": mp.ndarray, "csr_array": mp.sparse.csr_array, "Dataset": mp.h5.Dataset, "_Host": np.ndarray,
         "None": type(None), "bool": bool, "builtins.bool": bool, "int": int, "float": float, "str": str, "bytes": bytes}
wrong = {}  # by the name of a function: its type in the stubs, and what it returned
watched = 0


def fits(value, node):
    """Whether a value is of the type that is written; types that are not listed are not looked at."""
    if isinstance(node, ast.BinOp):
        return fits(value, node.left) or fits(value, node.right)
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("list", "tuple"):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if type(value).__name__ != ast.unparse(node.value):
            return False
        if len(inner) == 1 or ast.unparse(inner[-1]) == "...":
            return all(fits(v, inner[0]) for v in value)
        return len(value) == len(inner) and all(map(fits, value, inner))
    is_other = value is NotImplemented or hasattr(value, "traced_call")  # of a function that fuse() traces
    return is_other or isinstance(value, KINDS.get(ast.unparse(node), object))


def watching(name, function, node):
    @functools.wraps(function)
    def watch(*arguments, **named):
        value = function(*arguments, **named)
        is_given = isinstance(value, np.ndarray) and value is named.get("output")  # an array of NumPy's, filled
        if not is_given and not fits(value, node):
            wrong[name] = f"{name} is {ast.unparse(node)}, and returned {type(value)}"
        return value

    return watch


def watch_class(name, kind, definition):
    global watched
    for method in definition.body:
        home = next((k for k in kind.__mro__ if method.name in vars(k)), object) if hasattr(method, "name") else object
        value = vars(home).get(getattr(method, "name", None))
        if isinstance(value, types.FunctionType) and home.__module__.startswith("maniple") and method.name != "__init__":
            setattr(home, method.name, watching(f"{name}.{method.name}", value, method.returns))
            watched += 1


def start():
    global watched
    folder = os.path.dirname(mp.__file__)
    for path in glob.glob(f"{folder}/**/*.pyi", recursive=True):
        name = os.path.relpath(path, folder)[:-4].replace(os.sep, ".").removesuffix("__init__").rstrip(".")
        module = functools.reduce(getattr, filter(None, name.split(".")), mp)
        with open(path, encoding="utf-8") as file:
            definitions = ast.parse(file.read()).body
        for definition in definitions:
            value = getattr(module, getattr(definition, "name", ""), None)
            if isinstance(definition, ast.ClassDef) and isinstance(value, type):
                watch_class(f"{name}.{definition.name}", value, definition)
            elif isinstance(definition, ast.FunctionDef) and isinstance(value, types.FunctionType):
                setattr(module, definition.name, watching(f"{name}.{definition.name}", value, definition.returns))
                watched += 1


def check_returns():
    ok(watched > 500, f"{watched} functions and methods are watched")
    ok(not wrong, "what they return is what the stubs say " + "; ".join(wrong.values()))
