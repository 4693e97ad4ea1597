/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The result of a subcommand: the options that say how it is written, drawn and reported, which the subcommands share,
 * and the checks of its files before the work.
 */
#ifndef APPS_COMMON_RESULT_H
#define APPS_COMMON_RESULT_H

#include <stdbool.h>

#include <maniple.h>

#include "common/operand.h"
#include "picture/request.h"

typedef struct result_request {
    operand output;          /* its text is NULL without -o */
    picture_request picture; /* begins as PICTURE_REQUEST_DEFAULTS */
    bool quiet, json;
} result_request;

/* Rows of a table of options: where the result is written, never over one of `inputs`, such as "INPUT or KERNEL". */
#define OUTPUT_ROW(inputs)                                                                                             \
    {                                                                                                                  \
        'o', "output", "OUTPUT",                                                                                       \
            "write the result to FILE:/DATASET; replaces a dataset of that name,\n"                                    \
            "but never " inputs ", and keeps everything else in the file;\n"                                           \
            "or write FILE.npy, FILE.tif, FILE.fits, or an extension of a\n"                                           \
            "FITS file, FILE.fits:NAME"                                                                                \
    }
#define JSON_ROW                                                                                                       \
    {                                                                                                                  \
        'j', "json", NULL, "print JSON"                                                                                \
    }
#define QUIET_ROW                                                                                                      \
    {                                                                                                                  \
        'q', "quiet", NULL, "print nothing"                                                                            \
    }
#define HELP_ROW                                                                                                       \
    {                                                                                                                  \
        'h', "help", NULL, "show this"                                                                                 \
    }

/*
 * Take an option with its argument in `optarg`: one of the rows above, of a picture (request.h), or --append.
 * MNP_ERR_ARG for every other key, after options_next() has recorded why.  Not collective.
 */
mnp_status result_option(int key, result_request *r);

/* Refuse options that contradict each other.  MNP_ERR_ARG.  Not collective. */
mnp_status result_check_options(const result_request *r);

/*
 * Before the work: check that neither OUTPUT nor the picture would overwrite one of the inputs or each other, and that
 * both can be written.  MNP_ERR_ARG, MNP_ERR_IO.  Collective.
 */
mnp_status result_check_places(mnp_ctx *ctx, const result_request *r, int count, const operand *const *inputs);

/*
 * After OUTPUT has been written: check again that the picture is another file, as it may be a link that dangled before.
 * MNP_ERR_IO.  Collective.
 */
mnp_status result_check_picture(mnp_ctx *ctx, const result_request *r);

#endif
