# SPDX-License-Identifier: BSD-3-Clause
"""Joining, splitting, padding, rolling, tiling and repeating against NumPy, of views in random layouts."""

import functools

import maniple as mp
import numpy as np

rng = mp.random()
spread = functools.partial(mp.spread, rng)
DTYPES = ["int8", "float16", "int32", "float32", "float64", "complex128"]


def values(shape, dtype="float32"):
    return rng.integers(-50, 50, shape).astype(dtype)


def shape_of(ndim, most=6):
    return tuple(int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, most, ndim))


def check(name, function, *arguments, want):
    """A point: a new result, and one in an array that is given."""
    got = function(*arguments)
    wrong = mp.difference(got, want)
    if not wrong:
        got = function(*arguments, out=spread(np.ones_like(want)))
    mp.check(name, got, want)


def test_concatenate():
    for dtype in DTYPES:
        shape, axis = shape_of(int(rng.integers(1, 4))), 0
        axis = int(rng.integers(-len(shape), len(shape)))
        parts = []
        for _ in range(int(rng.integers(1, 5))):
            extents = list(shape)
            extents[axis] = int(rng.integers(0, 6))
            parts.append(values(extents, dtype))
        arrays = [spread(p) for p in parts]
        check(f"concatenate {dtype} {[p.shape for p in parts]}, {axis}", mp.concatenate, arrays, len(arrays), axis,
              want=np.concatenate(parts, axis))
        check(f"concatenate {dtype} flattened", mp.concatenate, arrays, len(arrays), -2 ** 31,
              want=np.concatenate(parts, None))
    a, b, c = values((3, 4), "int32"), values((3, 2)), values((3, 1), "int8")
    arrays = [spread(v) for v in (a, b, c)]
    check("dtypes are promoted", mp.concatenate, arrays, 3, 1, want=np.concatenate([a, b, c], 1))
    got = mp.concatenate(arrays, 3, 1, out=mp.zeros("float32", 2, [3, 7]))
    mp.check("or cast to the output's", got, np.concatenate([a, b, c], 1).astype(np.float32))
    x = spread(values((4, 3)))
    a = x.numpy()
    mp.check("into a view of an argument", mp.concatenate([x[2:], x[:2]], 2, 0, out=x), np.concatenate([a[2:], a[:2]]))
    same = mp.Layout([mp.size], (6, 5), [0, -1])
    x, y = mp.array(values((6, 5)), same), mp.array(values((6, 5)), same)
    z = mp.concatenate([x, y], 2, 1)
    mp.ok(z.local().shape[0] == x.local().shape[0], "what need not travel does not")
    mp.fails("MNP_ERR_ARG", "arrays 0 and 1 have shapes (6, 5) and (3, 5)", mp.concatenate, [x, y[:3]], 2, 1)
    mp.fails("MNP_ERR_ARG", "(6, 5) and (5,)", mp.concatenate, [x, y[0]], 2, 0)
    mp.fails("MNP_ERR_ARG", "axis", mp.concatenate, [x, y], 2, 2)
    mp.fails("MNP_ERR_ARG", "there are 0 arrays", mp.concatenate, [], 0, 0)
    mp.fails("MNP_ERR_ARG", "without dimensions", mp.concatenate, [mp.array(np.float32(1))], 1, 0)
    mp.fails("MNP_ERR_ARG", "scalar", mp.concatenate, [x, 1.5], 2, 0)
    mp.fails("MNP_ERR_ARG", "(3, 3), and the result's is (12, 5)", mp.concatenate, [x, y], 2, 0,
             out=mp.zeros("float32", 2, [3, 3]))
    mp.fails("MNP_ERR_ARG", "int8", mp.concatenate, [x, y], 2, 0, out=mp.zeros("int8", 2, [12, 5]))


def test_stacks():
    for ndim in range(4):
        shape = shape_of(ndim)
        parts = [values(shape) for _ in range(3)]
        arrays = [spread(p) for p in parts]
        axis = int(rng.integers(-ndim - 1, ndim + 1))
        check(f"stack {shape} along {axis}", mp.stack, arrays, 3, axis, want=np.stack(parts, axis))
        for name in ("vstack", "hstack", "dstack", "column_stack"):
            if name != "column_stack" or ndim < 3:
                check(f"{name} {shape}", getattr(mp, name), arrays, 3, want=getattr(np, name)(parts))
    a, b = values((4, 5)), values((4, 2))
    check("append", mp.append, spread(a), spread(b), 1, want=np.append(a, b, 1))
    check("append flattened", mp.append, spread(a), spread(b), -2 ** 31, want=np.append(a, b))
    for index in (-4, -1, 0, 2, 5):
        row = values((5,))
        check(f"insert a column at {index}", mp.insert, spread(a), index, spread(values((4, 1)) * 0 + 7), 1,
              want=np.insert(a, [index], np.full((4, 1), 7, np.float32), 1))
        check(f"insert a row at {index % 5}", mp.insert, spread(a), index % 5, spread(row), 0,
              want=np.insert(a, [index % 5], row, 0))
    check("insert several columns", mp.insert, spread(a), 3, spread(b), 1,
          want=np.concatenate([a[:, :3], b, a[:, 3:]], 1))
    for start, stop in [(1, 3), (0, 99), (-2, 99), (3, 1), (2, 2)]:
        check(f"delete {start}:{stop}", mp.delete, spread(a), start, stop, 1, want=np.delete(a, slice(start, stop), 1))
    x = mp.array(a)
    mp.fails("MNP_ERR_ARG", "(4, 5) and (4, 2)", mp.stack, [x, mp.array(b)], 2, 0)
    mp.fails("MNP_ERR_ARG", "3", mp.stack, [x], 1, 3)
    mp.fails("MNP_ERR_ARG", "index is 6", mp.insert, x, 6, x, 1)
    mp.fails("MNP_ERR_ARG", "(3, 2)", mp.insert, x, 0, mp.array(values((3, 2))), 1)


def test_insert_each():
    for shape, axis in (((7,), 0), ((5, 4), 1), ((5, 4), 0), ((3, 2, 6), -1), ((0, 3), 0), ((3, 0), 0)):
        a = values(shape)
        extent = shape[axis]
        for count in (0, 2, 9):
            indices = rng.integers(-extent, extent + 1, count)
            more = list(shape)
            more[axis] = count
            b = values(tuple(more))
            check(f"insert {count} in {shape} along {axis}", mp.insert_each, spread(a), spread(indices), spread(b), axis,
                  want=np.insert(a, indices, b, axis))
    a = values((4, 5))
    check("one row twice", mp.insert_each, spread(a), spread(np.array([2, 2, -1], np.int8)), spread(np.arange(5)), 0,
          want=np.insert(a, [2, 2, -1], np.arange(5), 0))
    x = mp.array(a)
    for wrong in (5, -5):
        mp.fails("MNP_ERR_ARG", "dimension 0 has 4 elements", mp.insert_each, x, mp.array(np.array([0, wrong])), x[:2], 0)
    mp.fails("MNP_ERR_ARG", "integers in one dimension", mp.insert_each, x, mp.array(np.zeros(2)), x[:2], 0)
    mp.fails("MNP_ERR_ARG", "broadcast", mp.insert_each, x, mp.array(np.arange(2)), x[:3], 0)


def test_split():
    a = values((6, 10, 2))
    x = spread(a)
    mp.check("split", mp.split(x, 5, 1, 5), tuple(np.split(a, 5, 1)))
    mp.check("array_split", mp.array_split(x, 4, -2, 4), tuple(np.array_split(a, 4, -2)))
    mp.check("more parts than elements", mp.array_split(x, 3, 2, 3), tuple(np.array_split(a, 3, 2)))
    for indices in ([2, 5], [5, 2, 30], [-1], [0, 0, -20]):
        mp.check(f"split at {indices}", mp.split_at(x, len(indices), indices, 1, len(indices) + 1),
                 tuple(np.split(a, indices, 1)))
    parts = mp.split(x, 3, 0, 3)
    mp.copyto(parts[1], 9, mp.MNP_CASTING_SAME_KIND)
    a[2:4] = 9
    mp.check("parts are views", x, a)
    mp.fails("MNP_ERR_ARG", "10 elements, which 3 equal parts", mp.split, x, 3, 1, 3)
    mp.fails("MNP_ERR_ARG", "parts is 0", mp.array_split, x, 0, 1, 1)
    mp.fails("MNP_ERR_ARG", "axis", mp.split, x, 2, 3, 2)


def test_unstack():
    for shape in (7,), (3, 4), (2, 5, 3), (2, 3, 1, 4), (3, 0):
        a = values(shape)
        x = spread(a)
        for axis in range(-len(shape), len(shape)):
            count = shape[axis]
            parts = mp.unstack(x, count, axis, count)
            mp.check(f"unstack {shape} along {axis}", parts if isinstance(parts, tuple) else (parts,)[:count],
                     tuple(np.moveaxis(a, axis, 0)[i] for i in range(count)))
    a = values((3, 4))
    x = spread(a)
    mp.copyto(mp.unstack(x, 4, 1, 4)[2], 9, mp.MNP_CASTING_SAME_KIND)
    a[:, 2] = 9
    mp.check("what unstack gives are views", x, a)
    mp.fails("MNP_ERR_ARG", "the number of parts is 3, and dimension 1 has 4 elements", mp.unstack, x, 3, 1, 3)
    mp.fails("MNP_ERR_ARG", "axis 2 is out of bounds", mp.unstack, x, 3, 2, 3)
    mp.fails("MNP_ERR_ARG", "axis", mp.unstack, mp.array(np.array(1.0)), 1, 0, 1)


def test_broadcast_arrays():
    for shapes in ((4,), (3, 1)), ((5,), (5,)), ((2, 3, 4), (1, 4), ()), ((6,),), ((0, 3), (1, 1), (3,)):
        given = [values(shape) for shape in shapes]
        spreads = [spread(a) for a in given]
        views = mp.broadcast_arrays(spreads, len(given), len(given))
        views = views if isinstance(views, tuple) else (views,)
        mp.check(f"broadcast_arrays of {shapes}", views, tuple(np.broadcast_arrays(*given)))
        locked = [any(n > 1 and n != m for n, m in zip(view.shape[::-1], a.shape[::-1] + (1,) * view.ndim))
                  for view, a in zip(views, given)]
        mp.ok([bool(mp.array_is_read_only(view)) for view in views] == locked, f"those that repeat are read-only: {locked}")
    x, y = spread(values((3, 4))), spread(values((2, 4)))
    row = mp.broadcast_arrays([x, spread(values((4,)))], 2, 2)[1]
    mp.ok(mp.array_is_read_only(row[1]) and not mp.array_is_read_only(x[1]), "a view of a read-only one is, too")
    mp.fails("MNP_ERR_ARG", "mnp_broadcast_arrays: cannot broadcast shapes (3, 4) and (2, 4)", mp.broadcast_arrays, [x, y], 2, 2)
    mp.fails("MNP_ERR_ARG", "the number of arrays is 0", mp.broadcast_arrays, [], 0, 1)


MODES = [("constant", "MNP_BOUNDARY_FILL"), ("wrap", "MNP_BOUNDARY_WRAP"), ("symmetric", "MNP_BOUNDARY_SYMM"),
         ("reflect", "MNP_BOUNDARY_MIRROR"), ("edge", "MNP_BOUNDARY_NEAREST")]


def padded(a, widths, mode):
    """numpy.pad by its definition: before NumPy 2 wide paddings were not right."""
    for axis, (before, after) in enumerate(widths):
        n = a.shape[axis]
        i = np.arange(-before, n + after)
        if mode == "wrap":
            i = i % n
        elif mode == "edge" or n == 1:
            i = np.clip(i, 0, n - 1)
        elif mode == "symmetric":
            i = i % (2 * n)
            i = np.where(i < n, i, 2 * n - 1 - i)
        else:
            i = i % (2 * n - 2)
            i = np.where(i < n, i, 2 * n - 2 - i)
        a = np.take(a, i, axis)
    return a


def test_pad():
    for mode, name in MODES:
        for most in (3, 15):
            ndim = int(rng.integers(1, 4))
            shape = tuple(int(n) for n in rng.integers(1, 6, ndim))
            widths = [(int(b), int(c)) for b, c in rng.integers(0, most if ndim < 3 else 4, (ndim, 2))]
            a = values(shape, DTYPES[int(rng.integers(len(DTYPES)))])
            value = values((), a.dtype)[()]
            want = np.pad(a, widths, constant_values=value) if mode == "constant" else padded(a, widths, mode)
            check(f"pad {a.dtype} {shape} {widths} {mode}", mp.pad, spread(a), np.ravel(widths).tolist(),
                  getattr(mp, name), value, want=want)
            if most == 3 and mode != "constant" and all(max(w) < n for w, n in zip(widths, shape)):
                mp.check(f"numpy.pad's {mode} is that", padded(a, widths, mode), np.pad(a, widths, mode))
    a = values((3, 4, 2))
    constants = values((3, 2))
    check("a constant for every side", mp.pad_constant, spread(a), [2, 1, 0, 3, 1, 1], constants,
          want=np.pad(a, [(2, 1), (0, 3), (1, 1)], constant_values=[tuple(c) for c in constants]))
    check("zeros", mp.pad, spread(a[0]), [1, 0, 0, 2], mp.MNP_BOUNDARY_FILL, None, want=np.pad(a[0], [(1, 0), (0, 2)]))
    check("of nothing, constants", mp.pad, spread(a[:0]), [1, 1, 0, 0, 0, 1], mp.MNP_BOUNDARY_FILL, None,
          want=np.pad(a[:0], [(1, 1), (0, 0), (0, 1)]))
    check("of nothing, along another dimension", mp.pad, spread(a[:0]), [0, 0, 2, 2, 0, 0], mp.MNP_BOUNDARY_WRAP, None,
          want=np.pad(a[:0], [(0, 0), (2, 2), (0, 0)], "wrap"))
    x = mp.array(a)
    mp.fails("MNP_ERR_ARG", "after dimension 1 is -1", mp.pad, x, [0, 0, 0, -1, 0, 0], mp.MNP_BOUNDARY_FILL, None)
    mp.fails("MNP_ERR_ARG", "dimension 0 has no elements", mp.pad, x[:0], [1, 0, 0, 0, 0, 0], mp.MNP_BOUNDARY_WRAP,
             None)
    mp.fails("MNP_ERR_ARG", "77 is not a mode", mp.pad, x, [0] * 6, 77, None)


def test_roll():
    for _ in range(8):
        shape = shape_of(int(rng.integers(0, 4)))
        a = values(shape, DTYPES[int(rng.integers(len(DTYPES)))])
        shift = int(rng.integers(-20, 20))
        check(f"roll {shape} by {shift}, flattened", mp.roll, spread(a), 1, [shift], None, want=np.roll(a, shift))
        if a.ndim:
            axes = [int(i) for i in rng.integers(-a.ndim, a.ndim, 2)]
            shifts = [int(s) for s in rng.integers(-9, 9, 2)]
            check(f"roll {shape} by {shifts} along {axes}", mp.roll, spread(a), 2, shifts, axes,
                  want=np.roll(a, shifts, axes))
    a = values((5, 4))
    x = mp.array(a)
    mp.check("roll in place", mp.roll(x, 1, [2], [0], out=x), np.roll(a, 2, 0))
    mp.check("by the largest integer", mp.roll(x, 2, [2 ** 63 - 1, -2 ** 63], [1, 1]), np.roll(np.roll(a, 2, 0), -1, 1))
    mp.fails("MNP_ERR_ARG", "axis", mp.roll, x, 1, [1], [2])


def test_tile_and_repeat():
    for _ in range(8):
        shape = shape_of(int(rng.integers(0, 4)), 5)
        a = values(shape, DTYPES[int(rng.integers(len(DTYPES)))])
        repeats = [int(r) for r in rng.integers(0 if rng.random() < 0.2 else 1, 4, rng.integers(0, 5))]
        check(f"tile {shape} {repeats}", mp.tile, spread(a), len(repeats), repeats, want=np.tile(a, repeats))
        times = int(rng.integers(0, 5))
        check(f"repeat {shape} {times} times", mp.repeat, spread(a), times, -2 ** 31, want=np.repeat(a, times))
        if a.ndim:
            axis = int(rng.integers(-a.ndim, a.ndim))
            check(f"repeat {shape} {times} times along {axis}", mp.repeat, spread(a), times, axis,
                  want=np.repeat(a, times, axis))
    a = values((3, 1, 2), "int8")
    for repeats in ([5000], [70, 1, 65], [2, 4099, 1]):  # which are put together in several steps
        check(f"tile {a.shape} {repeats}", mp.tile, spread(a), len(repeats), repeats, want=np.tile(a, repeats))
    x = mp.array(values((2, 3)))
    mp.fails("MNP_ERR_ARG", "repeats[0] is -1", mp.tile, x, 2, [-1, 2])
    mp.fails("MNP_ERR_ARG", "repeats is -2", mp.repeat, x, -2, 0)
    mp.fails("MNP_ERR_ARG", "axis", mp.repeat, x, 2, 2)
    mp.fails("MNP_ERR_ARG", "8 dimensions", mp.repeat, mp.zeros("int8", 8, [1] * 8), 2, 0)
    mp.fails("MNP_ERR_ARG", "too long", mp.repeat, x, 2 ** 62, 1)


for test in (test_concatenate, test_stacks, test_split, test_unstack, test_broadcast_arrays, test_pad, test_roll, test_tile_and_repeat):
    test()
mp.done()
