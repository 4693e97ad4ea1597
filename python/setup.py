# SPDX-License-Identifier: BSD-3-Clause
"""pip install ./python: makes the table of the library's prototypes from the headers beside this folder."""

import os
import re
import shlex
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def version():
    with open(os.path.join(ROOT, "include", "maniple", "base.h"), encoding="utf-8") as header:
        found = dict(re.findall(r"#define MNP_VERSION_(\w+) (\d+)", header.read()))
    return "{MAJOR}.{MINOR}.{PATCH}".format(**found)


class build(build_py):
    def run(self):
        super().run()
        target = os.path.join(self.build_lib, "maniple", "_prototypes.py")
        command = [sys.executable, os.path.join(ROOT, "build-aux", "prototypes"), os.path.join(ROOT, "include")]
        with open(target, "w", encoding="utf-8") as table:
            subprocess.run(command + shlex.split(os.environ.get("CC", "cc")), stdout=table, check=True)


setup(
    version=version(),
    packages=["maniple", "maniple.lib", "maniple.signal", "maniple.sparse"],
    package_data={"": ["py.typed", "*.pyi"]},
    cmdclass={"build_py": build},
)
