/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes over the panels of one matrix whose columns are dealt out over the ranks: what the algorithms of panels.c,
 * panels_qr.c and others have in common.
 *
 * The columns lie in blocks of `width` that are dealt out in turn, each rank's one behind the other in column-major
 * order.  So a block is a panel that its owner has whole.  A pass brings one panel after the other to all ranks, in a
 * buffer, by one broadcast each, and every rank then works on its own columns.  If work fails on one rank alone, it
 * goes on taking part, and the ranks agree at the end.
 */
#ifndef MNP__LINALG_PANEL_PASS_H
#define MNP__LINALG_PANEL_PASS_H

#include "array/boxes.h"
#include "device/blas.h"
#include "linalg/dense/dense.h"

typedef struct mnp__pass {
    const mnp__place *place;
    mnp_ctx *ctx;
    mnp__device *device;
    mnp_dtype dtype;
    size_t size; /* bytes of an element */
    const mnp__dense *a;
    int64_t count; /* of panels */
    mnp__kernel *copy;
    mnp_array *buffer; /* on every rank: a panel, and so many elements behind it that its pivots or factors have room */
    mnp_status own;    /* of this rank's work */
} mnp__pass;

/* A panel: its columns [first, first + columns); its rows [top, top + rows), which are in the buffer. */
typedef struct mnp__panel {
    int64_t number, first, columns, top, rows;
    int owner;
} mnp__panel;

/*
 * Begin a pass over the panels that have the first `columns` columns; end it, also after a failure, with the status so
 * far, and agree.  Collective.
 */
mnp_status mnp__pass_begin(const mnp__place *place, const mnp__dense *a, int64_t columns, mnp__pass *p);
mnp_status mnp__pass_end(mnp__pass *p, mnp_status st);

/* Work of this rank, which is left out if some has failed. */
#define MNP__WORK(p, call)                                                                                             \
    do {                                                                                                               \
        if ((p)->own == MNP_OK)                                                                                        \
            (p)->own = (call);                                                                                         \
    } while (0)

/* Panel number k, with the rows from that `below` its first column's number on. */
mnp__panel mnp__panel_at(const mnp__pass *p, int64_t k, int64_t below);

/* The same with the rows above and in its diagonal block. */
mnp__panel mnp__panel_above(const mnp__pass *p, int64_t k);

/* Copy a panel of this rank to the buffer, or back. */
mnp_status mnp__panel_copy(const mnp__pass *p, const mnp__panel *at, bool back);

/* Send so many elements of the buffer from a panel's owner to all.  Collective. */
mnp_status mnp__panel_broadcast(const mnp__pass *p, const mnp__panel *at, int64_t elements);

/*
 * Products of matrices in column-major order, whose columns are `ld` elements apart: the extents of one, a factor of it
 * with what is done to it first ('N', 'T' or 'C', as BLAS has them), and where its result goes.
 */
typedef struct mnp__extents {
    int64_t m, n, k; /* the result's rows and columns; terms of each element */
} mnp__extents;

typedef struct mnp__factor {
    const void *at;
    int64_t ld;
    char op;
} mnp__factor;

typedef struct mnp__target {
    void *at;
    int64_t ld;
} mnp__target;

static inline mnp__extents mnp__mnk(int64_t m, int64_t n, int64_t k)
{
    return (mnp__extents){m, n, k};
}

static inline mnp__factor mnp__plain(const void *at, int64_t ld)
{
    return (mnp__factor){at, ld, 'N'};
}

static inline mnp__factor mnp__adjoint(const void *at, int64_t ld)
{
    return (mnp__factor){at, ld, 'C'};
}

static inline mnp__target mnp__into(void *at, int64_t ld)
{
    return (mnp__target){at, ld};
}

/* C = alpha A B + beta C; nothing is done for k = 0. */
mnp_status mnp__pass_multiply(const mnp__pass *p, mnp__extents extents, double alpha, mnp__factor a, mnp__factor b,
                              double beta, mnp__target c);

/* C -= A B */
static inline mnp_status mnp__pass_subtract(const mnp__pass *p, mnp__extents extents, mnp__factor a, mnp__factor b,
                                            mnp__target c)
{
    return mnp__pass_multiply(p, extents, -1, a, b, 1, c);
}

/* How many of this rank's columns of spread matrices are before that column. */
int64_t mnp__columns_before(const mnp__pass *p, const mnp__dense *a, int64_t column);

static inline bool mnp__panel_is_mine(const mnp__pass *p, const mnp__panel *at)
{
    return at->owner == p->ctx->comm.rank;
}

/* An element of this rank's columns. */
static inline char *mnp__pass_element(const mnp__pass *p, const mnp__dense *a, int64_t row, int64_t own_column)
{
    return (char *)a->of.data + (size_t)(own_column * a->of.ld + row) * p->size;
}

/* The first element of a row of the panel in the buffer, whose columns are `rows` elements apart. */
static inline char *mnp__panel_buffer(const mnp__pass *p, const mnp__panel *at, int64_t row)
{
    return (char *)p->buffer->data + (size_t)(row - at->top) * p->size;
}

/* What is behind the panel in the buffer, and travels with it: as many elements as the panel has columns at most. */
static inline char *mnp__panel_tail(const mnp__pass *p, const mnp__panel *at)
{
    return (char *)p->buffer->data + (size_t)(at->rows * at->columns) * p->size;
}

#endif
