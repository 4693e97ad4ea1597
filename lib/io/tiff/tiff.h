/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of TIFF files, on one rank: an open file, the head of a page, and its elements.
 *
 * A page lies in segments, strips or tiles, in C order; with separate planes in those of the first sample, then of the
 * second.  Elements of a box come in pieces: some rows of a segment where elements are not compressed, a tile, or a row
 * of a compressed strip.
 */
#ifndef MNP__IO_TIFF_H
#define MNP__IO_TIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/tiff.h>

#include "io/plain_file.h"

/* The head of a page. */
typedef struct mnp__tiff_page {
    mnp_dtype dtype;
    int64_t rows, columns, samples;
    bool planes;                           /* each sample has segments of its own */
    bool tiled;                            /* segments are tiles */
    bool direct;                           /* elements lie in the file as in memory, but for the order of bytes */
    bool swapped;                          /* the order of bytes is the other one, where `direct` */
    bool reduced;                          /* another page's reduced resolution, or its mask */
    int64_t segment_rows, segment_columns; /* extents of segments; the last strip of a plane has fewer rows */
    int compression;                       /* its number in TIFF */
} mnp__tiff_page;

/* A file that is open. */
typedef struct mnp__tiff_file {
    const char *name;
    mnp__plain_file plain;
    void *tiff;          /* libtiff's */
    uint64_t at;         /* where the current page's head lies; 0: there is none */
    mnp__tiff_page page; /* that head */
    int64_t next_row;    /* the row of that page that a strip's decoder comes to next, in the plane of next_sample; */
    int64_t next_sample; /* 0: it is at no row */
    void *room;          /* for a segment */
    size_t room_bytes;
} mnp__tiff_file;

#define MNP__TIFF_FILE_CLOSED ((mnp__tiff_file){.plain = MNP__PLAIN_FILE_CLOSED})

/* Wanted indices of a dimension. */
typedef struct mnp__tiff_span {
    int64_t start, step, count;
} mnp__tiff_span;

/*
 * libtiff reports errors to a function that a process has once.  Reports between these two calls are kept for messages;
 * then the program's own function is in place again.  The first loads libtiff.  MNP_ERR_UNSUPPORTED.
 */
mnp_status mnp__tiff_begin(void);
void mnp__tiff_end(void);

/* Give the file that is open as file->plain to libtiff; its first page is the current one.  MNP_ERR_FORMAT. */
mnp_status mnp__tiff_open(mnp__tiff_file *file);
void mnp__tiff_close(mnp__tiff_file *file);

/* Go to the page after the current one; *more_p tells whether there is one. */
mnp_status mnp__tiff_next_page(mnp__tiff_file *file, bool *more_p);

/* Go to the page whose head lies there. */
mnp_status mnp__tiff_go(mnp__tiff_file *file, uint64_t at);

/* Read the head of the current page.  MNP_ERR_FORMAT, MNP_ERR_UNSUPPORTED. */
mnp_status mnp__tiff_read_page(mnp__tiff_file *file);

/* The name of a compression in TIFF. */
const char *mnp__tiff_compression(int number);

/* Read the elements of these rows, columns and samples of the current page to `to`, in C order.  MNP_ERR_FORMAT. */
mnp_status mnp__tiff_read_box(mnp__tiff_file *file, const mnp__tiff_span spans[3], void *to);

#endif
