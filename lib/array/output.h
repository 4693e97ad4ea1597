/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outputs: where a function writes its result.
 *
 * A public function takes its output as `mnp_array **y_p`.  If *y_p is NULL, it makes a new array.  Otherwise *y_p is
 * an existing array, which is checked (context, dtype, shape, and whether it can be written) and receives the values.
 * The function computes into the existing array if it can.  If the computation needs another dtype or layout, or the
 * array shares memory with an input, it computes into a temporary, which is then copied.  So the existing array may
 * have any layout, a block-cyclic one too.
 *
 * A function opens its outputs, computes into output.array, and closes them with its status.  *y_p is set only after
 * everything succeeded.
 *
 * Cost: for an output that is written directly, some comparisons.  A temporary takes its memory and a copy.  If the
 * copy moves elements between ranks, the ranks first agree on the status, so that no rank waits for one that has failed
 * alone.
 */
#ifndef MNP__ARRAY_OUTPUT_H
#define MNP__ARRAY_OUTPUT_H

#include "array/array.h"

/* What a computation needs of the array that it writes, as a bit set. */
enum {
    MNP__OUTPUT_DENSE = 1,      /* it is dense in C order */
    MNP__OUTPUT_ANY_LAYOUT = 2, /* any layout of blocks will do */
    MNP__OUTPUT_EXACT = 4       /* an existing array must have the dtype and layout, otherwise MNP_ERR_ARG */
};

/* The properties of a result before it is computed. */
typedef struct mnp__output_spec {
    const char *function; /* begins the messages: "mnp_sum" */
    const char *name;     /* the name of one of several outputs: "counts"; NULL if there is one */
    mnp_ctx *ctx;
    mnp_dtype dtype;          /* of the computed values; it can be cast to an existing array's */
    const mnp_layout *layout; /* of the computation, and of a new array; NULL if only the shape is known */
    int ndim;                 /* dimensions of `shape` */
    const int64_t *shape;     /* used if `layout` is NULL; NULL: the shape is not known either */
    unsigned needs;
    int ninputs; /* number of arrays that are read while the output is written */
    const mnp_array *const *inputs;
} mnp__output_spec;

typedef struct mnp__output {
    mnp_array *array; /* the array to write: a new one, the existing one, or a temporary */
    mnp_array **user_p;
    bool local; /* if a copy to the existing array is needed, each rank can make it alone */
} mnp__output;

/*
 * MNP_ERR_ARG unless `given` is NULL or can take the result; for functions that check early, before they know a layout,
 * and make their result later.  Not collective: all ranks get the same answer.
 */
mnp_status mnp__output_check(const mnp__output_spec *spec, const mnp_array *given);

/* MNP_ERR_ARG, with the same message, unless an output of dtype `to` can take a result of dtype `from`. */
mnp_status mnp__output_check_cast(const char *function, const char *name, mnp_dtype from, mnp_dtype to);

/* MNP_ERR_ARG if two of `count` outputs are the same array; pointers may be NULL. */
mnp_status mnp__output_check_distinct(const char *function, int count, mnp_array **const *user_p);

/* MNP_ERR_ARG unless the function can change x in place; the message calls x `name`. */
mnp_status mnp__output_check_writable(const char *function, const char *name, const mnp_array *x);

/*
 * Open an output: check it, and choose or make the array to write.  After a failure `output` is empty, and may be
 * closed.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE.
 */
mnp_status mnp__output_open(const mnp__output_spec *spec, mnp_array **user_p, mnp__output *output);

/*
 * Close outputs that were opened together, or not at all (zeros).  If `status` is MNP_OK, the values are copied to the
 * existing arrays, and then the new arrays are given to the caller.  Otherwise the new arrays are released.
 * Collective.  Returns the status, which is the same on all ranks if values move between them.
 */
mnp_status mnp__output_close(int count, mnp__output *outputs, mnp_status status);

/* Copy to an array of the same shape, of any dtype and layout, even if the arrays share memory.  Collective. */
mnp_status mnp__array_copy_to(const mnp_array *from, mnp_array *to);

/*
 * Close an output whose array the function made by itself, in any dtype and layout; *y_p was checked before.  `made`
 * belongs to the caller no longer.
 */
static inline mnp_status mnp__output_give(mnp_array *made, mnp_status status, mnp_array **user_p)
{
    return mnp__output_close(1, &(mnp__output){.array = made, .user_p = user_p}, status);
}

#endif
