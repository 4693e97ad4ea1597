/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of a file or of standard input, read by one rank. */
#include "common/statements.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/command.h"
#include "common/words.h"

enum { MOST = 1 << 20 }; /* what mnp_eval() takes */

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Read a whole file of at most MOST bytes into `text`, which has room for two more. */
static mnp_status read_file(const char *path, FILE *file, char *text, size_t *length_p)
{
    size_t length = fread(text, 1, MOST + 1, file);
    if (ferror(file))
        return mnp_fail(MNP_ERR_IO, "cannot read %s: %s", name_of(path), strerror(errno));
    if (length > MOST)
        return mnp_fail(MNP_ERR_ARG, "%s has more than %d bytes, the most that statements may have", name_of(path),
                        MOST);
    if (memchr(text, '\0', length))
        return mnp_fail(MNP_ERR_ARG, "%s has a byte of value 0, so it is no text", name_of(path));
    text[length] = '\0';
    *length_p = length;
    return MNP_OK;
}

static mnp_status read_here(const char *path, char *text, size_t *length_p)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file)
        return mnp_fail(MNP_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    mnp_status status = read_file(path, file, text, length_p);
    if (file != stdin)
        fclose(file);
    return status;
}

mnp_status statements_read(mnp_ctx *ctx, const char *path, char **text_p)
{
    char *text = malloc((size_t)MOST + 2);
    size_t length = 0;
    mnp_status status = text ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for the statements");
    if (status == MNP_OK && mnp_ctx_rank(ctx) == 0)
        status = read_here(path, text, &length);
    status = mnp_agree(ctx, status);
    if (status != MNP_OK) {
        free(text);
        return status;
    }
    int bytes = (int)length + 1;
    broadcast(ctx, &bytes, 1, MPI_INT);
    broadcast(ctx, text, bytes, MPI_CHAR);
    *text_p = text;
    return MNP_OK;
}

mnp_status statements_name(const char *path, mnp_status status)
{
    const char *message = words_message();
    if (status != MNP_OK && (strncmp(message, "line ", 5) == 0 || strncmp(message, "column ", 7) == 0))
        return mnp_fail(status, "%s, %s", name_of(path), message);
    return status;
}
