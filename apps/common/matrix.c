/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sparse matrices on the command line.
 */
#include "common/matrix.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/command.h"
#include "common/options.h"
#include "common/words.h"

static const char *const generators[] = {"poisson", "hpcg", "convdiff", "elasticity", NULL};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/*
 * Refuse a misspelt generator, which would otherwise be taken for a file: a word that is not a path, followed by a
 * shape and not by the name of a group.
 */
static mnp_status check_word(const char *text)
{
    const size_t length = strcspn(text, ":");
    char word[32];
    if (!isdigit((unsigned char)text[length + (text[length] == ':')]) || strcspn(text, "./") < length)
        return MNP_OK;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    const char *nearest = nearest_word(word, generators);
    return mnp_fail(MNP_ERR_ARG, "MATRIX '%s': there is no generator '%s'; %s%s%s", text, word,
                    nearest ? "did you mean " : "there are poisson, hpcg, convdiff and elasticity",
                    nearest ? nearest : "", nearest ? "?" : "");
}

mnp_status matrix_parse(const char *text, matrix_operand *result)
{
    matrix_operand op = {.text = text, .kind = MATRIX_MARKET};
    if (mnp_sparse_is_generator(text)) {
        op.kind = MATRIX_GENERATOR;
    } else if (strchr(text, ':') && !ends_with(text, ".mtx")) {
        op.kind = MATRIX_GROUP;
        mnp_status status = check_word(text);
        if (status == MNP_OK)
            status = operand_parse_dataset("MATRIX", text, &op.group);
        if (status != MNP_OK)
            return status;
    } else if (!*text) {
        return mnp_fail(MNP_ERR_ARG, "MATRIX has an empty name");
    } else if (ends_with(text, ".h5") || ends_with(text, ".hdf5")) {
        return mnp_fail(MNP_ERR_ARG, "MATRIX '%s' names no group; write FILE.h5:/GROUP", text);
    }
    *result = op;
    return MNP_OK;
}

void matrix_operand_free(matrix_operand *op)
{
    operand_free(&op->group);
}

mnp_status matrix_read(mnp_ctx *ctx, const matrix_operand *op, mnp_dtype dtype, mnp_sparse **matrix_p)
{
    switch (op->kind) {
    case MATRIX_MARKET:
        words_rows_from_one();
        return mnp_mm_read(ctx, op->text, dtype, matrix_p);
    case MATRIX_GROUP:
        return mnp_h5_read_sparse(ctx, op->group.file, op->group.dataset, dtype, matrix_p);
    case MATRIX_GENERATOR:
        break;
    }
    return mnp_sparse_generate(ctx, op->text, dtype, matrix_p);
}

/* ---- heads ---- */

static mnp_status look_at_market(mnp_ctx *ctx, const matrix_operand *op, matrix_head *head)
{
    mnp_mm_info info;
    const mnp_status status = mnp_mm_inspect(ctx, op->text, &info);
    if (status == MNP_OK)
        *head = (matrix_head){.rows = info.nrows,
                              .columns = info.ncolumns,
                              .nnz = info.symmetry == MNP_MM_GENERAL ? info.nlines : 2 * info.nlines - info.nrows,
                              .dtype = info.field == MNP_MM_COMPLEX ? MNP_COMPLEX128 : MNP_FLOAT64};
    return status;
}

/* The search for a group in the list of a file. */
typedef struct search {
    const char *path;
    matrix_head head;
    bool found;
} search;

static mnp_status visit(const mnp_h5_entry *entry, void *argument)
{
    search *s = argument;
    if (entry->kind != MNP_H5_SPARSE || strcmp(entry->path, s->path) != 0)
        return MNP_OK;
    s->found = true;
    s->head = (matrix_head){.rows = entry->shape[0], .columns = entry->shape[1], .nnz = entry->nnz};
    if (!entry->type || mnp_dtype_parse(entry->type, &s->head.dtype) != MNP_OK)
        s->head.dtype = MNP_FLOAT64;
    return MNP_OK;
}

static mnp_status look_at_group(mnp_ctx *ctx, const matrix_operand *op, matrix_head *head)
{
    search s = {.path = op->group.dataset};
    mnp_status status = MNP_OK;
    if (mnp_ctx_rank(ctx) == 0) {
        status = mnp_h5_list(op->group.file, visit, &s);
        if (status == MNP_OK && !s.found)
            status = mnp_fail(MNP_ERR_IO, "MATRIX '%s': there is no sparse matrix of that name", op->text);
    }
    status = mnp_agree(ctx, status);
    if (status == MNP_OK)
        broadcast(ctx, &s.head, sizeof s.head, MPI_CHAR);
    *head = s.head;
    return status;
}

/*
 * Points of a grid, and by how many the neighbours of a point are away, follow from the extents: along a dimension of n
 * points there are n on the diagonal and n - 1 on each side of it.
 */
static mnp_status look_at_generator(const matrix_operand *op, matrix_head *head)
{
    int64_t n[3] = {1, 1, 1}, points = 1, neighbours = 0, box = 1;
    int ndim = 0;
    const char *at = strchr(op->text, ':') + 1;
    for (char *end; ndim < 3 && isdigit((unsigned char)*at); at = *end == 'x' ? end + 1 : end)
        n[ndim++] = strtoll(at, &end, 10);
    const bool elastic = strncmp(op->text, "elasticity", 10) == 0, hpcg = strncmp(op->text, "hpcg", 4) == 0;
    n[1] += elastic;
    for (int d = 0; d < 3; d++)
        points *= n[d];
    if (ndim == 0 || points <= 0)
        return mnp_fail(MNP_ERR_ARG, "MATRIX '%s' has no extents such as poisson:64x64", op->text);
    for (int d = 0; d < ndim; d++) {
        neighbours += 2 * (points / n[d]) * (n[d] - 1);
        box *= 3 * n[d] - 2;
    }
    const int64_t unknowns = elastic ? 2 : 1, rows = unknowns * points;
    *head = (matrix_head){.rows = rows,
                          .columns = rows,
                          .nnz = elastic ? 4 * box
                                 : hpcg  ? box
                                         : points + neighbours,
                          .reach = rows / n[0],
                          .dtype = MNP_FLOAT64,
                          .diagonals = !elastic && !hpcg};
    return MNP_OK;
}

mnp_status matrix_look(mnp_ctx *ctx, const matrix_operand *op, matrix_head *head)
{
    switch (op->kind) {
    case MATRIX_MARKET:
        return look_at_market(ctx, op, head);
    case MATRIX_GROUP:
        return look_at_group(ctx, op, head);
    case MATRIX_GENERATOR:
        break;
    }
    return look_at_generator(op, head);
}

/* ---- rehearsals ---- */

/* The generator's text with 8 in the place of its numbers. */
static void shorten(const char *text, size_t room, char *shorter)
{
    size_t length = 0;
    for (const char *at = text; *at && length + 1 < room; at++) {
        if (!isdigit((unsigned char)*at))
            shorter[length++] = *at;
        else if (!isdigit((unsigned char)at[1]))
            shorter[length++] = '8';
    }
    shorter[length] = '\0';
}

mnp_sparse *matrix_rehearse(mnp_ctx *rehearsal, const matrix_operand *op)
{
    static const int64_t rows[] = {0, 0, 1}, columns[] = {0, 1, 1}, size = 8;
    static const double values[] = {1, 1, 1};
    mnp_sparse *matrix = NULL;
    char text[64];
    if (op->kind == MATRIX_GENERATOR) {
        shorten(op->text, sizeof text, text);
        (void)mnp_sparse_generate(rehearsal, text, MNP_DTYPE_AUTO, &matrix);
    } else {
        (void)mnp_sparse_from_triplets(rehearsal, MNP_FLOAT64, size, size, NULL, NULL, 3, rows, columns, values,
                                       &matrix);
    }
    return matrix;
}
