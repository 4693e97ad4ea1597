/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands of the command line: arrays in files, of which a part may be taken, and generated arrays such as kernels.
 */
#ifndef APPS_COMMON_OPERAND_H
#define APPS_COMMON_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

#include "report/json.h"

#define MOST_ELEMENTS ((int64_t)1 << 56) /* of an array on the command line; no machine holds more */
enum { OPERAND_MAX_DIMS = 4 };           /* of generated arrays, and of arrays that operand_inspect() accepts */

typedef enum operand_kind {
    OPERAND_DATASET, /* of an HDF5 file */
    OPERAND_NPY,
    OPERAND_PNG,
    OPERAND_TIFF,
    OPERAND_FITS,
    OPERAND_DIRAC, /* generated, to the last */
    OPERAND_HANNING,
    OPERAND_GAUSS
} operand_kind;

typedef struct operand {
    const char *role; /* its name in the usage, such as "INPUT" */
    const char *text; /* as typed */
    operand_kind kind;
    char *file, *dataset; /* NULL where there is none; of a FITS file the HDU, of a TIFF file the page */
    char *subscripts;     /* what is taken of an array in a file, "1:, 0"; NULL: all */
    mnp_dtype dtype;      /* of a file this and the shape are known after operand_look() */
    int ndim;
    int64_t shape[MNP_MAX_DIMS];    /* of what is taken */
    int64_t period;                 /* dirac: distance of the ones */
    double sigma[OPERAND_MAX_DIMS]; /* gauss: standard deviations, in elements */
} operand;

/*
 * Parse FILE:DATASET, FILE.npy, FILE.png, FILE.tif, FILE.tif:PAGE, FILE.fits or FILE.fits:HDU, all of them with or
 * without [SUBSCRIPTS], or dirac:SHAPE/PERIOD, hanning:SHAPE, gauss:SHAPE@SIGMA, which generate arrays of `dtype`,
 * float32 or float64.  Release with operand_free().  MNP_ERR_ARG.  Not collective.
 */
mnp_status operand_parse(const char *role, const char *text, mnp_dtype dtype, operand *result);

/*
 * The same for operands that must be in a file; for outputs, FILE:DATASET, FILE.npy, FILE.tif, FILE.fits or
 * FILE.fits:NAME; and for FILE:DATASET alone.
 */
mnp_status operand_parse_file(const char *role, const char *text, operand *result);
mnp_status operand_parse_output(const char *role, const char *text, operand *result);
mnp_status operand_parse_dataset(const char *role, const char *text, operand *result);

/*
 * Whether a name is that of an image in a TIFF or FITS file; then what is before the colon ends after *length_p bytes,
 * and *part_p is the page or HDU after it, NULL if there is none.
 */
bool operand_is_image(const char *name, operand_kind *kind_p, size_t *length_p, const char **part_p);

/* The number of the page that a name has; MNP_TIFF_ALL_PAGES for NULL.  MNP_ERR_ARG if it is no number. */
mnp_status operand_page(const char *text, int64_t *page_p);

void operand_free(operand *op);

/* Find dtype and shape of an array in a file.  Collective. */
mnp_status operand_look(mnp_ctx *ctx, operand *op);

/* The same, and fail if there are no dimensions, no elements, or too many dimensions.  Collective. */
mnp_status operand_inspect(mnp_ctx *ctx, operand *op);

/*
 * Count the dimensions of an array that an option names from 0 on, instead of from its last one.  MNP_ERR_ARG if it has
 * no such dimension, or if one of them is named twice.
 */
mnp_status operand_axes(const operand *op, const char *option, int count, int *axes);

/*
 * Read or generate the array, in the layout that Maniple chooses; or read the box of that shape which begins at index
 * `start` of an array in a file.  Collective.
 */
mnp_status operand_load(mnp_ctx *ctx, const operand *op, mnp_array **array_p);
mnp_status operand_load_box(mnp_ctx *ctx, const operand *op, const int64_t *start, const int64_t *shape,
                            mnp_array **array_p);

/* Let such a box be read ahead while the command goes on (`ahead` of <maniple/view.h>).  Collective. */
mnp_status operand_read_ahead(mnp_ctx *ctx, const operand *op, const int64_t *start, const int64_t *shape);

/*
 * The option --append AXIS, for tables of subcommands: from then on outputs are not replaced, but grow.  Its argument
 * is "new", for a new first dimension, or the number of a dimension.  MNP_ERR_ARG.
 */
enum { APPEND_KEY = 1100 };
#define APPEND_ROW                                                                                                     \
    {                                                                                                                  \
        APPEND_KEY, "append", "AXIS",                                                                                  \
            "append to the dataset OUTPUT, in place, instead of replacing it:\n"                                       \
            "new: as the last index of its first dimension; or along the\n"                                            \
            "dimension of that number; a dataset that is not there is made"                                            \
    }
mnp_status operand_append_option(const char *argument);
bool operand_appends(void); /* the option was given */

/* Check whether an output can be written, without writing; and write it.  Collective. */
mnp_status operand_check_output(mnp_ctx *ctx, const operand *op);
mnp_status operand_write(const operand *op, const mnp_array *array);

/* A line, or a member, of a report on an operand whose shape and dtype are known: its text and these. */
void print_operand(const char *title, const operand *op);
void json_input(json_writer *out, const char *name, const operand *op);

#endif
