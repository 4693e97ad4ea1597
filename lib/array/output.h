/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outputs: where a function writes its result.
 *
 * A public function takes its output as `mnp_array **y_p`.  If *y_p is NULL it makes a new array.  If an array is given,
 * that array is checked (context, dtype, shape, and whether it can be written), and receives the values.  The function
 * computes into the given array where it can; where the array has another dtype or layout than the computation needs,
 * or shares memory with an input, the function computes into a temporary array, which is then copied.
 *
 * A function opens its outputs, computes into output.array, and closes them with its status.  *y_p is set only on
 * success, and only after everything succeeded.
 *
 * Cost: an output that serves as it is costs some comparisons.  A temporary costs its memory and a copy; where it moves
 * between ranks they agree on the status before, so that no rank waits for one that failed alone.
 */
#ifndef MNP__ARRAY_OUTPUT_H
#define MNP__ARRAY_OUTPUT_H

#include "array/array.h"

/* What a computation needs of the array that it writes, as bits. */
enum {
    MNP__OUTPUT_DENSE = 1,      /* it lies dense in C order */
    MNP__OUTPUT_ANY_LAYOUT = 2, /* no layout: the computation writes to any that consists of blocks */
    MNP__OUTPUT_CYCLIC = 4,     /* nor blocks: a given array may be spread block-cyclically */
    MNP__OUTPUT_EXACT = 8       /* a given array must have that dtype and layout: MNP_ERR_ARG if not */
};

/* What is known of a result before it is computed. */
typedef struct mnp__output_spec {
    const char *function; /* begins the sentences: "mnp_sum" */
    const char *name;     /* which of several outputs: "counts"; NULL where there is one */
    mnp_ctx *ctx;
    mnp_dtype dtype;          /* of the values as they are computed; a given array has one to which they can be cast */
    const mnp_layout *layout; /* of the computation, and of a new array; NULL: only the shape is known, */
    int ndim;                 /* which is this one; */
    const int64_t *shape;     /* NULL: nor is that */
    unsigned needs;
    int ninputs; /* arrays that are read while the output is written */
    const mnp_array *const *inputs;
} mnp__output_spec;

typedef struct mnp__output {
    mnp_array *array; /* what is written: a new array, the given one, or a temporary beside it */
    mnp_array **user_p;
    bool local; /* a copy to the given array, if one is needed, concerns each rank alone */
} mnp__output;

/*
 * MNP_ERR_ARG unless `given` is NULL or can take the result; for functions that check early and make their result
 * later, and that know no layout yet.  Not collective: all ranks find the same.
 */
mnp_status mnp__output_check(const mnp__output_spec *spec, const mnp_array *given);

/* MNP_ERR_ARG, in the same words, unless an output of dtype `to` can take a result of dtype `from`. */
mnp_status mnp__output_check_cast(const char *function, const char *name, mnp_dtype from, mnp_dtype to);

/* MNP_ERR_ARG if the same array is given for two of `count` outputs; pointers may be NULL. */
mnp_status mnp__output_check_distinct(const char *function, int count, mnp_array **const *user_p);

/* MNP_ERR_ARG unless the function can change x in place; `name` is what the sentence calls it. */
mnp_status mnp__output_check_writable(const char *function, const char *name, const mnp_array *x);

/*
 * Check, and choose or make the array that is written.  After a failure `output` holds nothing, and closing it is
 * harmless.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE.
 */
mnp_status mnp__output_open(const mnp__output_spec *spec, mnp_array **user_p, mnp__output *output);

/*
 * End outputs that were opened together, or not at all (zeros).  If `status` is MNP_OK the values are brought to the
 * given arrays, and then the new arrays are the user's; if not, they are released.  Collective; gives the status, which
 * all ranks share where values move between them.
 */
mnp_status mnp__output_close(int count, mnp__output *outputs, mnp_status status);

/* Copy to an array of the same shape, of any dtype and layout, which may share memory with it.  Collective. */
mnp_status mnp__array_copy_to(const mnp_array *from, mnp_array *to);

/*
 * The end of an output whose array the function made by itself, in any dtype and layout: *y_p was checked before.  The
 * array is the caller's no longer.
 */
static inline mnp_status mnp__output_give(mnp_array *made, mnp_status status, mnp_array **user_p)
{
    return mnp__output_close(1, &(mnp__output){.array = made, .user_p = user_p}, status);
}

#endif
