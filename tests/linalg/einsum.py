# SPDX-License-Identifier: BSD-3-Clause
"""mnp_einsum: known expressions, random ones, paths, and refusals; against NumPy."""

import ctypes

import maniple as mp
import numpy as np

rng = mp.random()
EPS = {"float32": 2.0 ** -24, "complex64": 2.0 ** -24, "float64": 2.0 ** -53}
ORDERS = mp.MNP_EINSUM_GREEDY, mp.MNP_EINSUM_OPTIMAL, mp.MNP_EINSUM_IN_ORDER


def numbers(shape, dtype):
    if dtype == "bool":
        return rng.random(shape) < 0.4
    if dtype == "int32":
        return rng.integers(-2 ** 31, 2 ** 31, shape).astype("int32")
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if dtype == "complex64" else values).astype(dtype)


def compare(subscripts, arrays, order, out=False):
    """Every rounding of a product of all operands is one of at most 8 + the number of terms of a sum, for each operand."""
    dtype = np.result_type(*arrays)
    wide = {"c": np.complex128, "f": np.float64}.get(dtype.kind, dtype)
    want = np.asarray(np.einsum(subscripts, *(a.astype(wide) for a in arrays), dtype=wide))
    name = f"{subscripts} {[a.shape for a in arrays]} {dtype} order {order}"
    given = {"out": mp.array(np.zeros(want.shape, dtype), mp.random_layout(rng, want.shape))} if out else {}
    got = mp.einsum(subscripts, [mp.array(a, mp.random_layout(rng, a.shape)) for a in arrays], len(arrays), order, **given)
    if dtype.name not in EPS:
        return mp.check(name, got, want.astype(dtype))
    g = got.numpy()
    size = np.einsum(subscripts, *(np.abs(a).astype(float) for a in arrays))
    terms = 256  # of a sum: four labels of at most four, or one dimension
    bound = 8 * len(arrays) * (terms + 4) * EPS[dtype.name] * size
    good = g.dtype == dtype and g.shape == want.shape and bool((np.abs(g - want) <= bound).all())
    return mp.ok(good, name if good else f"{name}: {g.dtype} {g.shape}, off by {np.max(np.abs(g - want), initial=0):.3g}")


KNOWN = [("ij,jk->ik", (3, 4), (4, 5)), ("ij,jk", (3, 4), (4, 5)), ("ji,jk->ki", (4, 3), (4, 5)), ("i,i", (6,), (6,)), ("i,j", (3,), (4,)),
         ("ii", (5, 5)), ("ii->i", (5, 5)), ("iij->j", (4, 4, 3)), ("iii->i", (3, 3, 3)), ("ij->ji", (3, 4)), ("ij->", (3, 4)),
         ("ba", (3, 4)), ("ij->j", (3, 4)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("bij,bkj->bik", (2, 3, 4), (2, 5, 4)),
         ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 3)), ("...i,...i->...", (3, 4), (4,)), ("i...,i...", (3, 4), (3, 2, 4)),
         ("...", (2, 3)), ("ij...->j...", (2, 3, 4)), ("ijkl,klmn->ijmn", (2, 3, 4, 5), (4, 5, 3, 2)), ("ijk,jil->kl", (3, 4, 5), (4, 3, 2)),
         ("ij,jk,kl->il", (3, 4), (4, 5), (5, 2)), ("ij,kj,kl,ml->im", (3, 4), (5, 4), (5, 2), (6, 2)), ("ij,ij,ij->ij", (3, 4), (3, 4), (3, 4)),
         ("ij,jk", (3, 1), (4, 5)), (",i->i", (), (4,)), (",", (), ()), ("", ()), ("i->", (0,)), ("ij,jk->ik", (3, 0), (0, 2)), ("aB,BA->Aa", (2, 3), (3, 4)),
         ("abc,cd,de,ebf->af", (2, 3, 4), (4, 3), (3, 2), (2, 3, 5)), (" i j , j k -> i k ", (3, 4), (4, 5))]
for number, (subscripts, *shapes) in enumerate(KNOWN):
    for dtype in ("float64", "int32", "complex64", "bool") if mp.FULL else (("float64", "int32", "complex64", "bool")[number % 4],):
        compare(subscripts, [numbers(s, dtype) for s in shapes], ORDERS[number % 3], number % 2)


def random_case():
    count = int(rng.integers(1, 5))
    extents = {c: int(rng.integers(1, 5)) for c in "abcdef"}
    stack = [int(n) for n in rng.integers(1, 4, int(rng.integers(0, 3)))] if rng.random() < 0.3 else []
    terms, shapes = [], []
    for _ in range(count):
        letters = [str(c) for c in rng.choice(list(extents), int(rng.integers(0, 5)))]
        shape = [extents[c] if rng.random() < 0.95 or letters.count(c) > 1 else 1 for c in letters]
        if stack and rng.random() < 0.7:
            place, own = int(rng.integers(0, len(letters) + 1)), [n if rng.random() < 0.8 else 1 for n in stack][int(rng.integers(0, len(stack) + 1)):]
            letters[place:place] = ["..."]
            shape[place:place] = own
        terms.append("".join(letters))
        shapes.append(tuple(shape))
    subscripts = ",".join(terms)
    if rng.random() < 0.8:
        there = sorted(set(subscripts) - set(",."))
        kept = [str(c) for c in rng.permutation(there)[:int(rng.integers(0, len(there) + 1))]] if there else []
        if "..." in subscripts:
            kept.insert(int(rng.integers(0, len(kept) + 1)), "...")
        subscripts += "->" + "".join(kept)
    return subscripts, shapes


for number in range(1000 if mp.FULL else 60):
    subscripts, shapes = random_case()
    dtypes = [("float64", "int32", "float32", "complex64", "bool")[number % 5]] * len(shapes)
    if number % 7 == 0 and dtypes[0] != "bool":
        dtypes[0] = "float32" if dtypes[0] != "int32" else "bool"
    compare(subscripts, [numbers(s, d) for s, d in zip(shapes, dtypes)], ORDERS[number % 3])

# --- paths ------------------------------------------------------------------------------------------------------------


def path(subscripts, shapes, order):
    pairs = (ctypes.c_int * 64)()
    cost = mp.einsum_path(subscripts, [mp.array(np.zeros(s)) for s in shapes], len(shapes), order, pairs)
    return [(pairs[2 * s], pairs[2 * s + 1]) for s in range(len(shapes) - 1)], cost


chain = "ab,bc,cd,de->ae", [(10, 100), (100, 5), (5, 50), (50, 1)]
for order, want in (mp.MNP_EINSUM_OPTIMAL, 1750.0), (mp.MNP_EINSUM_IN_ORDER, 5000 + 2500 + 500.0):
    mp.ok(path(*chain, order)[1] == want, f"operations of a chain, order {order}: {path(*chain, order)}")
mp.ok(path(*chain, mp.MNP_EINSUM_IN_ORDER)[0] == [(0, 1), (0, 2), (0, 1)], "the first to the last")
best = path(*chain, mp.MNP_EINSUM_OPTIMAL)[0]
theirs = np.einsum_path(chain[0], *(np.zeros(s) for s in chain[1]), optimize="optimal")[0][1:]
mp.ok([tuple(p) for p in best] == [tuple(sorted(p)) for p in theirs], f"the optimal path is NumPy's: {best}, {theirs}")
for _ in range(10):
    count = int(rng.integers(2, 7))
    letters = [[str(c) for c in rng.choice(list("abcdefgh"), 2, replace=False)] for _ in range(count)]
    extents = {c: int(rng.integers(2, 9)) for c in "abcdefgh"}
    case = ",".join("".join(t) for t in letters) + "->", [tuple(extents[c] for c in t) for t in letters]
    costs = [path(*case, order)[1] for order in ORDERS]
    mp.ok(costs[1] <= min(costs), f"no order has fewer operations than the optimal one: {case[0]} {costs}")

# --- refusals ---------------------------------------------------------------------------------------------------------

x = mp.array(np.ones((3, 4)))
for words, subscripts, arrays in ("has 1 subscripts for operand 0, which has 2", "i", [x]), ("column 2", "i1", [x]), ("stands for 4", "ij,kj->ik", [x, mp.transpose(x, None)]), \
        ("subscripts for 1 operands, and there are 2", "ij", [x, x]), ("for more operands than the 1", "ij,jk", [x]), ("twice", "ij->ii", [x]), \
        ("no operand has", "ij->k", [x]), ("lacks the ellipsis", "...j->j", [x]), ("second ellipsis", "...i...", [x]), ("stands for 3", "ii", [x]), \
        ("0 operands", "", []), ("an arrow is written", "ij-i", [x]), ("another order", "ab,cd,ef,gh,ij", [x] * 5):
    mp.fails("MNP_ERR_ARG", words if words != "another order" else "more dimensions than", mp.einsum, subscripts, arrays, len(arrays), 0)
mp.fails("MNP_ERR_ARG", "5 is no order", mp.einsum, "ij", [x], 1, 5)
mp.fails("MNP_ERR_ARG", "has the shape (3, 4)", mp.einsum, "ij->ji", [x], 1, 0, out=mp.array(np.ones((3, 4))))
mp.done()
