/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays of more than 2^31 elements: indices, offsets and sizes beyond 32 bits, on the host device or a GPU.
 *
 * Two arrays of bool at a time, 2 GiB each.  Skipped where less than 8 GiB of memory are free.
 */
#include <maniple.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

#define SIZE ((INT64_C(1) << 31) + 7)

/* Bytes that processes may still get, or 0 where the system does not say. */
static int64_t memory_available(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[256];
    long long kib = 0;
    while (file && fgets(line, sizeof line, file) && sscanf(line, "MemAvailable: %lld", &kib) != 1)
        continue;
    if (file)
        fclose(file);
    return kib * 1024;
}

/* Whether a view of `count` elements has these values, given as a string of '0' and '1'. */
static bool has_values(const mnp_array *x, const char *index, const char *expected)
{
    mnp_array *view = NULL;
    unsigned char values[64] = {0};
    size_t count = strlen(expected);
    if (mnp_index(x, index, &view) != MNP_OK || mnp_array_shape(view)[0] != (int64_t)count || count > sizeof values)
        return false;
    bool same = mnp_array_to_host(view, MNP_ALL_RANKS, values) == MNP_OK;
    for (size_t k = 0; k < count; k++)
        same = same && values[k] == expected[k] - '0';
    mnp_array_free(view);
    return same;
}

static void set(mnp_ctx *ctx, const mnp_array *x, const char *index, bool value)
{
    mnp_array *view = NULL;
    MNP_OR_EXIT(mnp_index(x, index, &view));
    MNP_OR_EXIT(mnp_copyto(view, mnp_scalar_bool(ctx, value), MNP_CASTING_SAFE));
    mnp_array_free(view);
}

/* Fills, views and functions. */
static void test_views(mnp_ctx *ctx, mnp_array *x, mnp_array *y)
{
    mnp_array *from = NULL, *to = NULL;
    ok(mnp_array_shape(x)[0] == SIZE && mnp_layout_size(mnp_array_layout(x)) == SIZE, "%" PRId64 " elements", SIZE);
    set(ctx, x, "-3:", true);
    set(ctx, x, "2147483645:2147483650:2", true);
    ok(has_values(x, "2147483643:", "001010100111"), "elements about 2^31 and at the end are set");
    ok(has_values(x, ":9", "000000000"), "and not those that 32 bits would make of them");
    ok(has_values(x, "::-268435456", "100000000"), "every 2^28th element from the end");

    MNP_OR_EXIT(mnp_index(x, "5:", &from));
    MNP_OR_EXIT(mnp_index(y, ":-5", &to));
    ok(mnp_logical_not(from, &to) == MNP_OK, "logical_not of a view into a view");
    ok(has_values(y, "2147483638:-5", "110101011000"), "has moved and inverted the elements at the end");
    ok(has_values(y, "-5:", "00000"), "has left those behind it");
    ok(has_values(y, "::268435456", "111111110"), "has inverted every 2^28th element");
    mnp_free_all(from, to);

    mnp_array *backwards = NULL;
    MNP_OR_EXIT(mnp_index(x, "::-1", &backwards));
    ok(mnp_logical_not(backwards, &y) == MNP_OK, "logical_not of the reversed array");
    ok(has_values(y, ":12", "000110101011"), "begins with the end");
    ok(has_values(y, "-9:", "111111111"), "and ends with the beginning");
    mnp_array_free(backwards);
}

/* Counts and indices. */
static void test_reductions(mnp_array *x)
{
    mnp_array *count = NULL, *index = NULL;
    int64_t values[2] = {0, 0};
    bool good = mnp_count_nonzero(x, MNP_ALL_AXES, &count) == MNP_OK && mnp_argmax(x, MNP_ALL_AXES, &index) == MNP_OK &&
                mnp_item(count, &values[0]) == MNP_OK && mnp_item(index, &values[1]) == MNP_OK;
    ok(good && values[0] == 6 && values[1] == 2147483645, "%" PRId64 " of them are set, the first is number %" PRId64,
       values[0], values[1]);
    good = mnp_logical_not(x, &x) == MNP_OK && mnp_count_nonzero(x, MNP_ALL_AXES, &count) == MNP_OK &&
           mnp_item(count, &values[0]) == MNP_OK;
    ok(good && values[0] == SIZE - 6, "and %" PRId64 " are not", values[0]);
    mnp_free_all(count, index);
}

/* Index variables of expressions. */
static void test_indices(mnp_ctx *ctx, mnp_array *y)
{
    mnp_status st = mnp_eval(ctx, "y = ((i & 0xfffff) == 0xffffe) | (i == n - 2)", NULL, MNP_OUT("y", &y));
    ok(st == MNP_OK, "an expression of the index");
    ok(has_values(y, "2147483644:2147483650", "001000"), "is right about 2^31");
    ok(has_values(y, "-4:", "0010"), "and at the last element but one");
    ok(has_values(y, "1048573:1048576", "010"), "and at the beginning");
}

int main(void)
{
    mnp_ctx *ctx;
#ifdef __SANITIZE_ADDRESS__
    return skip_all("AddressSanitizer would take minutes");
#endif
    if (memory_available() < INT64_C(8) << 30)
        return skip_all("less than 8 GiB of memory are free");
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    mnp_array *x = NULL, *y = NULL;
    MNP_OR_EXIT(mnp_zeros(ctx, MNP_BOOL, 1, (int64_t[]){SIZE}, &x));
    MNP_OR_EXIT(mnp_zeros(ctx, MNP_BOOL, 1, (int64_t[]){SIZE}, &y));
    test_views(ctx, x, y);
    test_reductions(x);
    test_indices(ctx, y);
    int status = done_testing();
    mnp_free_all(x, y);
    mnp_finalize(ctx);
    return status;
}
