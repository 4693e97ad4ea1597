# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices in HDF5 files: as SciPy's users write them with h5py, and as they read them."""

import ctypes
import os

from file_structs import Attribute, Item
import h5py_files
import matrices
import maniple as mp
import numpy as np
import scipy.sparse

rng = mp.random()
path = mp.scratch("a.h5")
folder = os.path.dirname(path)

def put(members, **options):
    """A new file, from rank 0."""
    h5py_files.write(path, members, **options)


def members(a, index="int32", text="format", name="m"):
    """What a matrix of SciPy's consists of, under the names that its users store it."""
    parts = {"data": a.data}
    parts.update({"row": a.row.astype(index), "col": a.col.astype(index)} if a.format == "coo" else
                 {"indices": a.indices.astype(index), "indptr": a.indptr.astype(index)})
    if text == "format":  # as scipy.sparse.save_npz
        parts.update({"shape": np.array(a.shape), "format": np.bytes_(a.format)})
    parts = {f"{name}/{key}": value for key, value in parts.items()}
    if text != "format":  # as AnnData
        parts[name + "@shape"] = a.shape
    if text == "encoding-type":
        parts[name + "@encoding-type"] = a.format + "_matrix"
    return parts


for shape in [(0, 0), (1, 1), (3, 2), (2, 50), (40, 30)]:
    for fmt in ("csr", "csc", "coo"):
        dtype = matrices.DTYPES[int(rng.integers(len(matrices.DTYPES)))]
        a = scipy.sparse.csr_matrix(matrices.random_matrix(rng, *shape, dtype)).asformat(fmt)
        text = ["format", "encoding-type"][int(rng.integers(2))]
        index = ["int32", "int64", ">i8", "uint16"][int(rng.integers(4))]
        put(members(a, index, text, "g/m"))
        matrices.check(f"{shape} {fmt} {dtype}, {text}, {index}", matrices.Sparse(mp.h5_read_sparse(path, "g/m", None)),
                       a)
a = scipy.sparse.csr_matrix(matrices.random_matrix(rng, 50, 60, "float64"))
put(members(a, "int64", None), compression=4)
matrices.check("compressed, without a format", matrices.Sparse(mp.h5_read_sparse(path, "/m", None)), a)
matrices.check("as complex64", matrices.Sparse(mp.h5_read_sparse(path, "/m", "complex64")), a.astype("complex64"))
put(members((a * 8).astype("int16")))
matrices.check("integers become float64", matrices.Sparse(mp.h5_read_sparse(path, "/m", None)),
               (a * 8).astype("int16").astype(float))
put(members(scipy.sparse.csr_matrix((np.ones(4), [1, 0, 1, 1], [0, 3, 4]), (2, 2))))
matrices.check("unsorted and duplicate", matrices.Sparse(mp.h5_read_sparse(path, "/m", None)),
               np.array([[1., 2], [0, 1]]))

# ---- writing ----

for dtype in matrices.DTYPES:
    for shape in [(0, 0), (0, 3), (3, 2), (40, 30)]:
        a = matrices.random_matrix(rng, *shape, dtype)
        put({"other": 7})
        made = matrices.sparse(a, rng, matrices.cut(rng, shape[0]), matrices.cut(rng, shape[1]))
        mp.h5_write_sparse(made, path, "/deep/m", None)
        matrices.check(f"{dtype} {shape} reads back", matrices.Sparse(mp.h5_read_sparse(path, "/deep/m", None)), a,
                       ulp=0)
        if mp.rank == 0:
            found = h5py_files.read(path)
            theirs = scipy.sparse.csr_array(tuple(found["deep/m/" + n] for n in ("data", "indices", "indptr")),
                                            tuple(found["deep/m/shape"]))
            same = theirs.dtype == a.dtype and theirs.shape == a.shape and np.array_equal(theirs.toarray(), a.toarray())
            kinds = found["deep/m/indices"].dtype == found["deep/m/indptr"].dtype == "int32"
        mp.ok(mp.rank > 0 or (same and kinds and found["deep/m@format"] == "csr" and found["other"] == 7),
              f"{dtype} {shape} is what h5py and SciPy read, and the rest of the file is there")
if mp.size > 1:  # a rank's own columns must be fewer than 2^31
    far = scipy.sparse.coo_array(([1., 2, 3], ([0, 1, 2], [5, 2 ** 31 + 2, 7])), (3, 2 ** 31 + 3))
    mp.h5_write_sparse(matrices.sparse(far, rng), path, "/m", None)
    found = h5py_files.read(path)["m/indices"] if mp.rank == 0 else None
    mp.ok(mp.rank > 0 or (found.dtype == "int64" and list(found) == [5, 2 ** 31 + 2, 7]), "columns beyond 2^31")
    matrices.check("which read back", matrices.Sparse(mp.h5_read_sparse(path, "/m", None)), far)
small = matrices.sparse(scipy.sparse.csr_array([[1., 0]]), rng)
mp.h5_write_sparse(small, path, "/m", None)
matrices.check("a matrix is replaced", matrices.Sparse(mp.h5_read_sparse(path, "/m", None)), np.array([[1., 0]]))
put({"other": 7})
mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "is not a group there", mp.h5_write_sparse, small, path, "/other", None)
mp.ok(sorted(os.listdir(folder)) == ["a.h5"], "nothing is left beside the file")

# ---- several datasets at once, with attributes ----


x, y = mp.array(np.arange(12.0).reshape(3, 4)), mp.array(np.arange(5))
residual, sizes = ctypes.c_double(1.5e-9), (ctypes.c_int64 * 3)(7, 8, 9)
items = (Item * 2)(Item(b"/run/x", x.pointer), Item(b"history", y.pointer))
attributes = (Attribute * 3)(
    Attribute(b"/run/x", b"method", "cg, \u00fc".encode()),
    Attribute(b"/run", b"residual", None, mp.MNP_FLOAT64, -1, ctypes.addressof(residual)),
    Attribute(b"/history", b"sizes", None, mp.MNP_INT64, 3, ctypes.addressof(sizes)))
put({"other": 7})
for i in range(2):  # the second time they are replaced
    mp.h5_write_items(path, 2, items, 3, attributes, None)
    found = h5py_files.read(path) if mp.rank == 0 else None
    mp.ok(mp.rank > 0 or (np.array_equal(found["run/x"], np.arange(12.0).reshape(3, 4)) and found["other"] == 7 and
                          list(found["history"]) == [0, 1, 2, 3, 4] and found["run/x@method"] == "cg, \u00fc" and
                          found["run@residual"] == 1.5e-9 and found["run@residual"].shape == () and
                          list(found["history@sizes"]) == [7, 8, 9]), "two datasets and three attributes")
mp.fails("MNP_ERR_ARG", "at least 1", mp.h5_write_items, path, 0, items, 0, None, None)
attributes[1].object = b"/nothing"
mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "cannot set attribute 'residual' of '/nothing'", mp.h5_write_items, path, 2,
         items, 3, attributes, None)
mp.ok(mp.rank > 0 or h5py_files.read(path)["run@residual"] == 1.5e-9, "and the file is as it was")

# ---- what is wrong with a group ----

good = {"data": [1., 2, 3], "indices": [0, 1, 1], "indptr": [0, 1, 3], "shape": [2, 2]}
for words, change in (
        ("has an index 2, outside 0..1", {"indices": [0, 1, 2]}),
        ("has an index -1, outside 0..1", {"indices": [0, -1, 1]}),
        ("falls from 4 to 3", {"indptr": [0, 4, 3]}),
        ("begins with 1", {"indptr": [1, 1, 3]}),
        ("ends with 2, and 'data' has 3", {"indptr": [0, 1, 2]}),
        ("has 4 values, and 2 rows need 3", {"indptr": [0, 1, 2, 3]}),
        ("3 values in 'data' and 2 in 'indices'", {"indices": [0, 1]}),
        ("is float64, not integers", {"indices": [0., 1., 1.]}),
        ("has 2 dimensions", {"data": [[1., 2, 3]]}),
        ("has no shape", {"shape": None}),
        ("not two integers", {"shape": [2, 2, 2]}),
        ("the shape of '/m'", {"shape": [2, -2]}),
        ("lacks the dataset 'indices'", {"indices": None})):
    put({"m/" + n: v for n, v in dict(good, **change).items() if v is not None})
    mp.fails("MNP_ERR_FORMAT", words, mp.h5_read_sparse, path, "/m", None)
put({"m/" + n: v for n, v in dict(good, format=np.bytes_("bsr")).items()})
mp.fails(("MNP_ERR_UNSUPPORTED", "MNP_ERR_PEER"), "the format 'bsr'", mp.h5_read_sparse, path, "/m", None)
put({"m/" + n: v for n, v in dict(good, data=[1j, 2, 3]).items()})
mp.fails("MNP_ERR_ARG", "complex values", mp.h5_read_sparse, path, "/m", "float64")
mp.fails("MNP_ERR_FORMAT", "is not a group", mp.h5_read_sparse, path, "/m/data", None)
mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "'/n' in", mp.h5_read_sparse, path, "/n", None)

matrices.done()
