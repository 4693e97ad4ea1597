/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside the planning of a run: how each operand is reached, in the words of kernels/elementwise/elementwise_params.h,
 * and with that whether a loop goes by tiles, by rows with vectors, or flat.
 */
#include "ops/elementwise/loop_plan.h"

#include <stdlib.h>

#include "kernels/elementwise/elementwise_params.h"

enum {
    LEAST_TILED = 16, /* least elements of a dimension that makes tiles worthwhile */
    MOST_TILED = 4    /* most operands with tiles, which must fit in shared memory */
};

typedef mnp__loop_walk walk;

bool mnp__loop_moves(const walk *w, int k)
{
    return w->access[k] != MNP_ACCESS_SCALAR && w->access[k] != MNP_ACCESS_RAW;
}

bool mnp__loop_is_array(const walk *w, int k)
{
    return k < w->first_output + w->loop->spec.noutputs && mnp__loop_moves(w, k);
}

/* Whether several elements of an operand along a dimension share a memory sector, of 32 bytes. */
static bool is_near(const walk *w, int k, int d)
{
    return w->stride[k][d] != 0 && llabs(w->stride[k][d]) * (int64_t)w->loop->sizes[k] <= 16;
}

/* Whether an operand's elements along the innermost dimension are far apart. */
static bool is_far(const walk *w, int k)
{
    return mnp__loop_is_array(w, k) && llabs(w->stride[k][w->nest.ndim - 1]) >= LEAST_TILED;
}

/*
 * Find a dimension along which inputs have short strides and move it next to the innermost; false if none needs tiles.
 */
static bool find_transposed(walk *w, mnp__loop_signature *signature)
{
    int last = w->nest.ndim - 1, found = -1;
    if (w->nest.ndim < 2 || w->nest.extent[last] < LEAST_TILED || w->stride[w->first_output][last] != 1)
        return false;
    for (int k = 0; k < w->first_output && found < 0; k++) {
        for (int d = 0; d < last && is_far(w, k); d++) {
            if (is_near(w, k, d) && w->nest.extent[d] >= LEAST_TILED &&
                (found < 0 || llabs(w->stride[k][d]) < llabs(w->stride[k][found])))
                found = d;
        }
    }
    if (found < 0)
        return false;
    mnp__nest_move(&w->nest, found, last - 1);
    for (int k = 0, tiled = 0; k < w->first_output && tiled < MOST_TILED; k++) {
        if (is_far(w, k) && is_near(w, k, last - 1)) {
            int reach = w->stride[k][last - 1] == 1 ? MNP_ACCESS_UNIT : MNP_ACCESS_STRIDED;
            signature->access[k] = (unsigned char)(MNP_ACCESS_TRANSPOSED | reach);
            tiled++;
        }
    }
    return true;
}

/* Set the access of operands by their innermost stride, unless they are transposed or without memory. */
static void find_access(const walk *w, mnp__loop_signature *signature)
{
    for (int k = 0; k < w->nest.count; k++) {
        int64_t stride = w->stride[k][w->nest.ndim - 1];
        if (signature->access[k] == MNP_ACCESS_STRIDED)
            signature->access[k] = stride == 1   ? MNP_ACCESS_UNIT
                                   : stride == 0 ? MNP_ACCESS_BROADCAST
                                                 : MNP_ACCESS_STRIDED;
    }
}

void mnp__loop_find_access(walk *w, mnp__loop_signature *signature)
{
    signature->tile = find_transposed(w, signature);
    find_access(w, signature);
}

/* Whether an operand lies in C order of the loop's dimensions without gaps; and whether all elements are the same. */
static bool is_dense(const walk *w, int k)
{
    int64_t stride = 1;
    for (int d = w->nest.ndim - 1; d >= 0; d--) {
        if (w->stride[k][d] != stride)
            return false;
        stride *= w->nest.extent[d];
    }
    return true;
}
static bool is_constant(const walk *w, int k)
{
    for (int d = 0; d < w->nest.ndim; d++) {
        if (w->stride[k][d] != 0)
            return false;
    }
    return true;
}

/* The same for a flat loop, whose vectors go on from row to row. */
static void find_flat_access(const walk *w, mnp__loop_signature *signature)
{
    for (int k = 0; k < w->nest.count; k++) {
        if (mnp__loop_moves(w, k))
            signature->access[k] = is_dense(w, k)                        ? MNP_ACCESS_UNIT
                                   : is_constant(w, k)                   ? MNP_ACCESS_BROADCAST | MNP_ACCESS_SAME
                                   : w->stride[k][w->nest.ndim - 1] == 0 ? MNP_ACCESS_BROADCAST
                                                                         : MNP_ACCESS_STRIDED;
    }
}

/* Whether vectors of an operand that start `head` elements before its first one are aligned in every row. */
static bool is_aligned(const walk *w, int k, const mnp__loop_signature *signature, int64_t head, int along)
{
    int64_t size = (int64_t)w->loop->sizes[k], bytes = size * signature->vector < 16 ? size * signature->vector : 16;
    if (((int64_t)w->base[k] - head * size) % bytes != 0)
        return false;
    for (int d = 0; d < w->nest.ndim && !signature->flat; d++) {
        if (d != along && w->stride[k][d] * size % bytes != 0)
            return false;
    }
    return true;
}

/* Whether an input's elements are loaded one by one because its innermost stride is neither 1 nor 0. */
static bool has_strided_input(const walk *w, const mnp__loop_signature *signature)
{
    for (int k = 0; k < w->first_output; k++) {
        if (mnp__loop_is_array(w, k) && signature->access[k] == MNP_ACCESS_STRIDED)
            return true;
    }
    return false;
}

/*
 * Choose a thread's elements along a row: one access of the widest array, or 1 element if no output is aligned.  Gives
 * whether there are vectors; an element of 16 bytes is one, too.
 */
static bool choose_vector(const walk *w, mnp__loop_signature *signature, int64_t *head)
{
    int last = w->nest.ndim - 1, outputs = w->first_output + w->loop->spec.noutputs;
    size_t widest = 1;
    for (int k = 0; k < outputs; k++) {
        if (mnp__loop_is_array(w, k) && w->loop->sizes[k] > widest)
            widest = w->loop->sizes[k];
    }
    const mnp__loop_tuning *tuning = &w->loop->tuning;
    bool words = !signature->tile && has_strided_input(w, signature), good = true;
    int vector = (int)((size_t)(words ? tuning->word_bytes : tuning->vector_bytes) / widest);
    signature->vector = (unsigned char)(vector > 1 ? vector : 1);
    int64_t size = (int64_t)w->loop->sizes[w->first_output];
    int64_t step = size * signature->vector < 16 ? size * signature->vector : 16;
    *head = signature->tile ? 0 : (int64_t)(w->base[w->first_output] % (uint64_t)step) / size;
    for (int k = w->first_output; k < outputs && !signature->tile; k++) {
        if (signature->access[k] != MNP_ACCESS_UNIT || !is_aligned(w, k, signature, *head, last))
            good = false;
    }
    if (!good || (signature->vector == 1 && widest < 16)) {
        *head = 0;
        signature->vector = 1;
        return false;
    }
    return true;
}

/* Set the operands of which a thread loads or stores its vectors as a whole. */
static void find_vectors(const walk *w, mnp__loop_signature *signature, int64_t head)
{
    int last = w->nest.ndim - 1, outputs = w->first_output + w->loop->spec.noutputs;
    for (int k = 0; k < outputs; k++) {
        int along = signature->access[k] & MNP_ACCESS_TRANSPOSED ? last - 1 : last;
        if (mnp__loop_is_array(w, k) && (signature->access[k] & MNP_ACCESS_MASK) == MNP_ACCESS_UNIT &&
            is_aligned(w, k, signature, head, along))
            signature->access[k] = (unsigned char)(signature->access[k] + MNP_ACCESS_VECTOR - MNP_ACCESS_UNIT);
    }
}

/*
 * Whether rows share memory sectors of an input, as its nearest elements are not along a row but across rows that are
 * long.  They should then be read together, by the threads that take several rows.
 */
static bool shares_sectors(const walk *w)
{
    int last = w->nest.ndim - 1;
    for (int k = 0; k < w->first_output && w->nest.extent[last] >= LEAST_TILED; k++) {
        for (int d = 0; d < last && mnp__loop_is_array(w, k); d++) {
            if (w->stride[k][d] != 0 && llabs(w->stride[k][d]) < llabs(w->stride[k][last]))
                return true;
        }
    }
    return false;
}

/* Whether rows are not for vectors, so that the loop should be flat. */
static bool prefers_flat(const walk *w, const mnp__loop_signature *signature, bool vectors)
{
    return w->nest.ndim > 1 && w->nest.ndim < MNP_MAX_DIMS && !signature->tile &&
           (!vectors || has_strided_input(w, signature)) && !shares_sectors(w);
}

/* Let the loop be flat.  Gives what choose_vector() does. */
static bool make_flat(const walk *w, mnp__loop_signature *signature, int64_t *head)
{
    int64_t row = w->nest.extent[w->nest.ndim - 1];
    signature->flat = 1;
    find_flat_access(w, signature);
    bool vectors = choose_vector(w, signature, head);
    for (int k = 0; k < w->nest.count; k++) { /* vectors of more than two rows have their elements loaded singly */
        if (signature->access[k] == MNP_ACCESS_BROADCAST && (row < signature->vector || signature->vector == 1)) {
            signature->access[k] = MNP_ACCESS_STRIDED;
            vectors = choose_vector(w, signature, head);
        }
    }
    return vectors;
}

/* Find the operands of which a thread needs the same elements for all its rows. */
static void find_same(const walk *w, mnp__loop_signature *signature)
{
    for (int k = 0; k < w->first_output; k++) {
        int access = signature->access[k];
        if (mnp__loop_is_array(w, k) && !signature->flat && !(access & MNP_ACCESS_TRANSPOSED) &&
            (w->nest.ndim == 1 ? access == MNP_ACCESS_BROADCAST : w->nest.ndim == 2 && w->stride[k][0] == 0))
            signature->access[k] = (unsigned char)(access | MNP_ACCESS_SAME);
    }
}

int64_t mnp__loop_choose_access(const walk *w, mnp__loop_signature *signature)
{
    int64_t head;
    bool vectors = choose_vector(w, signature, &head);
    if (prefers_flat(w, signature, vectors))
        vectors = make_flat(w, signature, &head);
    if (vectors)
        find_vectors(w, signature, head);
    for (int k = 0; k < w->nest.count && signature->vector == 1; k++) { /* treated alike, which saves kernels */
        if (signature->access[k] == MNP_ACCESS_UNIT && !signature->flat)
            signature->access[k] = MNP_ACCESS_STRIDED;
    }
    find_same(w, signature);
    return head;
}
