# SPDX-License-Identifier: BSD-3-Clause
"""Layouts from texts, and arrays that every rank has whole."""

import maniple as mp
import numpy as np

rng = mp.random()


def same(a, b):
    return bool(mp.layout_equal(a, b))


# --- layouts from texts: all of tests/layout/notation.c, here on the ranks that run -----------------------------------

shape = (7, 5)
line = [mp.size]
mp.ok(same(mp.layout_parse(2, shape, "0, *"), mp.Layout(line, shape, [0, -1])), "by rows")
mp.ok(same(mp.layout_parse(2, shape, "-, 0"), mp.Layout(line, shape, [-1, 0])), "by columns")
mp.ok(same(mp.layout_parse(2, shape, "*, *"), mp.Layout(line, shape, [-1, -1])), "whole")
mp.ok(same(mp.layout_parse(2, shape, f"1, 0 on 1 x {mp.size}"), mp.Layout([1, mp.size], shape, [1, 0])), "on a mesh")
mp.ok(same(mp.layout_parse(2, shape, "0(2), *"), mp.layout_new_cyclic(1, line, 2, shape, [0, -1], [2, 0])), "dealt out")
mp.fails("MNP_ERR_ARG", "at column 4", mp.layout_parse, 2, shape, "0, y")
mp.fails("MNP_ERR_ARG", "has 1 dimension, and the shape 2", mp.layout_parse, 2, shape, "0")
mp.fails("MNP_ERR_ARG", f"{mp.size} rank", mp.layout_parse, 2, shape, f"0, 1 on {mp.size} x 7")

# --- arrays that every rank has ---------------------------------------------------------------------------------------

for shape in (13, 10), (1, 7), (0, 4), (9,), (), (3, 2, 5):
    for _ in range(3):
        a = rng.integers(-99, 99, shape).astype(str(rng.choice(["uint8", "float64", "complex64"])))
        x = mp.replicate(mp.array(a, mp.random_layout(rng, shape)))
        mp.ok(np.array_equal(x.local(), a), f"{shape}: every rank has all of it")
a = rng.standard_normal((13, 10))
x = mp.array(a, mp.random_layout(rng, a.shape))
mp.ok(np.array_equal(mp.replicate(mp.transpose(x, None)).local(), a.T), "of a view")
dealt = mp.redistribute(x, mp.layout_parse(2, a.shape, "0(2), *"))
mp.ok(np.array_equal(mp.replicate(dealt).local(), a), "of an array that is dealt out")
whole = mp.replicate(x)
again = mp.replicate(whole)
mp.add(whole, 1.0, out=whole)
mp.ok(np.array_equal(again.local(), a), "of one that every rank has already, a copy")
mp.ok(mp.replicate(x, out=whole) is whole and np.array_equal(whole.local(), a), "into an array")
mp.fails("MNP_ERR_ARG", "mnp_replicate", mp.replicate, x, out=mp.array(a.astype("float32")))
mp.fails("MNP_ERR_ARG", "mnp_replicate", mp.replicate, 2.0)

mp.done()
