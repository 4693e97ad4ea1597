/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statements of a file or of standard input.
 */
#ifndef APPS_COMMON_STATEMENTS_H
#define APPS_COMMON_STATEMENTS_H

#include <maniple.h>

/*
 * Read a text from a file, or from standard input if `path` is "-", on rank 0, for all ranks.  It has no NUL characters
 * and at most 1 MiB.  Release *text_p with free().  MNP_ERR_IO, MNP_ERR_ARG, MNP_ERR_MEMORY.  Collective.
 */
mnp_status statements_read(mnp_ctx *ctx, const char *path, char **text_p);

/*
 * If a mistake was found at a line or column of such a text, add the name of the file, or that it is standard input, to
 * the message.  Returns the status.  Not collective.
 */
mnp_status statements_name(const char *path, mnp_status status);

#endif
