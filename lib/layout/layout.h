/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a layout, and the arithmetic that array/move/mover.c builds on.
 */
#ifndef MNP__LAYOUT_H
#define MNP__LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>

#include <maniple/layout.h>
#include <maniple/signal.h>

/*
 * Views need two things that mnp_layout_new() does not offer.  A dimension that runs backwards is `reversed`: its
 * first part is with the last ranks of its mesh axis.  A mesh axis whose dimension was dropped, as by an index, is
 * pinned: only the ranks at that place along it own anything.
 */
struct mnp_layout {
    atomic_int owners;
    int mesh_ndim, mesh[MNP_MAX_DIMS], nranks;
    int pin[MNP_MAX_DIMS]; /* of a mesh axis that cuts nothing: the only place that owns elements, or MNP__REPLICAS */
    int ndim;
    int64_t shape[MNP_MAX_DIMS], size;
    int axes[MNP_MAX_DIMS];       /* mesh axis of each dimension, or MNP_NO_AXIS */
    bool reversed[MNP_MAX_DIMS];  /* part p is with the ranks at place parts - 1 - p */
    int64_t *cuts[MNP_MAX_DIMS];  /* parts + 1 points of each dimension; part p has cuts[p + 1] - cuts[p] indices */
    int64_t blocks[MNP_MAX_DIMS]; /* extent of the blocks that are dealt out: block b is with part b % parts; else 0 */
    int order[MNP_MAX_DIMS];      /* in which new blocks are stored: dimensions, the slowest first */
};

#define MNP__REPLICAS (-1) /* all places along a mesh axis own the same */

/* How a dimension of a derived layout is cut. */
typedef struct mnp__layout_dim {
    int64_t extent;
    int axis;            /* of the mesh, or MNP_NO_AXIS */
    const int64_t *cuts; /* parts + 1 points, or NULL: even; ignored where there is a block */
    int64_t block;       /* extent of the blocks that are dealt out, or 0 */
    bool reversed;       /* as in mnp_layout */
} mnp__layout_dim;

/* As dimension `dim` of a layout is cut, by cuts that belong to the layout; and not cut. */
mnp__layout_dim mnp__layout_dim_of(const mnp_layout *layout, int dim);
mnp__layout_dim mnp__layout_dim_whole(int64_t extent);

/*
 * The same mesh and pins with other dimensions; mesh axes that cut nothing any more become replicas.  The second form
 * is given the pin of every mesh axis.  MNP_ERR_ARG if no array can have the shape; MNP_ERR_MEMORY.
 */
mnp_status mnp__layout_derive(const mnp_layout *layout, int ndim, const mnp__layout_dim *dims, mnp_layout **derived_p);
mnp_status mnp__layout_derive_pinned(const mnp_layout *layout, const int *pin, int ndim, const mnp__layout_dim *dims,
                                     mnp_layout **derived_p);

/*
 * Let new blocks of a layout that was just derived be stored like those of the one that it was derived from: dimension
 * d of it is dimension dims[d] of that, or a new one if that is negative.  C order stays C order.
 */
void mnp__layout_keep_order(mnp_layout *derived, const mnp_layout *from, const int *dims);

bool mnp__layout_order_is_c(const mnp_layout *layout);

/* The same layout, of which new blocks are stored in C order: itself, with one owner more, where that is so. */
mnp_status mnp__layout_in_c_order(const mnp_layout *layout, mnp_layout **layout_p);

/*
 * The box that `rank` owns; false if it owns nothing: an extent is 0, or an axis is pinned elsewhere.  Where blocks are
 * dealt out it is the smallest that holds them all.
 */
bool mnp__layout_box(const mnp_layout *layout, int rank, int64_t *lo, int64_t *extent);

/* Elements of the largest block; and the ranks that share the elements: all by the number of replicas. */
int64_t mnp__layout_largest(const mnp_layout *layout);
int mnp__layout_sharers(const mnp_layout *layout);

/* The place along the mesh axis of dimension `dim`, which is cut, of the ranks that own its part number `part`. */
int mnp__layout_place(const mnp_layout *layout, int dim, int part);

/* MNP_ERR_ARG if no array can have that shape. */
mnp_status mnp__layout_check_shape(int ndim, const int64_t *shape);

/*
 * A number that layouts made alike share, by which ranks can tell that theirs were not; and whether two were made
 * alike, by the same mesh, with the same cuts, to be stored in the same order: for caches.
 */
uint64_t mnp__layout_hash(const mnp_layout *layout);
bool mnp__layout_same(const mnp_layout *a, const mnp_layout *b);

/*
 * The part of dimension `dim` that `rank` owns, and the part that the element `index` is in (the one that is not
 * empty).
 */
int mnp__layout_part(const mnp_layout *layout, int dim, int rank);
int mnp__layout_find(const mnp_layout *layout, int dim, int64_t index);

/*
 * The indices of a part: `count` of them, in runs of `length`, of which the last may be shorter, that begin `period`
 * apart from `first` on.  Where there is one run alone length is count and period is 0.
 */
typedef struct mnp__part_runs {
    int64_t first, count, length, period;
} mnp__part_runs;

mnp__part_runs mnp__layout_runs(const mnp_layout *layout, int dim, int part);

/* Run number k, from 0 on: the indices [lo, lo + count) are elements number `at` and following of the part's block. */
typedef struct mnp__part_run {
    int64_t lo, count, at;
} mnp__part_run;

static inline int64_t mnp__part_run_count(const mnp__part_runs *runs)
{
    return runs->count == 0 ? 0 : (runs->count + runs->length - 1) / runs->length;
}

static inline mnp__part_run mnp__part_run_at(const mnp__part_runs *runs, int64_t k)
{
    int64_t at = k * runs->length, left = runs->count - at;
    int64_t count = left < runs->length ? left : runs->length;
    return (mnp__part_run){.lo = runs->first + k * runs->period, .count = count, .at = at};
}

/*
 * The rank that gives `receiver` the block with these parts: where there are replicas, the one that is the receiver's
 * neighbour along the mesh axes that cut nothing and are not pinned, so that a rank serves itself if it can, and the
 * load is spread.
 */
int mnp__layout_source(const mnp_layout *layout, const int *parts, int receiver);

/*
 * A run of indices of one dimension, extended beyond its borders, that lies in one part: index lo + i for i in
 * [0, count) is what the part's owner has at first + i * step of its block.
 */
typedef struct mnp__segment {
    int64_t lo, count, first;
    int step; /* 1, -1 (a reflection) or 0 (the nearest element again and again, or the fill value) */
    int part; /* MNP__FILL: outside, where the fill value is */
} mnp__segment;

#define MNP__FILL (-1)

/*
 * Cut the indices [lo, hi) of dimension `dim`, extended by `boundary`, into segments in rising order.  Where the
 * dimension has no element everything is fill.  *segments_p is malloc'ed.  MNP_ERR_MEMORY.
 */
mnp_status mnp__layout_segments(const mnp_layout *layout, int dim, mnp_boundary boundary, int64_t lo, int64_t hi,
                                mnp__segment **segments_p, int *count_p);

/* Whether every element belongs to one rank alone: there are no replicas. */
bool mnp__layout_is_spread(const mnp_layout *layout);

/*
 * A layout whose first dimension lies in order over the ranks and whose other dimensions are not cut: rank r has
 * cuts[r] to cuts[r + 1] of the first one, or an even share where `cuts` is NULL.
 */
mnp_status mnp__layout_line(int nranks, int ndim, const int64_t *shape, const int64_t *cuts, mnp_layout **layout_p);

#endif
