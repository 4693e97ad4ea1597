/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct of a layout, and the index arithmetic that array/move/mover.c and the operations are built on. */
#ifndef MNP__LAYOUT_H
#define MNP__LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>

#include <maniple/layout.h>
#include <maniple/signal.h>

#include "base/integer.h"
#include "base/text.h"

/*
 * Views need two things that mnp_layout_new() does not offer.  A dimension with a negative step is `reversed`: its
 * first part belongs to the last ranks of its mesh axis.  A mesh axis whose dimension was dropped, as by an index, is
 * pinned: only the ranks at one coordinate of the axis own anything.
 */
struct mnp_layout {
    unsigned tag; /* MNP__TAG_layout: see base/call.h */
    atomic_int owners;
    int mesh_ndim, mesh[MNP_MAX_DIMS], nranks;
    int pin[MNP_MAX_DIMS]; /* of a mesh axis that cuts nothing: the coordinate that owns all, or MNP__REPLICAS */
    int ndim;
    int64_t shape[MNP_MAX_DIMS], size;
    int axes[MNP_MAX_DIMS];       /* mesh axis of each dimension, or MNP_NO_AXIS */
    bool reversed[MNP_MAX_DIMS];  /* part p belongs to the ranks at coordinate parts - 1 - p */
    int64_t *cuts[MNP_MAX_DIMS];  /* parts + 1 points of each dimension; part p has cuts[p + 1] - cuts[p] indices */
    int64_t blocks[MNP_MAX_DIMS]; /* extent of block-cyclic blocks: block b is of part b % parts; otherwise 0 */
    int order[MNP_MAX_DIMS];      /* storage order of new blocks: dimensions, the slowest first */
};

#define MNP__REPLICAS (-1) /* all coordinates of a mesh axis own the same elements */

/* How a dimension of a derived layout is cut. */
typedef struct mnp__layout_dim {
    int64_t extent;
    int axis;            /* of the mesh, or MNP_NO_AXIS */
    const int64_t *cuts; /* parts + 1 points, or NULL: divided equally; ignored if there is a block */
    int64_t block;       /* extent of block-cyclic blocks, or 0 */
    bool reversed;       /* as in mnp_layout */
} mnp__layout_dim;

/*
 * A dimension cut like dimension `dim` of a layout, with cuts that belong to the layout; and a dimension that is not
 * cut.
 */
mnp__layout_dim mnp__layout_dim_of(const mnp_layout *layout, int dim);
mnp__layout_dim mnp__layout_dim_whole(int64_t extent);

/*
 * Make a layout of other dimensions with the same mesh and pins; mesh axes that no longer cut a dimension become
 * replicas.  The second function takes the pin of every mesh axis.  MNP_ERR_ARG if no array can have the shape;
 * MNP_ERR_MEMORY.
 */
mnp_status mnp__layout_derive(const mnp_layout *layout, int ndim, const mnp__layout_dim *dims, mnp_layout **derived_p);
mnp_status mnp__layout_derive_pinned(const mnp_layout *layout, const int *pin, int ndim, const mnp__layout_dim *dims,
                                     mnp_layout **derived_p);

/*
 * Give a layout that was just derived the storage order of the layout `from`: dimension d of `derived` corresponds to
 * dimension dims[d] of `from`, or is new if that is negative.  C order stays C order.
 */
void mnp__layout_keep_order(mnp_layout *derived, const mnp_layout *from, const int *dims);

bool mnp__layout_order_is_c(const mnp_layout *layout);

/* The same layout with C order as its storage order.  If it has that order already, the layout itself is retained. */
mnp_status mnp__layout_in_c_order(const mnp_layout *layout, mnp_layout **layout_p);

/* The same mesh axes cut the same dimensions, and those that were block-cyclic are divided equally. */
mnp_status mnp__layout_in_blocks(const mnp_layout *layout, mnp_layout **layout_p);

/*
 * The box that `rank` owns; false if it owns nothing, because an extent is 0 or an axis is pinned to another
 * coordinate.  In a block-cyclic layout it is the smallest box that contains the rank's blocks.
 */
bool mnp__layout_box(const mnp_layout *layout, int rank, int64_t *lo, int64_t *extent);

/*
 * The number of elements of the largest block; and the number of ranks that share the elements: all ranks divided by
 * the number of replicas.
 */
int64_t mnp__layout_largest(const mnp_layout *layout);
int mnp__layout_sharers(const mnp_layout *layout);

/* The coordinate, along the mesh axis that cuts dimension `dim`, of the ranks that own its part number `part`. */
int mnp__layout_place(const mnp_layout *layout, int dim, int part);

/* Whether a layout is of arrays of that shape, or of the same shape as another; how they are cut does not matter. */
bool mnp__layout_has_shape(const mnp_layout *layout, int ndim, const int64_t *shape);
bool mnp__layout_same_shape(const mnp_layout *a, const mnp_layout *b);

/* MNP_ERR_ARG if no array can have that shape. */
mnp_status mnp__layout_check_shape(int ndim, const int64_t *shape);

/* A hash, equal for layouts that were made with the same arguments, by which ranks can find that theirs differ. */
uint64_t mnp__layout_hash(const mnp_layout *layout);

/* The part of dimension `dim` that `rank` owns; and the part, not an empty one, that contains the element `index`. */
int mnp__layout_part(const mnp_layout *layout, int dim, int rank);
int mnp__layout_find(const mnp_layout *layout, int dim, int64_t index);

/*
 * The indices of a part: `count` indices in runs of `length`, of which the last may be shorter.  The runs begin at
 * first, first + period, and so on.  If there is only one run, length is count and period is 0.
 */
typedef struct mnp__part_runs {
    int64_t first, count, length, period;
} mnp__part_runs;

mnp__part_runs mnp__layout_runs(const mnp_layout *layout, int dim, int part);

/*
 * Run number k, from 0 on: the indices [lo, lo + count), which are the elements of the part's block from number `at`
 * on.
 */
typedef struct mnp__part_run {
    int64_t lo, count, at;
} mnp__part_run;

static inline int64_t mnp__part_run_count(const mnp__part_runs *runs)
{
    return runs->count == 0 ? 0 : mnp__divide_up(runs->count, runs->length);
}

static inline mnp__part_run mnp__part_run_at(const mnp__part_runs *runs, int64_t k)
{
    int64_t at = k * runs->length, left = runs->count - at;
    int64_t count = left < runs->length ? left : runs->length;
    return (mnp__part_run){.lo = runs->first + k * runs->period, .count = count, .at = at};
}

/*
 * The rank from which `receiver` gets the block with these parts.  If there are replicas, it is the one with the
 * receiver's coordinates along the mesh axes that cut nothing and are not pinned.  So a rank uses its own block if it
 * can, and the load is spread.
 */
int mnp__layout_source(const mnp_layout *layout, const int *parts, int receiver);

/*
 * A run of indices of one dimension, which may extend beyond its ends, all from one part: index lo + i, for i in [0,
 * count), is element first + i * step of the block of the part's owner.
 */
typedef struct mnp__segment {
    int64_t lo, count, first;
    int step; /* 1, -1 (a reflection) or 0 (the nearest element is repeated, or the fill value) */
    int part; /* MNP__FILL: the indices are outside and have the fill value */
} mnp__segment;

#define MNP__FILL (-1)

/*
 * Cut the indices [lo, hi) of dimension `dim`, extended by `boundary`, into segments in ascending order.  If the
 * dimension has no element, all of them are fill.  *segments_p is malloc'ed.  MNP_ERR_MEMORY.
 */
mnp_status mnp__layout_segments(const mnp_layout *layout, int dim, mnp_boundary boundary, int64_t lo, int64_t hi,
                                mnp__segment **segments_p, int *count_p);

/*
 * The boundaries of functions that take one for each dimension, or NULL, which is MNP_BOUNDARY_FILL for all: that of a
 * dimension; MNP_ERR_ARG if one is none; and an offset from a point, as one of less than two extents that leads from
 * any point to the same element.
 */
mnp_boundary mnp__boundary_of(const mnp_boundary *boundaries, int dim);
mnp_status mnp__boundaries_check(const char *function, int ndim, const mnp_boundary *boundaries);
int64_t mnp__boundary_shorten(mnp_boundary boundary, int64_t extent, int64_t offset);

/* Whether every element belongs to one rank only: there are no replicas. */
bool mnp__layout_is_spread(const mnp_layout *layout);

/*
 * A layout that cuts only the first dimension, in order of the ranks: rank r has [cuts[r], cuts[r + 1]), or an equal
 * share if `cuts` is NULL.
 */
mnp_status mnp__layout_line(int nranks, int ndim, const int64_t *shape, const int64_t *cuts, mnp_layout **layout_p);

/*
 * The most even layout that cuts none of a set of dimensions, one bit each; if it has all, the first rank owns
 * everything.
 */
mnp_status mnp__layout_uncut(int nranks, int ndim, const int64_t *shape, unsigned set, mnp_layout **layout_p);

/* mnp_layout_parse() for that many ranks. */
mnp_status mnp__layout_parse(int nranks, int ndim, const int64_t *shape, const char *text, mnp_layout **layout_p);

/*
 * Append the shortest text from which mnp__layout_parse() makes this layout, but for its storage order.  False, and
 * nothing is appended, if there is none: cuts are uneven, or it is the layout of a view.
 */
bool mnp__layout_write(mnp__text *text, const mnp_layout *layout);

#endif
