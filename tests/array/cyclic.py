# SPDX-License-Identifier: BSD-3-Clause
"""Block-cyclic arrays: they are made, set and read, copied, moved to and from any layout, and go
through element-wise functions; results can be written to them; linear algebra takes them (linalg/cyclic.py); every
other function that takes an array refuses them in words.
"""

import ctypes
import os
import re

import binding
import maniple as mp
import numpy as np

rng = mp.random()


# --- what works -------------------------------------------------------------------------------------------------------

for shape in (13, 10), (1, 7), (0, 4), (9,), (5, 6, 4):
    for _ in range(4):
        a = rng.integers(-99, 99, shape).astype(str(rng.choice(["int16", "float64", "complex128"])))
        layout, other = mp.random_cyclic_layout(rng, shape), mp.random_cyclic_layout(rng, shape)
        x = mp.array(a, layout)
        mp.check(f"{shape}: set and brought to the host", x, a)
        own = a[layout.places(mp.rank)]
        mp.ok(np.array_equal(x.local(), own), f"{shape}: this rank's block")
        mp.check(f"{shape}: a copy", mp.copy(x), a)
        blocks = mp.redistribute(x, mp.random_layout(rng, shape))
        mp.check(f"{shape}: to blocks", blocks, a)
        again = mp.redistribute(blocks, other)
        mp.ok(np.array_equal(again.local(), a[other.places(mp.rank)]), f"{shape}: and to another deal")
        mp.ok(np.array_equal(mp.redistribute(again, layout).local(), own), f"{shape}: and back")

a = rng.integers(1, 99, (13, 10)).astype("float64")
layout = mp.layout_new_cyclic(2, [1, mp.size], 2, a.shape, [0, 1], [0, 2])
if mp.size == 1 or not mp.layout_is_cyclic(layout):
    layout = mp.layout_new_cyclic(2, [mp.size, 1], 2, a.shape, [0, 1], [2, 3])
x, y = mp.array(a, layout), mp.array(a.T.copy())
mp.check("astype", mp.astype(x, "int32"), a.astype("int32"))
mp.check("with itself", mp.add(x, x), a + a)
mp.check("with a number", mp.add(x, 1.0), a + 1)
mp.check("with a row", mp.add(x, y[:, 0]), a + a.T[:, 0])
mp.check("with an array in blocks", mp.add(x, mp.transpose(y, None)), a + a)
result = mp.array(a, layout)
mp.add(mp.transpose(y, None), 2.0, out=result)
mp.check("into such an array", result, a + 2)
mp.check("divmod", mp.divmod(x, 7.0), np.divmod(a, 7))
mp.copy(x, out=result)
mp.check("a copy into such an array", result, a)
mp.check("an expression", mp.eval("z = 2*x + 1", x=x), 2 * a + 1)
if mp.layout_is_cyclic(layout):
    mp.fails("MNP_ERR_ARG", "block-cyclically", mp.eval, "z = x + i0", x=x)
    mp.fails("MNP_ERR_ARG", "block-cyclically", mp.eval, "z = sum(x)", x=x)

# --- what does not: everything else -----------------------------------------------------------------------------------

with open(os.path.join(os.environ["srcdir"], "include/maniple/ufunc_table.h"), encoding="utf-8") as table:
    elementwise = set(re.findall(r"\bX\((\w+),", table.read()))
LINALG = set("diag diagonal tril triu norm allclose array_equal".split())
for header in "linalg", "decompositions":
    with open(os.path.join(os.environ["srcdir"], f"include/maniple/{header}.h"), encoding="utf-8") as text:
        LINALG |= set(re.findall(r"MNP_API mnp_status mnp_(\w+)\(", text.read()))
WORK = elementwise | set("""copy astype redistribute replicate plan_new plan_run round around choose select result_type
    may_share_memory elementwise_call array_ctx array_dtype array_free array_get_local array_is_read_only array_layout array_local_data
    array_drop array_get_local_strided array_local_lo array_local_shape array_local_size array_local_strides array_margins
    array_ndim array_set_local array_set_local_strided array_shape array_to_host array_to_host_as""".split())
ELSEWHERE = {"reduction_call", "conv_execute", "fft_plan_execute",  # they need a reduction, or a plan, which is not made for such layouts
             "matmul_describe", "einsum_path", "solve_dtype",  # they tell what a call would do, in memory of their own
             "find_peaks",  # its result is a struct
             "array_item", "array_items",  # they take arrays of one element
             "array_describe", "array_print"}  # they show any array
NUMBERS = {"count": 2, "bins": 3, "ndim": 2, "axis2": 1, "destination": 1, "n": 1, "edge_order": 1, "k": 1,
           "repeats": 2}
NEEDED = "a b breaks divisor h sos bins shape repeats widths kth indices q shifts value values sources destinations subscripts size sigma weights zoom shift matrix domain window".split()
TEXTS = {"ufunc": "add", "comparator": "greater", "function": "add", "estimator": "sturges", "subscripts": "1:", "file": "x.h5", "dataset": "/x"}


def plain(kind):
    return kind.replace("const ", "").replace(" const", "")


def is_list(kind):
    """Several arrays, which are not outputs."""
    return plain(kind).replace("const", "") == "mnp_array **" and "*const *" in kind


def takes_array(kind, _name):
    return plain(kind) == "mnp_array *" or is_list(kind)


def argument(kind, name, array):
    """A value for a parameter; the array's layout is checked before anything else that is wrong with the call."""
    if takes_array(kind, name):
        return [array, array] if is_list(kind) else array
    special = {"mnp_array **": 4, "mnp_layout *": layout, "char *": TEXTS.get(name), "mnp_dtype": "float64",
               "mnp_rng *": generator, "mnp_comm *": world, "mnp_sparse *": matrix, "mnp_operator *": operator,
               "mnp_precond *": precond, "mnp_h5_file *": file, "mnp_triangular *": triangular,
               "mnp_matrix_function": 1,  # it is not called
               "mnp_conv_method *": (ctypes.c_int * 1)()}
    if plain(kind) in special:
        return special[plain(kind)]
    if kind.endswith("*"):
        return [1] * 32 if name in NEEDED else None
    return NUMBERS.get(name, 0)


def outcome(function, given):
    """What is wrong with a call, or nothing."""
    try:
        binding.call(function, *given)
    except mp.Error as error:
        return error.message
    return ""


generator = mp.rng_new(1)
matrix = mp.sparse_eye("float64", len(a), len(a), 0)
operator = mp.operator_from_sparse(matrix)
precond = mp.precond_new(matrix, 0, None)
file = mp.h5_file_open(mp.scratch("x.h5"), True)
triangular = mp.triangular_new(matrix, "float64", True, False, False)
world = ctypes.c_void_p(binding.call("comm_world"))
short = mp.array(a[:, 0].copy(), mp.layout_new_cyclic(1, [mp.size], 1, [13], [0], [2]))
for function, (_, parameters) in sorted(binding.functions_with_const().items() if mp.layout_is_cyclic(layout) else []):
    if function[4:] in WORK | ELSEWHERE or not any(takes_array(*p) for p in parameters):
        continue
    given = [argument(kind, name, short if function == "mnp_random_choice" else x) for kind, name in parameters
             if plain(kind) != "mnp_ctx *" and not binding._is_output(kind, name)]
    if function[4:] in LINALG:
        mp.ok("block-cyclically" not in outcome(function[4:], given), f"{function[4:]} takes such arrays")
    else:
        mp.fails("MNP_ERR_ARG", "block-cyclically", function[4:], *given)
mp.rng_free(generator)
mp.h5_file_close(file)
mp.triangular_free(triangular)
mp.precond_free(precond)
mp.operator_free(operator)
mp.sparse_free(matrix)
mp.check("after all that", result, a)
mp.done()
