# SPDX-License-Identifier: BSD-3-Clause
"""A program that mypy --strict accepts, but for the lines that say what is wrong with them: see documents.py."""

import maniple as mp
import numpy as np
from maniple.sparse.linalg import cg

x: mp.ndarray = mp.zeros((3, 4), dtype=mp.float32)
y: mp.ndarray = mp.add(x, 2.0, out=x)
total: float = float(mp.sum(y, axis=None, keepdims=True))
w, v = mp.linalg.eigh(x @ x.T)
shape: tuple[int, ...] = v.shape
solution, info = cg(mp.sparse.generate("poisson:8x8"), mp.ones(64), rtol=1e-8)
same: bool = mp.allclose(mp.fft.ifft(mp.fft.fft(x, axis=-1)), y)
counts, edges = mp.histogram(x, 10)
noise = mp.random.default_rng(1).normal(size=(3, 4))
skewed = mp.random.default_rng(1).triangular(0, noise ** 2, 9.5)
mirrored: mp.ndarray = mp.flip(mp.triu(x), axis=0)
poisson = mp.sparse.generate("poisson:8x8")
product = poisson @ poisson - poisson
step = mp.Graph(lambda: mp.add(x, 1, out=x))
rows: int = mp.h5.File("x.h5").create_dataset("/x", (3, 4)).shape[0]
mp.add.at(x, (0, [1, 1]), 2.0)
table: mp.ndarray = mp.maximum.outer(x, y)
uninitialised: mp.ndarray = mp.ndarray((2, 3), mp.int32)
solution, info = cg(mp.sparse.generate("poisson:8x8"), mp.ones(64), M=lambda r: r / 4.0)
names: list[str] = mp.h5.File("x.h5").keys()
mp.sin.reduce(x)  # wrong: attr-defined
mp.add(x, np.ones(3))  # wrong: arg-type
mp.zeros("three")  # wrong: arg-type
mp.rank().shape  # wrong: attr-defined
mp.nothing(x)  # wrong: attr-defined
