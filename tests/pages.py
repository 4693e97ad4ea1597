# SPDX-License-Identifier: BSD-3-Clause
"""The commands that documents show, for pages.t, which prints the points.

They are taken from README.md and the guide (the lines of blocks marked sh, and what stands between backquotes, if it
is more than a subcommand's name), from the EXAMPLES of the manual pages, and from --help.  Each must succeed, in the
order of its page, in one folder for each page.  The tutorial has a test of its own.

A new example needs nothing here: the files that a command names are made before it runs, and sizes are made small.
What cannot run is in NOT_RUN with the reason.  Under mpirun commands run on one rank, and kernels are compiled before
they are needed for one dtype; with MANIPLE_TEST_FULL=1 as the commands say.  A command that several pages show runs
once."""

import glob
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys

import h5py
import numpy as np
import scipy.sparse

sys.path.append(os.path.join(os.environ["srcdir"], "tests/numpy"))
from image_files import fits_bytes, tiff_bytes  # noqa: E402

SOURCE, BUILD = os.environ["srcdir"], os.environ["builddir"]
MANIPLE = os.environ["MANIPLE"]
FULL = os.environ.get("MANIPLE_TEST_FULL")

# Beginnings of commands, and why they are not run
NOT_RUN = {
    "./quickstart": "it builds the tree",
    "BUILD_DIR=": "it builds the tree",
    "./configure": "it builds the tree",
    "make": "it builds the tree",
    "module": "a cluster's command",
    "maniple bench all": "it takes minutes",
    "mpirun -n 4 maniple bench all": "it takes minutes",
    "maniple bench --compare": "its status depends on what was measured",
    "LD_LIBRARY_PATH=build-debug/.libs": "a program of the reader's",
    "gfortran": "the module for Fortran is built where there is a compiler for it",
    "mpirun -n 4 ./heat": "the program of Fortran",
    "MANIPLE_DUMP_KERNELS=folder ./program": "a program of the reader's",
    "mpirun --bind-to none -n 1 ./program": "a program of the reader's",
    "mpirun --map-by slot:PE=4 -n 2 ./program": "a program of the reader's",
    "srun": "a cluster's command; tests/slurm/jobs.t runs jobs",
    "./program": "a program of the reader's",
    "mpirun -n 2 ./program": "a program of the reader's",
    "mkdir -p $CUDA_MPS_PIPE_DIRECTORY": "a folder of a process that serves GPUs",
    "nvidia-cuda-mps-control": "a process that serves GPUs",
    "echo quit | nvidia-cuda-mps-control": "a process that serves GPUs",
    "maniple eval -q 'sum(x)'": "the text goes on without naming x",
    "maniple solve poisson:64x64 -o x.h5:/x --method cg --precond NAME": "NAME stands for several",
}

# What files hold where a command wants more of them than an image, a vector or a system of equations: by the ending
CONTENTS = {
    "b.h5:/b": lambda: np.ones(64),
    "in.h5:/u": lambda: np.linspace(0, 1, 40),
    "in.h5:/runs": lambda: np.ones((3, 48, 64)),
    "cube.h5:/flux": lambda: np.ones((20, 5, 6), np.float32),
    "runs.h5:/temperature": lambda: np.arange(60.0).reshape(5, 12),
    "packed": lambda: np.arange(96, dtype=np.uint8),
    "series": lambda: np.sin(np.arange(50.0)),
    "table": lambda: np.sin(np.arange(20.0 * 12)).reshape(20, 12),
    "row": lambda: np.linspace(1, 2, 64),
    "kernel": lambda: np.ones((5, 5)),
    "psf.h5:/kernel": lambda: np.ones((5, 5)),
    "model.h5:/a": lambda: np.eye(48) + np.arange(48.0) / 99,
    "model.h5:/b": lambda: np.ones(48),
    "pattern.h5:/p": lambda: np.ones((4, 4)),
}
WRITING = ("-o", "--output", "--picture", "--checkpoint", "--resume")  # the words behind are no inputs
TEXTS = {"step.txt": "u[1:-1] += 0.1*(u[:-2] - 2*u[1:-1] + u[2:])\n", "standard.txt": "z = (x - mean(x)) / std(x)\n"}


def check(good, text):
    print(f"{'ok' if good else 'not ok'} - {text}".replace("\n", " "), flush=True)


# ---- the pages ----

def commands_of_markdown(text):
    """Lines of sh blocks, the exported variables of each block before them; and commands within the text."""
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        exports = ""
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("export "):
                exports += line + "\n"
            elif line and not line.startswith("#"):
                yield exports, line
    for span in re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        if re.match(r"(mpirun -n \d+ )?maniple [a-z]+ \S+ \S", span):
            yield "", span


def commands_of_manual(text):
    examples = re.search(r"^\.Sh EXAMPLES\n(.*?)^\.Sh", text, re.M | re.S)
    for line in re.findall(r"^\.Dl (?:\$ )?(.*)", examples.group(1) if examples else "", re.M):
        yield "", re.sub(r"\\([-e])", lambda m: {"-": "-", "e": "\\"}[m.group(1)], line).replace(r"\&", "")


def commands_of_help(text):
    examples = re.search(r"^Examples?:\n((?:  .*\n)+)", text, re.M)
    for line in examples.group(1).splitlines() if examples else []:
        yield "", line.strip()


def pages():
    for path in ["README.md", *sorted(glob.glob("docs/guide/*.md", root_dir=SOURCE))]:
        yield path, list(commands_of_markdown(open(os.path.join(SOURCE, path)).read()))
    for path in sorted(glob.glob("docs/man/*.1", root_dir=SOURCE)):
        yield path, list(commands_of_manual(open(os.path.join(SOURCE, path)).read()))
    listed = subprocess.run([MANIPLE, "help"], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"^  ([a-z]+) ", listed, re.M):
        if name != "help":
            text = subprocess.run([MANIPLE, name, "--help"], capture_output=True, text=True, check=True).stdout
            yield f"maniple {name} --help", list(commands_of_help(text))


# ---- what a command needs ----

def smaller(command):
    """The same with arrays of few elements: extents of 100 and more that are joined by x; few sizes, few iterations."""
    if " info " in command:
        return command

    def shape(match):
        return re.sub(r"\d+", lambda n: str(max(8, int(n.group()) // 64)), match.group())

    for large, small in ((" 1G", " 32"), ("--every 500", "--every 5"), ("--elements 16777216", "--elements 5000")):
        command = command.replace(large, small)
    if not FULL:  # the kernels of one float type take half a minute to compile
        command = re.sub(r"(--warm) \S+", r"\1 bool", command)
    return re.sub(r"\b\d{3,}(x\d{3,})+(/\d+)?", shape, command)


def poisson():
    line = scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(8, 8))
    return scipy.sparse.csr_matrix(scipy.sparse.kronsum(line, line))


def write_dataset(path, name, values):
    with h5py.File(path, "a") as file:
        if name in file:
            return
        if scipy.sparse.issparse(values):
            for member in ("data", "indices", "indptr", "shape"):
                file[f"{name}/{member}"] = getattr(values, member)
        else:
            file[name] = values


def write_bytes(path, content):
    with open(path, "wb") as file:
        file.write(content)


def contents(operand):
    for ending, make in CONTENTS.items():
        if operand.endswith(ending):
            return make()
    return np.arange(48.0 * 64).reshape(48, 64)


def make_inputs(words):
    """The files that a command names, but for those that its options say it writes."""
    for before, word in zip(["", *words], words):
        operand = re.sub(r"^[a-z]\w*=", "", word)
        if before in WRITING:
            continue
        matrix = before in ("solve", "spinfo") and "linalg" not in words
        dataset = re.fullmatch(r"([\w.]+\.h5):(/\w+)(\[.*\])?", operand)
        if dataset:
            values = poisson() if matrix else contents(dataset.group(1) + ":" + dataset.group(2))
            write_dataset(dataset.group(1), dataset.group(2), values)
        elif re.fullmatch(r"[\w.]+\.tif", operand) and not os.path.exists(operand):
            write_bytes(operand, tiff_bytes([contents(operand).astype(np.uint16)]))
        elif re.fullmatch(r"[\w.]+\.fits(:\w+)?", operand):
            image = fits_bytes(contents(operand).astype(np.float32), False, EXTNAME="SCI")
            write_bytes(operand.split(":")[0], fits_bytes(None, True) + image)
        elif operand.endswith(".mtx") and not os.path.exists(operand):
            entries = poisson().tocoo()
            with open(operand, "w") as file:
                file.write(f"%%MatrixMarket matrix coordinate real general\n64 64 {entries.nnz}\n")
                file.writelines(f"{i + 1} {j + 1} {v}\n" for i, j, v in zip(entries.row, entries.col, entries.data))
        elif operand in TEXTS:
            with open(operand, "w") as file:
                file.write(TEXTS[operand])
        elif re.fullmatch(r"[\w.]+\.h5", operand) and not os.path.exists(operand):
            write_dataset(operand, "/x", np.ones(3))
        elif os.path.isfile(os.path.join(SOURCE, "docs/examples", operand)) and "." in operand:
            shutil.copy(os.path.join(SOURCE, "docs/examples", operand), operand)


def stand_in(name, script):
    path = os.path.join(folder, "bin", name)
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + script)
    os.chmod(path, stat.S_IRWXU)


# ---- the run ----

folder = os.getcwd()
os.makedirs("bin")
os.makedirs("maniple/lib/pkgconfig")
flags = f"-I{SOURCE}/include {os.environ.get('LDFLAGS', '')}"
# what is compiled once for all tests is not to be deleted
other_cache = f'[ "$1" != cache ] || [ "$2" = --warm ] || export MANIPLE_CACHE_DIR="{folder}/cache"'
stand_in("maniple", f'{other_cache}\nexec "{MANIPLE}" "$@"\n')
stand_in("cc", f'exec {os.environ.get("CC", "cc")} "$@" {flags}\n')
stand_in("g++", f'exec {os.environ.get("CXX") or "c++"} "$@" {flags}\n')
stand_in("pkg-config", f'exec "{shutil.which(os.environ["PKG_CONFIG"])}" "$@"\n')
if FULL and os.environ.get("MPIRUN"):
    stand_in("mpirun", f'exec "{shutil.which(os.environ["MPIRUN"])}" "$@"\n')
else:
    # a benchmark of communication wants two
    two = f'[ "$2" != bench ] || exec "{shutil.which(os.environ.get("MPIRUN") or "mpirun")}" -n 2 "$@"'
    stand_in("mpirun", f'shift 2\n{two}\nexec "$@"\n')
with open(f"{BUILD}/maniple.pc") as original, open("maniple/lib/pkgconfig/maniple.pc", "w") as ours:
    ours.write(re.sub(r"(?m)^libdir=.*", f"libdir={BUILD}/.libs", original.read()))
environment = {**os.environ, "HOME": folder, "PATH": f"{folder}/bin:{os.environ['PATH']}",
               "PKG_CONFIG_PATH": f"{folder}/maniple/lib/pkgconfig",
               "LD_LIBRARY_PATH": f"{BUILD}/.libs:{os.environ.get('LD_LIBRARY_PATH', '')}"}

ran = []
for number, (page, commands) in enumerate(pages()):
    os.makedirs(os.path.join(folder, str(number)))
    os.chdir(os.path.join(folder, str(number)))
    for exports, command in commands:
        reason = next((why for start, why in NOT_RUN.items() if command.startswith(start)), None)
        if not reason and "jq" in command and not shutil.which("jq"):
            reason = "there is no jq"
        for ending, built in ((".tif", "has_tiff"), (".fits", "has_fits")):
            if ending in command and os.environ[built] == "0":
                reason = f"this build reads no {ending}"
        if exports + command in ran:
            continue
        ran.append(exports + command)
        if reason:
            print(f"# {page}: not run, as {reason}: {command}", flush=True)
            continue
        command = smaller(command)
        make_inputs(shlex.split(command, comments=True))
        done = subprocess.run(["sh", "-c", exports + command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env=environment)
        problem = "" if done.returncode == 0 else f": status {done.returncode}: {done.stderr}"
        check(not problem, f"{page}: {command.split('  #')[0].strip()}{problem}")
check(len(ran) > 50, f"the pages have {len(ran)} commands")
