# SPDX-License-Identifier: BSD-3-Clause
"""What plans count, beside what a profile of the same command counts: the bytes and messages of the rank that sends
most, all-reduces, and the memory of a rank.  Times flicker; these do not."""

import json
import os
import subprocess
import sys

import numpy as np

MANIPLE, MPIRUN = os.environ["MANIPLE"], os.environ.get("MPIRUN")
# one start of mpirun after the other is most of the time: all numbers of ranks are for the full tier
RANKS = (1,) if not MPIRUN else (1, 2, 3, 4) if os.environ.get("MANIPLE_TEST_FULL") else (1, 3)


def check(passed, what):
    print("ok" if passed else "not ok", "-", what)


def run(ranks, words, **environment):
    start = [MPIRUN, "-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run([*start, MANIPLE, *words], capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode not in (0, 3):  # 3: solve has not converged
        print("#", *words, done.stderr)
        sys.exit(f"{words} ended with {done.returncode}")
    return done.stdout


def planned(ranks, words):
    plan = json.loads(run(ranks, [*words, "--plan", "--json"]))
    told = plan.get("predicted_iteration", plan.get("predicted"))
    return told["sent_bytes"], told["messages"], told["all_reduces"], plan["memory_a_rank"]["all"], plan


def profiled(ranks, words, functions):
    """Of the functions together; and the memory of all, without what a program has that computes a number."""
    for name in ("out.h5", "profile.json"):
        if os.path.exists(name):
            os.unlink(name)
    run(ranks, words, MANIPLE_PROFILE="profile.json")
    with open("profile.json", encoding="utf-8") as file:
        profile = json.load(file)
    rows = [row for row in profile["functions"] if row["name"] in functions.split()]
    counts = [sum(row[key] for row in rows) for key in ("sent_bytes", "messages", "collectives")]
    return (*counts, profile["heap_bytes"], profile["scratch_bytes"] % (1 << 24))  # reductions keep 16 MiB


rng = np.random.default_rng(1)
np.save("image.npy", rng.random((300, 200)).astype("f4"))
np.save("cube.npy", (rng.random((32, 24, 20)) + 0j).astype("c8"))
np.save("x.npy", rng.random((400, 100)))
np.save("a.npy", rng.random((400, 300)))
np.save("b.npy", rng.random((300, 20)))

# heap and scratch memory of a program that has no arrays
BASE = {ranks: profiled(ranks, ["eval", "1 + 1", "-q"], "")[3:] for ranks in RANKS}
IMAGE = ["conv", "image.npy", "hanning:7x5", "--method"]
OUT = ["-o", "out.h5:/y"]
# name: (arguments, outputs, functions, whether memory is compared)
EXACT = {
    "conv direct": ([*IMAGE, "direct"], OUT, "mnp_conv_execute", True),
    "conv direct, wrapped": ([*IMAGE, "direct", "--boundary", "wrap"], OUT, "mnp_conv_execute", True),
    "conv direct, mirrored": ([*IMAGE, "direct", "--boundary", "mirror"], OUT, "mnp_conv_execute", True),
    "conv direct, nearest": ([*IMAGE, "direct", "--boundary", "nearest"], OUT, "mnp_conv_execute", True),
    "conv direct, full": ([*IMAGE, "direct", "--mode", "full"], OUT, "mnp_conv_execute", True),
    "conv direct, valid": ([*IMAGE, "direct", "--mode", "valid"], OUT, "mnp_conv_execute", True),
    "conv separable, symmetric": ([*IMAGE, "separable", "--boundary", "symm"], OUT, "mnp_conv_execute", True),
    "conv separable, full": ([*IMAGE, "separable", "--mode", "full"], OUT, "mnp_conv_execute", True),
    "conv overlap-add": ([*IMAGE, "overlap-add"], OUT, "mnp_conv_execute", True),
    "fft of a cube": (["fft", "cube.npy"], OUT, "mnp_fftn", True),
    "fft of a real image": (["fft", "image.npy", "--real"], OUT, "mnp_rfftn", True),
    "fft along one axis": (["fft", "image.npy", "--axes", "1"], OUT, "mnp_fftn", True),
    "filter gaussian_filter": (["filter", "gaussian_filter", "image.npy", "sigma=2"], OUT, "mnp_ndimage_gaussian_filter", True),
    "filter uniform_filter": (["filter", "uniform_filter", "image.npy", "size=5"], OUT, "mnp_ndimage_uniform_filter", True),
    "filter median_filter": (["filter", "median_filter", "image.npy", "size=3,5"], OUT, "mnp_ndimage_median_filter", True),
    "filter along one axis": (["filter", "uniform_filter", "image.npy", "size=9", "axes=0"], OUT, "mnp_ndimage_uniform_filter", True),
    "linalg norm": (["linalg", "norm", "a.npy"], OUT, "mnp_norm mnp_matrix_norm", True),
    "eval": (["eval", "y = x * 2 + 1", "x=x.npy"], ["-o", "y=out.h5:/y"], "mnp_eval", True),
    "eval of a sum": (["eval", "sum(x)", "x=x.npy"], [], "mnp_eval", False),
}
for name, (words, outputs, functions, compares_memory) in EXACT.items():
    wrong = []
    for ranks in RANKS:
        sent, messages, joins, memory, _ = planned(ranks, words)
        real_sent, real_messages, collectives, heap, scratch = profiled(ranks, [*words, *outputs, "-q"], functions)
        few = 16 * joins * (ranks - 1)  # the numbers of all-reduces count as sent, where they are gathered
        if not (sent <= real_sent <= sent + few and messages <= real_messages <= messages + joins * (ranks - 1)
                and joins == collectives):
            wrong.append(f"{ranks} ranks: {sent} B in {messages}, {joins} all-reduces, by the profile {real_sent} in "
                         f"{real_messages}, {collectives}")
        used = heap - BASE[ranks][0] + scratch - BASE[ranks][1]
        if compares_memory and not abs(used - memory) <= 0.03 * memory + 8192:
            wrong.append(f"{ranks} ranks: {memory} B of memory, by the profile {used}")
    check(not wrong, f"{name}: what is sent and kept {wrong}")

# --- products: the library tells what comes to a rank, which may be a little more than what one sends ---
words, wrong = ["linalg", "matmul", "a.npy", "b.npy"], []
for ranks in RANKS:
    sent, _, _, memory, _ = planned(ranks, words)
    real_sent, _, _, heap, scratch = profiled(ranks, [*words, *OUT, "-q"], "mnp_matmul")
    used = heap - BASE[ranks][0] + scratch - BASE[ranks][1]
    if abs(sent - real_sent) > 0.01 * real_sent or abs(used - memory) > 0.03 * memory + 8192:
        wrong.append(f"{ranks} ranks: {sent} B, {memory} B of memory, by the profile {real_sent}, {used}")
check(not wrong, f"linalg matmul: what is sent and kept {wrong}")

# --- an iteration of a solver: the difference between 20 and 10 of them ---
for method, precond in (("cg", "none"), ("cg", "jacobi"), ("bicgstab", "none"), ("minres", "none")):
    words = ["solve", "poisson:40x30", "--method", method, "--precond", precond]
    wrong = []
    for ranks in RANKS:
        few, many = (profiled(ranks, [*words, "--rtol", "1e-30", "--maxiter", str(n), "-q", *OUT], "mnp_solve") for n in (10, 20))
        one = [(b - a) / 10 for a, b in zip(few[:3], many[:3])]
        expected = list(planned(ranks, words)[:3])
        if one != expected:
            wrong.append(f"{ranks} ranks: {expected}, by the profile {one}")
    check(not wrong, f"solve, {method} with {precond}: what an iteration sends {wrong}")

# --- operations: as they are counted in books ---
for words, step, right in (
        ([*IMAGE, "direct"], "direct", 300 * 200 * 35),
        (["fft", "cube.npy"], "transform", 5 * 32 * 24 * 20 * np.log2(32 * 24 * 20)),
        (["linalg", "matmul", "a.npy", "b.npy"], "product", 2 * 400 * 300 * 20)):
    plan = planned(1, words)[4]
    found = [s["operations"] for s in plan["steps"] if s["what"] == step]
    check(np.allclose(found, [right]), f"{words[0]}: {right:.0f} operations {found}")
