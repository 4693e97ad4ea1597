/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a run: every subcommand lists all that it will read and write, and one function compares them before
 * anything is touched, so that no operand is overwritten and no two results end up in one place.
 */
#ifndef APPS_COMMON_FILES_H
#define APPS_COMMON_FILES_H

#include <stdbool.h>

#include <maniple.h>

#include "common/matrix.h"
#include "common/operand.h"

typedef struct run_file {
    const char *role, *text; /* how sentences call it: its name in the usage, and what was typed */
    const char *path;        /* NULL: no file, and nothing is compared */
    const char *dataset;     /* in an HDF5 file; NULL: the whole file */
    bool group;              /* `dataset` is a group, with everything in it */
    bool writes;
    bool checkpoint; /* a run may be resumed from the file to which it writes its checkpoints */
} run_file;

/* Files that are read: the dataset of an operand, and a matrix.  Operands that are generated have no file. */
run_file file_of_operand(const operand *op);
run_file file_of_matrix(const matrix_operand *op);

/* Files that are written: the dataset of an output, and a whole file that an option names, which may be NULL. */
run_file file_of_output(const operand *op);
run_file file_of_option(const char *option, const char *path);

/*
 * Compare every file that is written with all others, links included.  MNP_ERR_ARG with a sentence if a file or dataset
 * that is read would be overwritten, or one would be written twice.  Not collective: called on rank 0, before the work.
 */
mnp_status files_check(int count, const run_file *files);

#endif
