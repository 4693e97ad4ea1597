/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What custom kernels share: the parameter lists of element-wise kernels and reductions, and checks of names.
 */
#ifndef MNP__OPS_CUSTOM_CUSTOM_H
#define MNP__OPS_CUSTOM_CUSTOM_H

#include "ops/common/kernel_table.h"
#include "ops/elementwise/loop.h"

enum { MNP__MAX_PARAMETER_NAME = 63 };

/* A parameter of an element-wise kernel, such as "raw float32 table" or "T x". */
typedef struct mnp__parameter {
    char name[MNP__MAX_PARAMETER_NAME + 1];
    char letter;     /* 0, or the letter that stands for its type */
    mnp_dtype dtype; /* if there is no letter */
    bool raw;
} mnp__parameter;

/*
 * Parse a list and append its parameters to the `*count` present ones.  Messages call the list `what`, "inputs" or
 * "outputs".  MNP_ERR_ARG with the position of the mistake.
 */
mnp_status mnp__parameters_parse(const char *list, const char *what, mnp__parameter *parameters, int *count);

/*
 * Find the dtype of every parameter in a call.  A letter takes the dtype of the input arrays, otherwise of given
 * outputs, otherwise of scalars.  Messages use the kernel's `name`.  MNP_ERR_ARG if these differ, or a letter has none.
 */
mnp_status mnp__parameters_resolve(const char *name, const mnp__parameter *parameters, int ninputs, int noutputs,
                                   const mnp_array *const *inputs, mnp_array **const *outputs_p, mnp_dtype *dtypes);

/* The name of a dtype in bodies; see kernels/custom/custom.h. */
const char *mnp__body_type(mnp_dtype dtype);

/* Return MNP_ERR_ARG unless `name` is an identifier of C; the message begins with `function` and `what`. */
mnp_status mnp__check_identifier(const char *function, const char *what, const char *name);

#endif
