# SPDX-License-Identifier: BSD-3-Clause
"""No public function crashes where a pointer is NULL, or points to an object that it cannot be.

The calls are made from the prototypes of the headers: every function once for each of its pointers, with NULL there and
something plausible everywhere else.  It must name itself and the parameter.  Parameters that may be NULL are listed
below, as the headers' comments say it; a new function is tested without being named here.
"""

import ctypes
import faulthandler
import re

import binding
import maniple as mp
import numpy as np

faulthandler.enable()

# --- what may be NULL -------------------------------------------------------------------------------------------------

MAY_BE_NULL = {
    "mnp_init": "options", "mnp_ctx_set_progress": "function", "mnp_ctx_info": "links", "mnp_linspace": "step_p", "mnp_linspace_complex": "step_p",
    "mnp_array_print": "options", "mnp_array_describe": "array", "mnp_layout_new": "cuts",
    "mnp_eval": "inputs", "mnp_eval_types": "inputs dtypes ndims", "mnp_layout_on_mesh": "axes cuts",
    "mnp_sparse_from_triplets": "row_layout column_layout", "mnp_sparse_redistribute": "row_layout column_layout",
    "mnp_sparse_add": "alpha beta", "mnp_sparse_scale": "left right", "mnp_operator_new": "adjoint",
    "mnp_operator_from_kernel": "boundaries adjoint_body arrays",
    "mnp_operator_from_stencil": "boundaries", "mnp_csr_from_stencil": "boundaries", "mnp_precond_new": "options", "mnp_solve": "options result",
    "mnp_solve_dtype": "precond", "mnp_lsqr": "options variances_p result", "mnp_lsmr": "options result",
    "mnp_eigsh": "options vectors_p result", "mnp_lobpcg": "options result", "mnp_transpose": "axes",
    "mnp_squeeze": "axes", "mnp_flip": "axes", "mnp_sliding_window_view": "axes", "mnp_h5_read": "layout", "mnp_h5_read_box": "layout start shape",
    "mnp_h5_read_selection": "layout selection", "mnp_h5_write": "options", "mnp_h5_write_items": "options",
    "mnp_h5_write_sparse": "options", "mnp_h5_file_read": "selection layout", "mnp_h5_file_write": "start",
    "mnp_h5_file_remove": "attribute",
    "mnp_choose_conv_method": "options", "mnp_conv_plan_new": "options", "mnp_convolve": "options", "mnp_halo_new": "options",
    "mnp_array_new_margins": "before after", "mnp_array_margins": "before after",
    "mnp_histogram": "range weights edges_p", "mnp_histogram_edges": "weights", "mnp_histogram_bin_edges": "range",
    "mnp_histogram_bins": "range", "mnp_histogramdd": "ranges weights edges", "mnp_histogramdd_edges": "weights",
    "mnp_histogram2d": "ranges weights xedges_p yedges_p", "mnp_bincount": "weights",
    "mnp_array_wrap": "strides release", "mnp_array_set_local_strided": "strides",
    "mnp_array_get_local_strided": "strides", "mnp_array_from_host_strided": "strides",
    "mnp_ctx_wait_for": "stream", "mnp_ctx_let_wait": "stream", "mnp_pad": "value", "mnp_roll": "axes",
    "mnp_elementwise_new": "options", "mnp_raw_module_new": "options", "mnp_raw_module_variable": "pointer_p size_p",
    "mnp_mesh_new": "extents", "mnp_npy_read": "selection layout", "mnp_tiff_read": "selection layout",
    "mnp_fits_read": "hdu selection layout", "mnp_fits_inspect": "hdu", "mnp_fits_write": "hdu",
    "mnp_fits_check_write": "hdu", "mnp_tiff_write": "options", "mnp_mm_read_array": "layout",
    "mnp_random_choice": "p", "mnp_average": "weights", "mnp_reduction_new": "post options",
    "mnp_diff": "prepend append", "mnp_ediff1d": "to_end to_begin", "mnp_gradient": "spacing",
    "mnp_gradients": "spacings", "mnp_trapezoid": "x", "mnp_searchsorted": "sorter", "mnp_select": "otherwise",
    "mnp_ufunc_at": "values", "mnp_indices_at": "values", "mnp_unique": "values_p index_p inverse_p counts_p", "mnp_unique_axis": "values_p index_p inverse_p counts_p", "mnp_cov": "y options",
    "mnp_corrcoef": "y options", "mnp_norm": "ord", "mnp_interp": "options", "mnp_fft_plan_new": "options",
    "mnp_fft2": "s axes", "mnp_ifft2": "s axes", "mnp_rfft2": "s axes", "mnp_irfft2": "s axes",
    "mnp_hfft2": "s axes", "mnp_ihfft2": "s axes", "mnp_hfftn": "s axes", "mnp_ihfftn": "s axes",
    "mnp_fftn": "s axes", "mnp_ifftn": "s axes", "mnp_rfftn": "s axes", "mnp_irfftn": "s axes",
    "mnp_dctn": "s axes", "mnp_idctn": "s axes", "mnp_dstn": "s axes", "mnp_idstn": "s axes",
    "mnp_fftshift": "axes", "mnp_ifftshift": "axes", "mnp_selection_shape": "selection",
    "mnp_richardson_lucy": "options", "mnp_wiener_deconvolution": "reg", "mnp_unsupervised_wiener": "options chains",
    "mnp_tensordot": "axes_a axes_b", "mnp_matmul_describe": "layout", "mnp_einsum_path": "operations_p",
    "mnp_lfilter": "zi zf_p", "mnp_sosfilt": "zi zf_p", "mnp_filtfilt": "padtype", "mnp_sosfiltfilt": "padtype",
    "mnp_savgol_coeffs": "use", "mnp_savgol_filter": "mode",
    "mnp_whittaker_henderson": "weights lambda_p",
    "mnp_window": "parameters", "mnp_get_window": "parameters", "mnp_bessel": "norm", "mnp_filter_from_zpk": "z p",
    "mnp_firwin": "window parameters", "mnp_firwin2": "window parameters", "mnp_remez": "weight type",
    "mnp_channelize": "taps", "mnp_unpack_samples": "encoding order", "mnp_periodogram": "options", "mnp_welch": "options", "mnp_csd": "options", "mnp_coherence": "options",
    "mnp_spectrogram": "options", "mnp_stft": "options", "mnp_istft": "options", "mnp_detrend": "type breaks",
    "mnp_resample_poly": "taps", "mnp_decimate": "ftype", "mnp_czt": "w a",
    "mnp_medfilt": "size", "mnp_medfilt2d": "size", "mnp_wiener": "size noise", "mnp_find_peaks": "options",
    "mnp_argrelextrema": "mode", "mnp_argrelmax": "mode", "mnp_argrelmin": "mode",
    "mnp_qr": "mode", "mnp_qr_pivoted": "mode", "mnp_lstsq": "residuals_p rank_p s_p",
    "mnp_lstsq_mixed": "residuals_p rank_p corrections_p", "mnp_solve_toeplitz": "r",
    "mnp_linalg_solve_mixed": "corrections_p", "mnp_matrix_norm": "ord", "mnp_cond": "ord",
    "mnp_eigh_subset": "b v_p", "mnp_eig_pair": "vl_p vr_p", "mnp_eigh_tridiagonal": "v_p", "mnp_funm": "error_p", "mnp_finalize": "ctx",
}
MAY_BE_NULL.update({name: "options footprint structure structure1 structure2 order radius mask origins origins1 " +
                    "origins2 index offset output_shape axes sampling metric distances_p indices_p" +
                    (" size" if "uniform" in name else "") + (" shape shape1 shape2" if "binary" in name else "") +
                    ("" if "find_objects" in name else " labels")
                    for name in binding._functions if name.startswith("mnp_ndimage_")})
MAY_BE_NULL["mnp_ndimage_generate_binary_structure"] = ""

# Calls that end the program or this context, and those that wait for a message that nobody sends
NEVER = {"mnp_exit", "mnp_exit_at", "mnp_init", "mnp_init_fint", "mnp_finalize", "mnp_comm_send", "mnp_comm_recv", "mnp_fail",
         "mnp_temporary_guard", "mnp_temporary_release"}


# Buffers that one rank alone needs: that rank tells the others, or, in collectives of <maniple/comm.h>, does not
ONE_RANK = {"mnp_array_from_host", "mnp_array_from_host_strided", "mnp_array_to_host", "mnp_array_to_host_as",
            "mnp_array_print"}
ROOTED = re.compile("mnp_comm_(gather|scatter|reduce|reduce_scatter)v?$")


def may_be_null(function, kind, name):
    destroys = re.search(r"_(free|close|drop|clear)$", function) and _functions[function][0] == "void"
    anyway = name == "argument" or kind == "const mnp_axes *" or name in ("method", "norm") or (name == "dtype" and "char" in kind)
    return bool(destroys or anyway or name in MAY_BE_NULL.get(function, "").split())


# --- something plausible ----------------------------------------------------------------------------------------------

_functions, _lib = binding.functions_with_const(), binding._lib
zeros = ctypes.create_string_buffer(1 << 16)  # a struct, an option, a buffer or a list of numbers: zeros are defaults
x = mp.array(np.arange(12.0))
layout = mp.layout_block(mp.size, 1, [12])
sparse = mp.sparse_eye("float64", 12, 12, 0)
operator = mp.operator_from_sparse(sparse)
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
sink = ctypes.c_void_p(libc.fopen(b"/dev/null", b"w"))
wide = mp.array_new_margins("float64", layout, [1], [1])
module = mp.raw_module_new("extern \"C\" __global__ void f() {}", None) if mp.ctx_device_kind() == "cuda" else None

objects = {
    "array": x.pointer, "layout": layout.pointer, "ctx": binding.ctx, "sparse": sparse, "operator": operator,
    "comm": ctypes.c_void_p(mp.comm_world()), "rng": mp.rng_new(1), "mesh": mp.mesh_new(1, [mp.size]),
    "event": mp.event_new(), "plan": mp.plan_new(x, layout), "halo": mp.halo_new(1, [wide], None),
    "conv_plan": mp.conv_plan_new("float64", layout, mp.array(np.ones(3)), None),
    "fft_plan": mp.fft_plan_new("complex128", layout, None),
    "precond": mp.precond_new(sparse, 0, None), "triangular": mp.triangular_new(sparse, "float64", True, False, False),
    "elementwise": mp.elementwise_new("T x", "T y", "y = x", None), "raw_module": module, "raw_kernel": None,
    "reduction": mp.reduction_new("T x", "T y", "x", "a + b", None, "0", None), "graph": None, "h5_file": None,
}
ones = (ctypes.c_int64 * 64)(*[1] * 64)
words = {"ufunc": b"add", "comparator": b"less", "function": b"add", "name": b"float64", "estimator": b"sturges", "text": b"0"}
lists = (ctypes.c_void_p * 8)(*[x.pointer] * 8)
cells = (ctypes.c_void_p * 8)()
pairs = (ctypes.c_void_p * 8)(*[ctypes.addressof(cells)] * 8)


@ctypes.CFUNCTYPE(ctypes.c_int)
def callback():
    return 0


def is_pointer(kind):
    return kind.endswith("*") or kind in ("mnp_operator_apply", "mnp_graph_step")


def bare(kind):
    return kind.replace("const ", "").replace(" const", "").strip()


def object_kind(kind):
    """The name of the object that a pointer of this type points to, or None."""
    found = re.match(r"mnp_(\w+) \*$", bare(kind))
    return found.group(1) if found and found.group(1) in objects else None


def plausible(kind, name):
    thing = object_kind(kind)
    kind = bare(kind)
    if thing:
        return objects[thing]
    if kind in ("mnp_operator_apply", "mnp_graph_step", "mnp_progress", "mnp_release", "mnp_h5_visitor *"):
        return callback
    if kind == "FILE *":
        return sink
    if kind == "char *":
        return words.get(name, b"x")
    if kind == "mnp_array **":
        return ctypes.byref(ctypes.c_void_p()) if name.endswith("_p") else cells if "outs" in name else lists
    if kind == "mnp_array ***":
        return pairs
    if kind in ("int64_t *", "int *"):
        return ones
    if is_pointer(kind):
        return zeros
    if kind == "double":
        return ctypes.c_double(1)
    if kind == "MPI_Comm":
        return binding._world
    if kind == "mnp_dtype":
        return ctypes.c_int(binding._dtype_number("float64"))
    return ctypes.c_int64(0 if name in ("root", "axis", "rank", "dim", "peer", "format", "status") else 1)


def call(function, index, value):
    """Call with that value for one parameter; gives the status, or None where there is none, and what was recorded."""
    result, parameters = _functions[function]
    arguments = [value if k == index else plausible(*parameter) for k, parameter in enumerate(parameters)]
    plain = getattr(_lib, function)
    plain.restype = None if result == "void" else ctypes.c_double if result == "double" else ctypes.c_int64
    _lib.mnp_fail(0, b"nothing")
    value = plain(*arguments)
    return value & 0xffffffff if result == "mnp_status" else None, _lib.mnp_error_message().decode()


# --- the tests --------------------------------------------------------------------------------------------------------

def pointers(function):
    """The parameters that are tested: their indices, types and names."""
    missing = [kind for kind, _ in _functions[function][1] if object_kind(kind) and not objects[object_kind(kind)]]
    if function in NEVER or "..." in _functions[function][0]:
        return []
    return [(k, kind, name) for k, (kind, name) in enumerate(_functions[function][1])
            if is_pointer(kind) and (not missing or kind in missing[:1])]


def refuses(function, index, kind, value, sentence):
    status, message = call(function, index, value)
    right = message.startswith(f"{function}: ") and sentence in message and "\n" not in message
    expected = [None, binding._constants["MNP_ERR_ARG"]]
    if function in ONE_RANK:
        expected.append(binding._constants["MNP_ERR_PEER"])
    return right and status in expected or f"{status} {message}"


def reuses(function):
    """Whether an array that is given as the output is looked at."""
    return function not in ("mnp_array_new", "mnp_array_new_order", "mnp_array_new_margins")


for function in sorted(_functions):
    wrong = []
    mp.say(f"# {function}")  # before the calls: a crash is below its line
    for index, kind, name in pointers(function):
        if may_be_null(function, kind, name) or ROOTED.match(function) and mp.size > 1 and name != "comm":
            continue
        told = refuses(function, index, kind, None, f"{name} is NULL")
        wrong += [] if told is True else [f"{name} NULL: {told}"]
    mp.ok(not wrong, f"{function}: NULL is refused" + "".join("\n" + w for w in wrong))

holes = (ctypes.c_void_p * 8)()
for function in sorted(_functions):
    for index, kind, name in pointers(function):
        if bare(kind).replace("const", "") == "mnp_array **" and "const *" in kind:
            told = refuses(function, index, kind, holes, f"{name}[0] is NULL")
            mp.ok(told is True, f"{function}: NULL in {name} is refused" + ("" if told is True else f": {told}"))

strange = ctypes.create_string_buffer(b"\x5a" * 4096, 4096)  # what a pointer that was never set may point to
unset = ctypes.c_void_p(ctypes.addressof(strange))
for function in sorted(_functions):
    wrong = []
    for index, kind, name in pointers(function):
        if object_kind(kind) and function != "mnp_array_describe":
            told = refuses(function, index, kind, strange, f"{name} is not a")
        elif bare(kind) == "mnp_array **" and name.endswith("_p") and "*const" not in kind and reuses(function):
            told = refuses(function, index, kind, ctypes.byref(unset), "neither NULL")
        else:
            continue
        wrong += [] if told is True else [f"{name} strange: {told}"]
    if wrong or any(object_kind(kind) for _, kind, _ in pointers(function)):
        mp.ok(not wrong, f"{function}: what is no such object is refused" + "".join("\n" + w for w in wrong))

for name, thing in objects.items():
    if f"mnp_{name}_free" in _functions and name not in ("array", "layout", "comm") and thing:
        mp.lookup(f"{name}_free")(thing)
mp.done()
