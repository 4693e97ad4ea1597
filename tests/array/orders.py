# SPDX-License-Identifier: BSD-3-Clause
"""The order in which blocks are stored: new arrays take it from their layout, views hand it on, and a transpose lands
contiguous where its result's layout says so.  And meshes: where ranks are, layouts and communicators on them.
"""

import ctypes
import itertools

import binding
import maniple as mp
import numpy as np

rng = mp.random()


def strides(x):
    return [int(s) for s in binding._pointer_result("mnp_array_local_strides", x)[:x.ndim]]


def dense(x, order):
    """The strides of x's block if it is contiguous in that order; an extent of 1 may have any stride."""
    expected, stride, block = strides(x), 1, x.local().shape
    for d in reversed(order):
        expected[d] = expected[d] if block[d] == 1 else stride
        stride *= block[d]
    return 0 in block or expected == strides(x)


def order_of(layout, ndim):
    getattr(binding._lib, "mnp_layout_order").restype = ctypes.POINTER(ctypes.c_int)
    return binding._lib.mnp_layout_order(layout.pointer)[:ndim]


for shape in (6, 8, 5), (4, 9), (7,), (3, 0, 2), (2, 3, 4, 5):
    a = rng.integers(0, 99, shape).astype("float32")
    order = [int(d) for d in rng.permutation(a.ndim)]
    block = mp.layout_block(mp.size, a.ndim, shape)
    layout = mp.layout_with_order(block, order)
    x = mp.array(a, layout)
    mp.ok(dense(x, order) and order_of(x.layout, a.ndim) == order, f"{shape}: a new array in order {order}")
    y = mp.copy(x)
    mp.ok(dense(y, order), f"{shape}: a copy")
    mp.check(f"{shape}: which has the values", y, a)
    mp.ok(dense(mp.add(x, x), order), f"{shape}: a sum")
    mp.check(f"{shape}: to the other order", mp.redistribute(x, block), a)
    mp.ok(dense(mp.redistribute(x, block), range(a.ndim)), f"{shape}: which is C's")
    axes = [int(d) for d in rng.permutation(a.ndim)]
    turned = mp.transpose(x, axes)
    there = list(range(a.ndim)) if order == sorted(order) else [axes.index(d) for d in order]
    mp.ok(order_of(turned.layout, a.ndim) == there, f"{shape}: a view goes on in it")
    like = [axes.index(d) for d in order]
    mp.ok(dense(mp.negative(turned), like) and dense(mp.add(turned, mp.multiply(turned, 2)), like),
          f"{shape}: what is computed from a transpose lies as it does")
    mp.ok(dense(mp.astype(turned, "int32"), like) and dense(mp.astype(turned, turned.dtype), like),
          f"{shape}: so does what is cast of it")
    axis = int(rng.integers(a.ndim))
    sums = mp.cumsum(turned, axis, None)
    mp.ok(dense(sums, like), f"{shape}: so do its cumulative sums")
    mp.check(f"{shape}: which go along axis {axis}", sums, np.cumsum(a.transpose(axes), axis=axis))
    mp.check(f"{shape}: to its values", mp.astype(turned, "int32"), a.transpose(axes).astype("int32"))
    mp.check(f"{shape}: with its values", mp.add(turned, mp.multiply(turned, 2)), a.transpose(axes) * 3)
    mp.check(f"{shape}: and beside what lies otherwise", mp.add(turned, mp.negative(mp.array(a.transpose(axes)))),
             0 * a.transpose(axes))
    landed = mp.redistribute(turned, mp.layout_with_order(turned.layout, list(range(a.ndim))))
    mp.ok(dense(landed, range(a.ndim)), f"{shape}: a transpose lands contiguous")
    mp.check(f"{shape}: with its values", landed, a.transpose(axes))

for shape in (2, 3, 1200), (700, 5, 2, 3), (3, 2, 90, 7), (260, 7):  # rows of few elements, and many of them
    a = rng.integers(0, 99, shape).astype("float32")
    x = mp.array(a)
    for axes in itertools.permutations(range(a.ndim)):
        turned, back = mp.transpose(x, axes)[::-1], a.transpose(axes)[::-1]
        plain = mp.layout_with_order(turned.layout, list(range(a.ndim)))
        mp.check(f"{shape} in the order {axes}, to C's", mp.redistribute(turned, plain), back)
        mp.check(f"{shape} in the order {axes}, copied", mp.copy(turned), back)

# --- meshes -----------------------------------------------------------------------------------------------------------

dims = (ctypes.c_int * 2)(0, 0)
mp.mesh_dims(mp.size, 2, dims)
mp.ok(dims[0] * dims[1] == mp.size and dims[0] >= dims[1], f"{mp.size} ranks as {list(dims)}")
mesh = mp.mesh_new(2, [0, 0])
for rank in range(mp.size):
    coords = (ctypes.c_int * 2)()
    mp.mesh_coords(mesh, rank, coords)
    mp.ok(mp.mesh_rank(mesh, coords) == rank and divmod(rank, dims[1]) == tuple(coords),
          f"rank {rank} is at {list(coords)}")
a = rng.integers(0, 99, (9, 7)).astype("int32")
layout = mp.layout_on_mesh(mesh, 2, a.shape, None, None)
mp.ok(mp.layout_equal(layout, mp.Layout(list(dims), a.shape, [0, 1])), "a layout on the mesh")
mp.check("an array there", mp.array(a, layout), a)
for axis in 0, 1:
    comm = ctypes.c_void_p(mp.mesh_comm(mesh, axis).value)
    mp.ok(mp.comm_size(comm) == dims[axis] and mp.comm_rank(comm) == divmod(mp.rank, dims[1])[axis],
          f"the communicator along axis {axis}")
    mp.ok(mp.mesh_comm(mesh, axis).value == comm.value, "which is made once")
mp.fails("MNP_ERR_ARG", "axis", "mesh_comm", mesh, 2)
mp.fails("MNP_ERR_ARG", "does not divide", "mesh_new", 1, [mp.size + 1])
mp.fails("MNP_ERR_ARG", "negative", "mesh_new", 1, [-1])
mp.fails("MNP_ERR_ARG", "axes", "mesh_new", 0, None)
mp.mesh_free(mesh)
mp.done()
