#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the peers of benchmarks, one script after the other, as `maniple bench --peers` does after its own work.

Every script is given what it takes of the options, and records its times itself (record.py).  What is not installed is
named.  Peers run on one device; those of comm need several GPUs.
"""

import argparse
import importlib.util
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SCIPY = {"conv", "fft", "linalg", "ndimage", "signal", "sparse"}  # what they need besides NumPy on the CPU
SPARSE = {"sparse", "solve", "eigen"}  # have one script
USUAL = {"solve": "cg", "eigen": "eigsh-LA,eigsh-SA,lobpcg-SA"}  # of its cases
# The options of every script
TAKES = {"comm": ["repeats"], "conv": ["repeats", "image", "kernel", "dims", "outer", "restore"],
         "sparse": ["repeats", "matrix", "dtype", "iterations", "count", "tol"]}
OTHERS_TAKE = ["repeats", "elements"]
FLAGS = ["outer"]


def script_of(name):
    path = os.path.join(HERE, f"{'sparse' if name in SPARSE else name}_peers.py")
    return path if os.path.exists(path) else None


def missing_for(name, arguments):
    """The modules that the script needs and Python does not find."""
    if name == "comm":
        return []  # it says itself which of its libraries are not there
    wanted = ["numpy", *(["scipy"] if name in SCIPY | SPARSE else []), *([] if arguments.host else ["cupy"])]
    return [module for module in wanted if importlib.util.find_spec(module) is None]


def options_of(name, arguments):
    options = ["--host"] if arguments.host else []
    for option in TAKES.get("sparse" if name in SPARSE else name, OTHERS_TAKE):
        value = getattr(arguments, option)
        if value:
            options.append(f"--{option}" if option in FLAGS else f"--{option}={value}")
    return options + (["--fft"] if name == "conv" else [])


def cases_of(name, cases):
    """One call for all cases, or one for each that is named."""
    if name == "conv":
        return [[]]
    if not cases:
        return [["--case", USUAL[name]] if name in USUAL else []]
    return [["--case", case] for case in cases]


def run(name, cases, arguments):
    """Whether the script came to its end; cases that it does not have are left out."""
    good = True
    for case in cases_of(name, cases):
        words = [sys.executable, script_of(name), *options_of(name, arguments), *case]
        done = subprocess.run(words, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, stderr=subprocess.PIPE,
                              text=True, check=False)
        if done.returncode == 2 and case:  # argparse knows no such case
            print(f"peers of {name} do not have {case[1]}", flush=True)
            continue
        sys.stderr.write(done.stderr)
        good = good and done.returncode == 0
    return good


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", action="store_true", help="on the CPU")
    for option in sorted({*OTHERS_TAKE, *sum(TAKES.values(), [])}):
        parser.add_argument(f"--{option}", help="handed to the scripts that have it",
                            **({"action": "store_true"} if option in FLAGS else {}))
    parser.add_argument("benchmarks", nargs="+", metavar="BENCHMARK[=CASE]")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    cases, failed = {}, []
    for text in arguments.benchmarks:
        name, equals, case = text.partition("=")
        cases.setdefault(name, []).extend([case] if equals else [])
    for name, named in cases.items():
        if not script_of(name) or (name == "comm" and arguments.host):
            continue
        missing = missing_for(name, arguments)
        if missing:
            print(f"peers of {name} are left out: Python has no {' and no '.join(missing)}", flush=True)
            continue
        print(f"\npeers of {name}", flush=True)
        if not run(name, named, arguments):
            failed.append(name)
    if failed:
        sys.exit(f"peers of {', '.join(failed)} did not come to their end")


if __name__ == "__main__":
    main()
