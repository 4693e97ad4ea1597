# SPDX-License-Identifier: BSD-3-Clause
"""The Python package beside NumPy and SciPy, in the same process, on any number of ranks: prints a line for each
point, from rank 0, for tests/python.t.  The checks are in the files of checks/, by subject."""

import traceback

import maniple as mp

import checks
from checks import arguments, arrays, designs, families, functions, kernels, matrices, names, pages, restoration
from checks import returns, signals, sparse, standard, windows

returns.start()

for check in (
    arrays.check_arrays,
    arrays.check_copies,
    arrays.check_refusals,
    arrays.check_operators,
    arrays.check_powers,
    arrays.check_indexing,
    functions.check_functions,
    functions.check_names,
    functions.check_standard,
    matrices.check_linalg,
    matrices.check_infinite,
    arrays.check_dlpack,
    arguments.check_ufunc_methods,
    arguments.check_written,
    arguments.check_grids,
    arguments.check_more_arguments,
    matrices.check_sparse_parts,
    matrices.check_sparse_comparisons,
    sparse.check_sparse_bools,
    sparse.check_sparse_elements,
    sparse.check_sparse_constructions,
    arguments.check_polynomials,
    arguments.check_more_indices,
    arrays.check_large_integers,
    functions.check_evaluate,
    functions.check_random,
    functions.check_kernels,
    kernels.check_elementwise_kernels,
    kernels.check_raw_modules,
    kernels.check_fuse,
    standard.check_names_of_the_standard,
    signals.check_signal,
    signals.check_filters,
    signals.check_dtypes_of_convolutions,
    signals.check_complex_coefficients,
    signals.check_names_of_filters,
    signals.check_ends_and_windows,
    signals.check_cosine_transforms,
    designs.check_orders,
    designs.check_responses,
    designs.check_polynomials,
    designs.check_sequences,
    designs.check_envelope,
    signals.check_fft_plans,
    signals.check_ndimage,
    signals.check_filters_of_images,
    signals.check_measurements,
    matrices.check_sparse,
    signals.check_short_time,
    arrays.check_ranks,
    arrays.check_files,
    arrays.check_local,
    arrays.check_garbage,
    functions.check_benchmark,
    functions.check_more_names,
    functions.check_cupy_names,
    names.check_orders,
    names.check_margins,
    names.check_layouts_of_new_arrays,
    names.check_ndarray,
    names.check_further_names,
    names.check_refused_dtypes,
    families.check_distributions,
    families.check_waveforms,
    families.check_special_matrices,
    families.check_images_and_labels,
    families.check_labels,
    restoration.check_deconvolution,
    windows.check_windows,
    windows.check_unwrap,
    windows.check_bits,
    windows.check_piecewise,
    windows.check_where,
    windows.check_multivariate_normal,
    pages.check_page,
    pages.check_notebook,
    arrays.check_flags,
    arguments.check_numbers,
    arguments.check_axes,
    matrices.check_linalg_arguments,
    matrices.check_randomised_svd,
    matrices.check_shapes_of_matrices,
    returns.check_returns,
):
    try:
        check()
    except Exception as error:  # noqa: BLE001
        if mp.rank() == 0:
            traceback.print_exc()
        checks.ok(False, f"{check.__name__} ends with {type(error).__name__}: {error}")
raise SystemExit(1 if checks.failures else 0)
