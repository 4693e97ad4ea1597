/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs whose arrays are larger than the memory of the ranks: slab by slab of the first dimension, each read and written
 * while another is computed.
 */
#ifndef APPS_STREAM_STREAM_H
#define APPS_STREAM_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

#include "report/json.h"

struct job;
struct plan;

/* What a command says of its arrays. */
typedef struct stream_size {
    int64_t rows;   /* of the result, along its first dimension */
    int64_t row;    /* bytes of one of them on all ranks together, with all that is made on the way to it */
    int64_t margin; /* rows around a slab that are read and computed with it */
    int64_t unit;   /* slabs begin at multiples of this; 0: anywhere */
} stream_size;

typedef struct stream {
    int64_t needed, limit; /* bytes of a rank: of all arrays at once, and the limit of the heap */
    int64_t rows, slabs;   /* rows of the result in a slab, and the number of slabs; slabs 0: it is not streamed */
    stream_size size;
    bool wraps; /* rows beyond one end of the input are those from its other end */
    /* The result, known when its first slab is */
    mnp_dtype dtype;
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
} stream;

/* The rows of the result in a slab, and what they need; and where they begin in what is computed of this. */
typedef struct stream_slab {
    int64_t begin, end, from, to, skip; /* with `wraps`, `from` may be below 0 and `to` above the input's rows */
} stream_slab;

/*
 * Decide whether a job is streamed: if its input is in a file, and the memory has a limit that it exceeds.  Generated
 * inputs and pictures never are.  Not collective.
 */
void stream_plan(struct job *j, const stream_size *size);

/*
 * Find what a slab needs if row r of the result needs rows r - before to r + after of the `n` rows of the input, as far
 * as they exist, and row 0 of what is computed of a slab belongs to its row 0: at a border so many rows that those
 * beyond it can be made of them.  `before` and `after` are at most n where the input wraps.
 */
void stream_around(const stream *s, int64_t n, int64_t before, int64_t after, stream_slab *slab);

/* Let the first slab be read ahead; and read, compute and write all of them, by the functions of the job's kind. */
mnp_status stream_begin(struct job *j);
mnp_status stream_run(struct job *j);

/* The lines of the report on the output and the slabs, and the members; `seconds` are those of the job's stages. */
void stream_print(const struct job *j, const double *seconds);
void stream_json(const struct job *j, const double *seconds, json_writer *out);

/* What --plan says of it. */
void stream_show_plan(const struct job *j, struct plan *p);

#endif
