/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzzing the Matrix Market parser with libFuzzer: any bytes are parsed as a file, whole and once more in two pieces.
 * Both must give the same error message, or the same entries, all inside the matrix and finite.  tests/fuzz/run builds
 * and runs it.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/market/matrix_market.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stop at a defect: a debugger and the fuzzer both find the place. */
static void demand(bool holds)
{
    if (!holds)
        abort();
}

/* The dtype to read it as: by the file's last byte, so that all are met. */
static mnp_dtype choose_dtype(const mnp_mm_info *info, uint8_t byte)
{
    if (info->field == MNP_MM_COMPLEX)
        return byte % 2 ? MNP_COMPLEX64 : MNP_COMPLEX128;
    const mnp_dtype choices[] = {MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX64, MNP_COMPLEX128};
    return choices[byte % 4];
}

static void check_entries(const mnp__mm_body *body)
{
    demand(body->count >= body->read && body->count <= 2 * body->read);
    for (int64_t i = 0; body->rows && i < body->count; i++)
        demand(body->rows[i] >= 0 && body->rows[i] < body->info->nrows && body->columns[i] >= 0 &&
               body->columns[i] < body->info->ncolumns);
    for (int64_t i = 0; body->dtype == MNP_FLOAT64 && i < body->count; i++)
        demand(isfinite(((const double *)body->values)[i]));
}

/* The same lines as two calls: `cut` is moved to the end of a line. */
static mnp_status parse_in_pieces(mnp__mm_body *body, const char *text, size_t length, size_t cut)
{
    const char *stop = length > cut ? memchr(text + cut, '\n', length - cut) : NULL;
    size_t first = stop ? (size_t)(stop - text) + 1 : length;
    MNP_TRY(mnp__mm_parse_lines(body, text, first));
    return mnp__mm_parse_lines(body, text + first, length - first);
}

static void compare(const mnp__mm_body *a, const mnp__mm_body *b)
{
    demand(a->lines == b->lines && a->read == b->read && a->count == b->count && a->problem.line == b->problem.line &&
           strcmp(a->problem.text, b->problem.text) == 0);
    if (a->count > 0)
        demand(memcmp(a->values, b->values, (size_t)a->count * mnp_dtype_size(a->dtype)) == 0);
}

static void fuzz_body(const mnp_mm_info *info, const char *text, size_t length)
{
    const uint8_t byte = length > 0 ? (uint8_t)text[length - 1] : 0;
    mnp__mm_body whole = {.info = info, .dtype = choose_dtype(info, byte)}, pieces = whole;
    mnp_status st = mnp__mm_parse_lines(&whole, text, length);
    demand((st == MNP_ERR_FORMAT) == (whole.problem.line > 0) && whole.problem.line <= whole.lines);
    demand(parse_in_pieces(&pieces, text, length, length / 2) == st);
    if (st == MNP_OK)
        check_entries(&whole);
    compare(&whole, &pieces);
    mnp__mm_body_free(&whole);
    mnp__mm_body_free(&pieces);
}

/* A number by itself is what strtod() makes of it. */
static void fuzz_number(const uint8_t *data, size_t size)
{
    char text[64], *end;
    double value;
    if (size == 0 || size >= sizeof text || memchr(data, '\0', size))
        return;
    memcpy(text, data, size);
    text[size] = '\0';
    const char *stop = mnp__mm_scan_float(text, text + size, &value);
    if (!stop || strpbrk(text, "dDxXnN"))
        return;
    const double right = strtod(text, &end);
    demand(end == stop && memcmp(&value, &right, sizeof value) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mnp__mm_head head;
    mnp__mm_problem problem;
    char *text = malloc(size > 0 ? size : 1); /* no byte behind it can be read unnoticed */
    if (!text)
        return 0;
    fuzz_number(data, size);
    if (size > 0)
        memcpy(text, data, size);
    mnp__mm_progress progress = mnp__mm_parse_head(text, size, true, &head, &problem);
    demand(progress == (problem.line > 0 ? MNP__MM_WRONG : MNP__MM_DONE));
    if (progress == MNP__MM_DONE) {
        demand(head.length <= size && head.info.nrows >= 0 && head.info.ncolumns >= 0 && head.info.nlines >= 0);
        fuzz_body(&head.info, text + head.length, size - head.length);
    }
    free(text);
    return 0;
}
