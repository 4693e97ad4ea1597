/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of whole arrays in expressions, such as cumsum(x, axis=0) and the reductions: everything that is not
 * computed element by element.
 *
 * A table has their names and NumPy's signatures.  A signature is the text between the parentheses: its parameters have
 * default values or must be given, and those after "*" are given by their names.  The name of a parameter says what it
 * is (expr_arguments.c): "axis" is an axis, or several, "q" a list of numbers, and so on; all names that are not known
 * there, such as "x", are arrays.  Only arrays are expressions; everything else is constant.
 */
#ifndef MNP__OPS_EXPRESSION_ARRAY_FUNCTION_H
#define MNP__OPS_EXPRESSION_ARRAY_FUNCTION_H

#include <maniple/reduce.h>
#include <maniple/statistics.h>

#include "ops/expression/expr_number.h"
#include "ops/reduction/numpy_reductions.h"

enum {
    MNP__MAX_ARGUMENTS = 8, /* arrays that a function takes */
    MNP__MAX_RESULTS = 4,
    MNP__MAX_REALS = 64,
    MNP__MAX_OPTION_WORD = 32
};

/* Parameters that are true or false, as bits. */
enum {
    MNP__FLAG_INDEX = 1,   /* return_index */
    MNP__FLAG_INVERSE = 2, /* return_inverse */
    MNP__FLAG_COUNTS = 4,  /* return_counts */
    MNP__FLAG_INVERT = 8,
    MNP__FLAG_LARGEST = 16,
    MNP__FLAG_DENSITY = 32,
    MNP__FLAG_RIGHT = 64,
    MNP__FLAG_ROWVAR = 128,
    MNP__FLAG_BIAS = 256
};

typedef struct mnp__integers {
    int count;
    bool is_list; /* in parentheses or brackets */
    int64_t values[MNP_MAX_DIMS];
} mnp__integers;

/* The arguments of a call that are no arrays. */
typedef struct mnp__constants {
    mnp_axes axes;             /* axis, keepdims, dtype, ddof; `where` and `initial` are set when it runs */
    bool flat;                 /* axis is None */
    mnp__integers integers[3]; /* n, k, shift, shape ...; and others, as of swapaxes(x, axis1, axis2) */
    int nreals;
    bool reals_are_list;
    double reals[MNP__MAX_REALS];    /* q, dx, range */
    mnp__number initial;             /* kind 0: none */
    char word[MNP__MAX_OPTION_WORD]; /* method, mode, side, norm; "" if not given */
    unsigned flags;
} mnp__constants;

typedef struct mnp__array_function mnp__array_function;

/* A call in the text. */
typedef struct mnp__array_call {
    const mnp__array_function *function;
    const mnp__reduce_function *reduce; /* a reduction; otherwise NULL */
    mnp__word name;                     /* as it is written */
    mnp__constants constants;
    int narrays;                   /* arguments that are arrays */
    int slots[MNP__MAX_ARGUMENTS]; /* the argument of each parameter that is an array, or -1 if it is not given */
    int node;
    unsigned mask;  /* of a reduction: bit d: dimension d is reduced */
    mnp_dtype type; /* of a reduction: in which elements are taken */
} mnp__array_call;

/* What is known of an array before it is there. */
typedef struct mnp__array_facts {
    mnp_dtype dtype;
    int ndim;
} mnp__array_facts;

struct mnp__array_function {
    const char *name, *signature;
    /* Find what the results are, of arguments in the order of the call; MNP_ERR_ARG if it is not defined for these. */
    mnp_status (*describe)(mnp__array_call *call, const mnp__array_facts *arguments, mnp__array_facts *results);
    /* Compute the results, which are new arrays; a given *results is written. */
    mnp_status (*run)(const mnp__array_call *call, const mnp_array *const *arguments, mnp_array **results);
    union {
        mnp_status (*x)(const mnp_array *, mnp_array **);
        mnp_status (*x_axis)(const mnp_array *, int, mnp_array **);
        mnp_status (*x_axis_dtype)(const mnp_array *, int, const char *, mnp_array **);
        mnp_status (*x_axes)(const mnp_array *, const mnp_axes *, mnp_array **);
        mnp_status (*x_k)(const mnp_array *, int64_t, mnp_array **);
        mnp_status (*x_kth)(const mnp_array *, int, const int64_t *, int, mnp_array **);
        mnp_status (*x_shape)(const mnp_array *, int, const int64_t *, mnp_array **);
        mnp_status (*x_naxes)(const mnp_array *, int, const int *, mnp_array **);
        mnp_status (*x_y)(const mnp_array *, const mnp_array *, mnp_array **);
        mnp_status (*x_dtype)(const mnp_array *, mnp_dtype, mnp_array **);
        mnp_status (*list)(const mnp_array *const *, int, mnp_array **);
        mnp_status (*list_axis)(const mnp_array *const *, int, int, mnp_array **);
        mnp_status (*two_axes)(const mnp_array *, int, int, mnp_array **);
        struct {
            mnp_status (*one)(const mnp_array *, double, const mnp_axes *, const char *, mnp_array **);
            mnp_status (*some)(const mnp_array *, int, const double *, const mnp_axes *, const char *, mnp_array **);
        } quantile;
        mnp_status (*fft)(const mnp_array *, int64_t, int, const char *, mnp_array **);
        mnp_status (*fftn)(const mnp_array *, int, const int64_t *, const int *, const char *, mnp_array **);
        mnp_status (*dct)(const mnp_array *, int, int64_t, int, const char *, mnp_array **);
        mnp_status (*dctn)(const mnp_array *, int, int, const int64_t *, const int *, const char *, mnp_array **);
        mnp_status (*shift)(const mnp_array *, int, const int *, mnp_array **);
        mnp_status (*cov)(const mnp_array *, const mnp_array *, const mnp_cov_options *, mnp_array **);
    } call;
};

/* Find a function and set `function`, and `reduce`, of a call; false if there is none of that name. */
bool mnp__array_function_find(mnp__word name, mnp__array_call *call);

/* The i-th of these names; NULL after the last one. */
const char *mnp__array_function_name(int i);

/* How many results a call has, which options say. */
int mnp__array_call_results(const mnp__array_call *call);

/* ---- array_run.c: calls of public functions with the arguments that a text gives ---- */

typedef mnp_status mnp__array_runner(const mnp__array_call *call, const mnp_array *const *arguments,
                                     mnp_array **results);

/* For prototypes that several functions share. */
mnp__array_runner mnp__run_x, mnp__run_x_axis, mnp__run_x_axis_dtype, mnp__run_x_axes, mnp__run_x_k, mnp__run_x_kth,
    mnp__run_x_shape, mnp__run_x_naxes, mnp__run_x_y, mnp__run_x_dtype, mnp__run_list, mnp__run_list_axis,
    mnp__run_two_axes, mnp__run_quantile, mnp__run_cov, mnp__run_reduction, mnp__run_fft, mnp__run_fftn, mnp__run_dct,
    mnp__run_dctn, mnp__run_fftshift;

/* For single functions. */
mnp__array_runner mnp__run_diff, mnp__run_ediff1d, mnp__run_gradient, mnp__run_trapezoid, mnp__run_topk,
    mnp__run_unique, mnp__run_isin, mnp__run_average, mnp__run_histogram, mnp__run_bincount, mnp__run_searchsorted,
    mnp__run_digitize, mnp__run_transpose, mnp__run_append, mnp__run_roll, mnp__run_repeat, mnp__run_pad, mnp__run_take,
    mnp__run_compress, mnp__run_mask_set, mnp__run_indices_set;

/* x[mask], x[indices], and x after x[mask] = values and x[indices] = values. */
extern const mnp__array_function mnp__function_of_mask, mnp__function_of_indices, mnp__function_of_mask_set,
    mnp__function_of_indices_set;

#endif
