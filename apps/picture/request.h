/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the command line asks of a picture: the options that all subcommands with pictures share.
 */
#ifndef APPS_PICTURE_REQUEST_H
#define APPS_PICTURE_REQUEST_H

#include <limits.h>

#include <maniple.h>

#include "canvas/canvas.h"

typedef struct picture_request {
    const char *path;     /* NULL: no picture */
    double width, height; /* inches; 0: as is usual for this kind of picture */
    double dpi;           /* pixels an inch of PNG files */
    bool map;             /* of arrays: colours from violet to yellow instead of gray */
} picture_request;

#define PICTURE_REQUEST_DEFAULTS                                                                                       \
    (picture_request)                                                                                                  \
    {                                                                                                                  \
        .dpi = 150                                                                                                     \
    }

/* Rows of a table of options, for pictures of `what`, such as "the histogram". */
enum { KEY_PICTURE = UCHAR_MAX + 1000, KEY_PICTURE_SIZE, KEY_PICTURE_MAP };
#define PICTURE_OPTIONS(what)                                                                                          \
    {KEY_PICTURE, "picture", "FILE", "draw " what "\n(FILE ends in .png or .svg)"},                                    \
        {KEY_PICTURE, "png", "FILE", NULL}, /* the former name */                                                      \
    {                                                                                                                  \
        KEY_PICTURE_SIZE, "picture-size", "SIZE", "inches, and pixels an inch of a PNG file, such as 3.5x2.5@300"      \
    }

/* One more row, for pictures of arrays. */
#define PICTURE_MAP_OPTION                                                                                             \
    {                                                                                                                  \
        KEY_PICTURE_MAP, "picture-map", NULL, "in colours from violet to yellow instead of gray"                       \
    }

/* Take the argument of such an option.  MNP_ERR_ARG, MNP_ERR_UNSUPPORTED.  Not collective. */
mnp_status picture_option(int key, const char *argument, picture_request *request);

/* Check that options of pictures come with --picture.  MNP_ERR_ARG.  Not collective. */
mnp_status picture_check_options(const picture_request *request);

/* Check whether the file can be written, without writing; no picture is fine.  MNP_ERR_IO.  Not collective. */
mnp_status picture_check_place(const picture_request *request);

/* The size of a picture that was made, for reports: "1200 x 720 pixels"; "" before. */
enum { PICTURE_SIZE_TEXT = 48 };
typedef struct picture_made {
    char size[PICTURE_SIZE_TEXT];
} picture_made;

/* Write the file of a canvas, and release it.  MNP_ERR_IO, MNP_ERR_MEMORY.  Not collective. */
mnp_status picture_finish(canvas *c, picture_made *made);

#endif
