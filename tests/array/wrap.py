# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of memory that is not Maniple's: NumPy's on the host, CuPy's and PyTorch's on a GPU; order with their streams."""

import ctypes

import maniple as mp
import numpy as np

rng = mp.random()
on_host = mp.ctx_device_kind() == "host"
try:
    import cupy
except ImportError:
    cupy = None
if not on_host and cupy is None:
    mp.skip("memory of another library on a GPU", "there is no CuPy")
    mp.done()
xp = np if on_host else cupy
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def address(block):
    return ctypes.c_void_p(block.ctypes.data if on_host else block.data.ptr)


def on_cpu(block):
    return block if on_host else cupy.asnumpy(block)


def strided(values):
    """A larger block of memory, and the view in its middle, of any order and direction, that has these values."""
    order = [int(d) for d in rng.permutation(values.ndim)]
    steps = [(int(s), int(b), int(a)) for s, b, a in
             zip(rng.choice([1, -1, 2], values.ndim), rng.integers(0, 3, values.ndim), rng.integers(0, 3, values.ndim))]
    large = xp.full([values.shape[d] * abs(steps[d][0]) + steps[d][1] + steps[d][2] + 1 for d in order], 77,
                    dtype=values.dtype)
    view = large.transpose(np.argsort(order).tolist() if values.ndim else [])
    for d, (step, before, _) in enumerate(steps):
        part = [slice(None)] * values.ndim
        part[d] = slice(before, before + values.shape[d] * abs(step), abs(step))
        view = view[tuple(part)]
        part[d] = slice(None, None, -1 if step < 0 else 1)
        view = view[tuple(part)]
    view[...] = xp.asarray(values)
    return large, view


def strides_of(view):
    return [s // view.dtype.itemsize for s in view.strides]


def wrap(view, layout, release=None, argument=None, strides=True):
    if not on_host:
        cupy.cuda.get_current_stream().synchronize()
    return mp.array_wrap(view.dtype, layout, address(view) if view.size else None,
                         strides_of(view) if strides else None, release, argument)


def values_of(dtype, shape):
    return np.asarray(rng.integers(0, 100, shape)).astype(dtype)


def try_shape(dtype, shape):
    name = f"{np.dtype(dtype).name} {shape}"
    a = values_of(dtype, shape)
    layout = mp.random_layout(rng, shape)
    large, view = strided(a[layout.box(mp.rank)])
    x = wrap(view, layout)
    mp.check(f"wrapped {name}", x, a)
    mp.check(f"sum of {name}", mp.sum(x, None), np.sum(a))
    mp.check(f"{name} in another layout", mp.redistribute(x, mp.random_layout(rng, shape)), a)
    if a.ndim and a.shape[0] > 1:
        mp.check(f"a view of {name}", mp.add(x[1:], x[:-1]), a[1:] + a[:-1])
        mp.check(f"roll of {name}", mp.roll(x, 1, [1], [0]), np.roll(a, 1, 0))
    before = on_cpu(large).copy()
    mp.add(x, x, out=x)
    mp.ctx_synchronize()
    inside = strided_mask(large, view)
    after = on_cpu(large)
    mp.ok(np.array_equal(on_cpu(view), (a + a)[layout.box(mp.rank)]) and np.array_equal(after[~inside], before[~inside]),
          f"an output of {name}: the block has the sums, and what is around it is as before")


def strided_mask(large, view):
    """Which elements of the larger block the view has."""
    mask = np.zeros(large.shape, bool)
    if view.size:
        start = (address(view).value - address(large).value) // view.dtype.itemsize
        index = np.full(view.shape, start)
        for d, stride in enumerate(strides_of(view)):
            index += (np.arange(view.shape[d]) * stride).reshape([-1] + [1] * (view.ndim - 1 - d))
        mask.reshape(-1)[index.reshape(-1)] = True
    return mask


for dtype in ("float32", "float64", "int16", "complex128", "uint8"):
    for ndim in (1, 2, 3):
        try_shape(dtype, tuple(int(n) for n in rng.integers(1, 14, ndim)))
try_shape("float64", (0, 3))
try_shape("float32", (2, 1))
try_shape("float32", (40, 50))

# dense blocks: without strides, and in any order; what is known to be dense takes other ways
a = values_of("float32", (12, 10))
layout = mp.layout_block(mp.size, 2, a.shape)
block = xp.array(a[layout.box(mp.rank)])
x = wrap(block, layout, strides=False)
mp.check("a dense block", x, a)
mp.check("matrix times itself, element by element", mp.multiply(x, x), a * a)
mp.check("sort", mp.sort(x, -1), np.sort(a, -1))
mp.check("cumsum", mp.cumsum(x, 0, None), np.cumsum(a, 0))
mp.check("reshape", mp.reshape(x, 1, (120,)), a.reshape(120))
mp.check("transposed and copied", mp.copy(mp.transpose(x, None)), a.T.copy())

# one rank's block is dense and another's is not
wide = xp.zeros((block.shape[0], block.shape[1] + (mp.rank % 2)), block.dtype)
part = wide[:, :block.shape[1]]
part[...] = block
mp.check("blocks of which some are dense", mp.multiply(wrap(part, layout), 2.0), 2 * a)
mp.check("and their cumulative sums", mp.cumsum(wrap(part, layout), 1, None), np.cumsum(a, 1))

# a block that is one row, again and again, can be read
whole = mp.layout_replicated(mp.size, 2, (5, 10))
row = xp.array(a[0])
many = mp.array_wrap("float32", whole, address(row), [0, 1], None, None)
if not on_host:
    cupy.cuda.get_current_stream().synchronize()
mp.check("a stride of 0", many, np.broadcast_to(a[0], (5, 10)))
mp.fails("MNP_ERR_ARG", "broadcast", mp.add, many, 1.0, out=many)

# so can blocks whose elements share places in other ways: all windows of a vector, and two dimensions that meet
if on_host:
    line = np.arange(20, dtype="float32")
    windows = mp.array_wrap("float32", mp.layout_replicated(mp.size, 2, (17, 4)), address(line), [1, 1], None, None)
    mp.check("windows of a vector", windows, np.lib.stride_tricks.sliding_window_view(line, 4))
    mp.fails("MNP_ERR_ARG", "broadcast", mp.add, windows, 1.0, out=windows)
    apart = mp.array_wrap("float32", mp.layout_replicated(mp.size, 2, (2, 2)), address(line), [3, 2], None, None)
    mp.add(apart, 1.0, out=apart)
    mp.ok(list(line[:6]) == [1, 1, 3, 4, 4, 6], "strides that only seem to meet can be written to")
    meeting = mp.array_wrap("float32", mp.layout_replicated(mp.size, 3, (3, 2, 4)), address(line[6:]), [4, 1, -2],
                            None, None)
    mp.fails("MNP_ERR_ARG", "broadcast", mp.add, meeting, 1.0, out=meeting)
    del windows, apart, meeting
    x = mp.array_new("float32", mp.layout_replicated(mp.size, 2, (3, 4)))
    for strides in ([0, 1], [1, 1], [2, 1]):
        mp.fails("MNP_ERR_ARG", "the same place", mp.array_get_local_strided, x, address(line), strides)

# release: once, after the last view
calls = []
released = RELEASE(calls.append)
x = wrap(block, layout, released, ctypes.c_void_p(1234))
view = x[1:]
total = mp.sum(x, None)
del x
mp.ok(not calls, "it is not released while there is a view")
del view
mp.ok(calls == [1234], "it is released once, with the argument")
mp.check("what was computed before", total, np.sum(a))
try:
    wrap(block[:0], layout, released, ctypes.c_void_p(99))
except mp.Error:
    pass
mp.ok(calls == [1234], "a call that fails releases nothing")

# strided copies of blocks
for ndim in (1, 2, 3):
    shape = tuple(int(n) for n in rng.integers(1, 14, ndim))
    a = values_of("float64", shape)
    layout = mp.random_layout(rng, shape)
    for where in ((np,) if on_host else (np, cupy)):
        xp, before = where, xp
        was_host, on_host = on_host, where is np
        large, view = strided(a[layout.box(mp.rank)])
        x = mp.array_new("float64", layout)
        if where is not np:
            cupy.cuda.get_current_stream().synchronize()
        mp.array_set_local_strided(x, address(view), strides_of(view))
        mp.check(f"set {shape} from a strided block of {where.__name__}", x, a)
        mp.add(x, 1.0, out=x)
        mp.array_get_local_strided(x, address(view), strides_of(view))
        mp.ok(np.array_equal(on_cpu(view), a[layout.box(mp.rank)] + 1) and
              bool((on_cpu(large)[~strided_mask(large, view)] == 77).all()), f"and get {shape}")
        xp, on_host = before, was_host

# what is wrong
a = values_of("float32", (4 * mp.size, 10))
layout = mp.layout_block(mp.size, 2, a.shape)
block = xp.array(a[layout.box(mp.rank)])
odd = ctypes.c_void_p(address(block).value + 1)
mp.fails("MNP_ERR_ARG", "aligned", mp.array_wrap, "float32", layout, odd, [10, 1], None, None)
mp.fails("MNP_ERR_ARG" if mp.rank == mp.size - 1 else "MNP_ERR_PEER", "NULL", mp.array_wrap, "float32", layout,
         None if mp.rank == mp.size - 1 else address(block), [10, 1], None, None)
x = wrap(block, layout)
mp.fails("MNP_ERR_ARG", "existing array", mp.array_wrap, "float32", layout, address(block), [10, 1], None, None, out=x)
mp.fails("MNP_ERR_ARG", "layout is for", mp.array_wrap, "float32", mp.layout_block(mp.size + 1, 2, a.shape),
         address(block), [10, 1], None, None)
mp.fails("MNP_ERR_ARG", "NULL", mp.array_set_local_strided, x, None, [10, 1])

# order with streams
mp.ctx_wait_for(None)
mp.ctx_let_wait(None)
if mp.ctx_device_kind() == "host":
    mp.skip("streams", "the host device has none")
    mp.done()

stream = cupy.cuda.Stream(non_blocking=True)
n = 1 << 22
layout = mp.layout_block(mp.size, 1, (n * mp.size,))
with stream:
    block = cupy.zeros(n, "float64")
    x = mp.array_wrap("float64", layout, address(block), None, None, None)
    for repeat in range(20):  # each of them must see what the other has done
        block += 1
        mp.ctx_wait_for(ctypes.c_void_p(stream.ptr))
        mp.multiply(x, 2.0, out=x)
        mp.ctx_let_wait(ctypes.c_void_p(stream.ptr))
    want = 0.0
    for repeat in range(20):
        want = (want + 1) * 2
    mp.ok(bool((block == want).all()), "a stream of CuPy and the context in turns")

memory = np.zeros(8, "float32")
mp.fails("MNP_ERR_ARG", "does not reach", mp.array_wrap, "float32", mp.layout_block(mp.size, 1, (8 * mp.size,)),
         ctypes.c_void_p(memory.ctypes.data), None, None, None)

try:
    import torch
except ImportError:
    mp.skip("memory of PyTorch", "there is no PyTorch")
    mp.done()
tensor = torch.arange(n, device=f"cuda:{torch.cuda.current_device()}", dtype=torch.float32).reshape(-1, 64)[:, 3:17]
layout = mp.layout_block(mp.size, 2, (tensor.shape[0] * mp.size, tensor.shape[1]))
mp.ctx_wait_for(ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
x = mp.array_wrap("float32", layout, ctypes.c_void_p(tensor.data_ptr()), list(tensor.stride()), None, None)
mp.check("the maximum of a tensor of PyTorch", mp.amax(x, None), np.float32(tensor.max().item()))
mp.negative(x, out=x)
mp.ctx_let_wait(ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
mp.ok(tensor.max().item() == -3.0, "PyTorch sees what was written")
mp.done()
