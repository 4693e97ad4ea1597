# SPDX-License-Identifier: BSD-3-Clause
"""Command lines that are drawn at random, most of them wrong, for hostile.t, which prints the points.

    hostile.py RANKS LINES [FIRST]     MANIPLE_TEST_SEED and the number of a line decide what it is;
                                       MANIPLE_TEST_SHOW=1 prints all lines, with what the command says

Every line runs in the same folder (hostile_world.py).  Whatever it is (hostile_lines.py), the command ends by itself
with a status of the manual's.  A failure is one sentence, and every file is what it was; after success so are all but
the outputs, which can be opened and have kept what else they had.  No other file appears."""

import hashlib
import json
import os
import random
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import h5py
import numpy as np

import hostile_world
from hostile_lines import Lines

COMMAND = os.environ["MANIPLE"]
LIMIT = 300  # seconds; the machine may be busy
NEVER = re.compile(r"\b(mnp|h5|npy|array|png|ctx)_[a-z]|HDF5-DIAG|H5[A-Z]\w*\(|^ *#\d+: |ssert|egmentation|\bAborted|"
                   r"SIG[A-Z]{3}|\.c:\d|\(null\)|-nan|terminate called|Sanitizer|what\(\):|[Bb]acktrace|free\(\)|"
                   r"malloc|MPI_ERR|errno|0x[0-9a-f]{6}", re.M)


# The table of --profile, which names functions of the library
PROFILE = re.compile(r"\nprofile of \d+ ranks?, .*\nfunction  .*\n(mnp_\w+( +[\d.]+%?| +-){10}\n)*(a copy .*\n)?"
                     r"\d+ kernels loaded in .*\n")


# ---- files ----

def look(path):
    """What is at a path: links as such, files by their contents."""
    status = os.lstat(path)
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFLNK:
        return "link to " + os.readlink(path)
    if kind != stat.S_IFREG:
        return f"{kind:o}"
    with open(path, "rb") as file:
        return f"{stat.S_IMODE(status.st_mode):o} {hashlib.md5(file.read()).hexdigest()}"


def snapshot():
    return {os.path.join(folder, name): look(os.path.join(folder, name))
            for folder, folders, names in os.walk(".") for name in folders + names}


def datasets(path):
    """The bytes of all datasets of an HDF5 file, by their paths."""
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset):
            values = item[()]
            found["/" + name] = values.tobytes() if hasattr(values, "tobytes") else repr(values)

    with h5py.File(path, "r") as file:
        file.visititems(take)
    return found


def written_by(words):
    """The places that a line says it writes, with the datasets: what follows the options that name outputs."""
    named = ("output", "picture", "png", "checkpoint")
    for before, word in zip(["", *words], words):
        texts = []
        if before.startswith("--"):
            texts += [word] if any(name.startswith(before[2:]) for name in named) else []
        elif before.startswith("-") and "o" in before:
            texts.append(word)
        if word.startswith("--") and "=" in word:
            option, argument = word[2:].split("=", 1)
            texts += [argument] if any(name.startswith(option) for name in named) else []
        elif word.startswith("-") and "o" in word:
            texts.append(word.split("o", 1)[1])
        for text in texts:
            for whole in {text, text.split("=", 1)[-1]}:
                for end in [match.start() for match in re.finditer(":", whole)] + [len(whole)]:
                    yield whole[:end], whole[end + 1:]


# ---- what must hold ----

def check_words(words, status, out, err, ranks):
    """What is wrong with the status and the sentences."""
    if status not in ((0, 1, 2, 3) if words[0] == "solve" else (0, 1, 2)):
        return f"status {status}"
    if any(len(word) > 3 and "--profile".startswith(word) for word in words):
        err = PROFILE.sub("", err)
    found = NEVER.search(out + err)
    if found and found.group() not in " ".join(words):
        return f"says {found.group()!r}"
    if status == 2 and out:
        return "reports, and fails then"
    if status == 0 and {"-j", "--json"} & set(words) and not {"-h", "--help", "--"} & set(words):
        try:
            json.loads(out)
        except ValueError as error:
            return f"JSON that is not: {error}"
    lines = [line for line in err.splitlines() if line.startswith("maniple: ")]
    if status in (1, 2) and len(lines) != 1:
        return f"{len(lines)} sentences"
    if ranks == 1 and not any("\n" in word or "\r" in word for word in words):
        other = [line for line in err.splitlines() if not re.match("maniple[: ]|    ", line)]
        if other:
            return f"another line: {other[0]!r}"
    return ""


def check_output(path, dataset, before):
    """What is wrong with an output: it cannot be opened, or has lost something."""
    if not os.path.isfile(path) or "damaged" in path:
        return ""  # h5py may not survive what was damaged before
    start = open(path, "rb").read(4)
    if start == b"\x93NUM":
        np.load(path)
    if path.lower().endswith(".svg"):
        xml.etree.ElementTree.parse(path)
    if start != b"\x89HDF":
        return ""
    now = datasets(path)
    kept = "/" + "/".join(part for part in dataset.split("/") if part not in ("", "."))
    with h5py.File(path, "r") as file:
        written = [file[name] for name in (kept, kept + "_history") if name in file]
        for name, values in before.items():
            # a dataset may have several names, of which one was written
            is_output = name in file and file[name] in written
            if not is_output and now.get(name) != values and name not in ("/x", "/iterations"):
                return f"{path} has lost or changed {name}"
    return ""


class World:
    """The folder, which is what it was before each line."""

    def __init__(self):
        self.root = tempfile.mkdtemp()
        self.here = os.path.join(self.root, "here")
        self.temporary = os.path.join(self.root, "tmp")
        os.makedirs(self.here)
        os.makedirs(self.temporary)
        os.chdir(self.here)
        hostile_world.make()
        subprocess.run([COMMAND, "solve", "poisson:4x4", "-q", "-o", "new.h5:/x", "--checkpoint", "state.h5",
                        "--every", "1",
                        "--method", "cg", "--rtol", "1e-15", "--maxiter", "3"], check=False)
        os.unlink("new.h5")
        self.files = snapshot()
        subprocess.run(["cp", "-a", self.here, os.path.join(self.root, "kept")], check=True)
        self.before = {}

    def restore(self):
        os.chdir(self.root)
        shutil.rmtree("here")
        subprocess.run(["cp", "-a", "kept", "here"], check=True)
        os.chdir(self.here)

    def add_damaged(self, words):
        """Make the damaged files that a line names; the line's number decides what is wrong with them."""
        made = {match.group() for word in words
                for match in re.finditer(r"damaged\d+_(in|other|gray|A)\.(h5|npy|png|mtx)", word)}
        for copy in made:
            hostile_world.damage(copy.split("_")[1], copy)
            self.files["./" + copy] = look(copy)
        return made

    def remove_damaged(self, made):
        for copy in made:
            del self.files["./" + copy]
            if os.path.exists(copy):
                os.unlink(copy)

    def datasets_before(self, path):
        path = os.path.relpath(path)
        if path not in self.before and "damaged" not in path:
            try:
                self.before[path] = datasets(os.path.join(self.root, "kept", path))
            except (OSError, KeyError, RuntimeError, ValueError, TypeError):
                self.before[path] = {}
        return self.before.get(path, {})

    def check_files(self, words, status, err):
        """What is wrong with the files, which are then as they were again."""
        now = snapshot()
        changed = {path for path in now.keys() | self.files.keys() if now.get(path) != self.files.get(path)}
        wrong = ""
        places = list(written_by(words))
        allowed = {os.path.realpath(path) for path, _ in places if path}
        left = [path for path in changed if os.path.basename(path).startswith(".")
                and os.path.realpath(path) not in allowed]
        inodes = {(s.st_dev, s.st_ino) for s in map(os.stat, filter(os.path.exists, allowed))}
        partial = status == 1 and re.search("icture|--png|output", err)  # the numbers are written all the same
        if left:
            wrong = f"{left[0]} is left"
        elif changed and status in (1, 2) and not partial:
            wrong = f"failed, and {min(changed)} has changed"
        for path in sorted(changed):
            same = os.path.exists(path) and (os.stat(path).st_dev, os.stat(path).st_ino) in inodes
            if not wrong and os.path.realpath(path) not in allowed and not same:
                wrong = f"{path} is no output, and has changed"
        for path, dataset in places if not wrong else []:
            real = os.path.realpath(path)
            if os.path.relpath(real, self.here) in {os.path.relpath(c) for c in changed}:
                try:
                    wrong = wrong or check_output(real, dataset, self.datasets_before(real))
                except (OSError, ValueError, KeyError, RuntimeError, SyntaxError) as error:
                    wrong = f"{path} cannot be read: {error}"
        if not wrong and [name for name in os.listdir(self.temporary) if name.startswith("maniple")]:
            wrong = f"{os.listdir(self.temporary)[0]} is left in TMPDIR"
        if changed:
            self.restore()
        return wrong


def run(words, ranks, environment):
    words = [word for word in words if word != ":" or ranks == 1]  # mpirun's own
    mpirun = [os.environ["MPIRUN"], "-n", str(ranks)] if ranks > 1 else []
    # by a shell that limits the size of files, so that a size that was meant cannot fill the disk
    command = ["sh", "-c", 'ulimit -f 200000; exec "$@"', "sh", *mpirun, COMMAND, *words]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment, start_new_session=True)
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return None, "", ""
    return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def main():
    ranks, count = int(sys.argv[1]), int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    seed = int(os.environ.get("MANIPLE_TEST_SEED") or int.from_bytes(os.urandom(4), "little"))
    world = World()
    lines = Lines(COMMAND)
    environment = {**os.environ, "TMPDIR": world.temporary, "MANIPLE_MEMORY_LIMIT": "300M", "HOME": world.root}
    statuses, wrong = {}, 0
    for number in range(first, first + count):
        words = lines.line(random.Random(seed * 1000003 + number))
        if any("\0" in word for word in words):
            continue
        own_cache = {"MANIPLE_CACHE_DIR": os.path.join(world.root, "cache")} if words[0] == "cache" else {}
        made = world.add_damaged(words)
        status, out, err = run(words, ranks, {**environment, **own_cache})
        if status is None:
            problem = f"no end within {LIMIT} s"
            world.restore()
        else:
            problem = check_words(words, status, out, err, ranks)
            problem = world.check_files(words, status,
                                        err) if not problem else problem + " " + world.check_files(words, status, err)
        world.remove_damaged(made)
        statuses[status] = statuses.get(status, 0) + 1
        if "MANIPLE_TEST_SHOW" in os.environ:
            print(f"# {number}: {status} maniple {shlex.join(words)[:300]!r} {err.strip()[:400]!r}", flush=True)
        if problem:
            wrong += 1
            text = f"line {number} on {ranks} rank(s): maniple {shlex.join(words)}: {problem.strip()}"
            print("not ok - " + text.replace("\n", "\\n")[:2000], flush=True)
            print("".join(f"#     {line[:600]}\n" for line in err.splitlines()[:12]), end="", flush=True)
    shutil.rmtree(world.root)
    told = ", ".join(f"{n} with status {status}" for status, n in sorted(statuses.items(), key=str))
    print(f"# MANIPLE_TEST_SEED={seed} and {first} as the third argument repeat this run")
    print(f"{'not ok' if wrong else 'ok'} - {count} lines on {ranks} rank(s) from line {first}: {told}")


main()
