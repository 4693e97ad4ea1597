# SPDX-License-Identifier: BSD-3-Clause
"""Products of matrices in texts: @ with Python's precedence, and functions by their names; against Python and NumPy."""

import maniple as mp
import numpy as np

rng = mp.random()
w = rng.uniform(1, 2, (5, 6))
values = {"x": w, "h": w.astype("float32"), "j": rng.integers(0, 6, (5, 6)).astype("int16"), "flag": w > 1.5,
          "t": rng.permutation(12) * 0.5, "c": w + 1j * rng.uniform(1, 2, (5, 6)), "s": rng.uniform(1, 2, (3, 5, 6))}
TEXTS = """x @ x.T; x.T @ x; x @ x[0]; x[:, 1] @ x; t @ t; 2 * x @ j.T - 1; x @ (x.T + 1) @ h; x * x @ x.T; x / 2 @ x.T * 3
    -x @ x.T; sum(x @ x.T, axis=0); x @ x.T > 3; flag @ flag.T; j @ x.T; s @ x.T; x @ swapaxes(s, 1, 2); s @ x[0]
    matmul(x, x.T); dot(x, x[0]); dot(x, 2); inner(x, x); vdot(c, c); outer(t, t); kron(x, h); c @ c.T; mean(x @ x.T) - x"""
arrays = {name: mp.array(a, mp.random_layout(rng, a.shape)) for name, a in values.items()}
texts = [t.strip() for t in TEXTS.replace("\n", ";").split(";")]
names = [f"o{n}" for n in range(len(texts))]
got = mp.eval("\n".join(f"{name} = {text}" for name, text in zip(names, texts)), names, **arrays)
for text, g in zip(texts, got):
    functions = {name: getattr(np, name) for name in "sum matmul dot inner vdot outer kron swapaxes mean".split()}
    right = np.asarray(eval(text, functions, values))  # noqa: S307
    g, eps = g.numpy(), np.finfo(np.float32 if right.dtype == np.float32 else float).eps
    error = np.linalg.norm((g.astype(complex) - right).ravel())  # sums of at most 36 products of positive numbers, three in a row
    good = g.dtype == right.dtype and g.shape == right.shape and error <= 500 * eps * np.linalg.norm(right.astype(complex).ravel())
    mp.ok(good, f"{text}: {g.dtype} {g.shape}, {error:.2g}")
power = mp.eval("z = matrix_power(x[:, :5], 3)", "z", x=arrays["x"])
right = np.linalg.matrix_power(w[:, :5], 3)
mp.ok(np.linalg.norm(power.numpy() - right) <= 1e-13 * np.linalg.norm(right), "matrix_power")
mp.fails("MNP_ERR_ARG", "operand 1 of a product of matrices has no dimension", mp.eval, "z = x @ 2", "z", x=arrays["x"])
mp.fails("MNP_ERR_ARG", "the operands have the shapes (5, 6) and (5, 6)", mp.eval, "z = x @ x", "z", x=arrays["x"])
mp.fails("MNP_ERR_ARG", "'x @= y' is written 'x = x @ y' here", mp.eval, "x @= x", "x", x=arrays["x"])
mp.ok(mp.eval_can_call("matmul"), "texts can call matmul")
mp.done()
