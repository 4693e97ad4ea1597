/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of kernels: makers with equal keys get kernels of their own, and a signature selects a kernel of a list.
 */
#include "ops/common/kernel_table.h"

#include <string.h>

#include "tests/tap.h"
#include "ops/elementwise/loop.h"

static mnp_ctx ctx;
static int made[2], freed;

/* ---- loops by two makers whose keys have equal bytes ---- */

static mnp_status make_loop(mnp_dtype dtype, const char *body, mnp__loop **loop_p)
{
    const mnp__loop_operand operands[] = {{"x", dtype, dtype, false}, {"out", dtype, dtype, false}};
    const mnp__loop_spec spec = {
        .name = "tested", .preamble = "", .body = body, .ninputs = 1, .noutputs = 1, .operands = operands};
    return mnp__loop_new(&ctx, &spec, loop_p);
}

static mnp_status make_twice(mnp_ctx *unused, const void *key, mnp__loop **loop_p)
{
    (void)unused;
    made[0]++;
    return make_loop(*(const mnp_dtype *)key, "out = x + x;", loop_p);
}

static mnp_status make_square(mnp_ctx *unused, const void *key, mnp__loop **loop_p)
{
    (void)unused;
    made[1]++;
    return make_loop(*(const mnp_dtype *)key, "out = x * x;", loop_p);
}

static const char *body_of(const mnp__loop *loop)
{
    return mnp__loop_spec_of(loop)->body;
}

static void check_makers(void)
{
    mnp_dtype key = MNP_FLOAT64, other = MNP_INT32;
    mnp__loop *twice = NULL, *square = NULL, *again = NULL, *integer = NULL;
    ok(mnp__loop_get(&ctx, make_twice, &key, sizeof key, &twice) == MNP_OK &&
           mnp__loop_get(&ctx, make_square, &key, sizeof key, &square) == MNP_OK,
       "two makers with the same key");
    ok(made[0] == 1 && made[1] == 1, "each has made one loop");
    ok(strstr(body_of(twice), "x + x") && strstr(body_of(square), "x * x"), "%s and %s", body_of(twice),
       body_of(square));
    ok(mnp__loop_get(&ctx, make_twice, &key, sizeof key, &again) == MNP_OK && again == twice && made[0] == 1,
       "the first one's is found again");
    ok(mnp__loop_get(&ctx, make_square, &key, sizeof key, &again) == MNP_OK && again == square && made[1] == 1,
       "and so is the second one's");
    ok(mnp__loop_get(&ctx, make_twice, &other, sizeof other, &integer) == MNP_OK && integer != twice && made[0] == 2,
       "another key is another loop");
}

/* ---- entries of other kinds ---- */

static void count_free(void *thing)
{
    freed += thing != NULL;
}

static void check_things(void)
{
    static int things[2000];
    int count = (int)(sizeof things / sizeof *things), right = 0;
    for (int i = 0; i < count; i++)
        right += mnp__kernel_table_add(&ctx, (mnp__maker)make_twice, (int[]){i, -i}, 2 * sizeof(int), &things[i],
                                       count_free) == MNP_OK;
    ok(right == count, "%d of %d things are added", right, count);
    right = 0;
    for (int i = 0; i < count; i++) {
        right += mnp__kernel_table_find(&ctx, (mnp__maker)make_twice, (int[]){i, -i}, 2 * sizeof(int)) == &things[i] &&
                 !mnp__kernel_table_find(&ctx, (mnp__maker)make_square, (int[]){i, -i}, 2 * sizeof(int)) &&
                 !mnp__kernel_table_find(&ctx, (mnp__maker)make_twice, (int[]){i, -i}, 1);
    }
    ok(right == count, "%d of %d are found by their own key and maker alone", right, count);
    ctx.attached[MNP__ATTACHED_KERNELS].free(&ctx, ctx.attached[MNP__ATTACHED_KERNELS].data);
    ok(freed == count, "%d of %d are freed with the context", freed, count);
}

static void check_list(void)
{
    int things[3];
    mnp__entry *list = NULL;
    ok(!mnp__entries_find(list, "a", 1) && !mnp__entries_take(&list), "an empty list has nothing");
    ok(mnp__entries_add(&list, "a", 1, &things[0]) == MNP_OK && mnp__entries_add(&list, "b", 1, &things[1]) == MNP_OK &&
           mnp__entries_add(&list, "ab", 2, &things[2]) == MNP_OK,
       "three are added");
    ok(mnp__entries_find(list, "a", 1) == &things[0] && mnp__entries_find(list, "b", 1) == &things[1] &&
           mnp__entries_find(list, "ab", 2) == &things[2] && !mnp__entries_find(list, "c", 1),
       "and found");
    ok(mnp__entries_take(&list) == &things[2] && mnp__entries_take(&list) == &things[1] &&
           mnp__entries_take(&list) == &things[0] && !list,
       "and taken, the last one first");
}

int main(void)
{
    check_makers();
    check_things();
    check_list();
    return done_testing();
}
