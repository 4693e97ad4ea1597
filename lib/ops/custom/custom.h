/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What custom kernels share: the parameters of element-wise ones and reductions, and checks.
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
 * Append the parameters of a list; `what` is "inputs" or "outputs", for the sentence.  `*count` are there already.
 * MNP_ERR_ARG with the position of what is wrong.
 */
mnp_status mnp__parameters_parse(const char *list, const char *what, mnp__parameter *parameters, int *count);

/*
 * The dtype of every parameter in a call: arrays say what letters stand for, then outputs that are given, then scalars.
 * `name` is the kernel's, for the sentence.  MNP_ERR_ARG if they do not agree, or nothing tells.
 */
mnp_status mnp__parameters_resolve(const char *name, const mnp__parameter *parameters, int ninputs, int noutputs,
                                   const mnp_array *const *inputs, mnp_array **const *outputs_p, mnp_dtype *dtypes);

/* What bodies call a dtype; see kernels/custom/custom.h. */
const char *mnp__body_type(mnp_dtype dtype);

/* MNP_ERR_ARG unless the name is one for C; `function` and `what` begin the sentence. */
mnp_status mnp__check_identifier(const char *function, const char *what, const char *name);

#endif
