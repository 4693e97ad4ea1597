/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of matrices and tensors:  mpirun -n 4 ./matrices
 *
 * prints
 *
 *   a a: 30 36 42 66 81 96 102 126 150
 *   a (1, 2, 3): 14 32 50
 *   trace of a a: 261
 *   the product of a column and a row has rank 1: yes
 *   a chain of four matrices: 1750 products in the best order, 8000 from the left
 */
#include <maniple.h>

static void print_ints(mnp_ctx *ctx, const char *what, const mnp_array *x, int count)
{
    int64_t values[16];
    MNP_OR_EXIT(mnp_to_host(x, 0, values));
    if (mnp_ctx_rank(ctx) != 0)
        return;
    printf("%s:", what);
    for (int i = 0; i < count; i++)
        printf(" %lld", (long long)values[i]);
    printf("\n");
}

/* Integers are exact; vectors are rows on the left and columns on the right. */
static void small(mnp_ctx *ctx)
{
    mnp_array *numbers = NULL, *a = NULL, *square = NULL, *x = NULL, *y = NULL, *trace = NULL;
    MNP_OR_EXIT(mnp_arange_int(ctx, 1, 10, 1, MNP_INT64, &numbers));
    MNP_OR_EXIT(mnp_reshape(numbers, 2, (const int64_t[]){3, 3}, &a));
    MNP_OR_EXIT(mnp_matmul(a, a, &square));
    print_ints(ctx, "a a", square, 9);
    MNP_OR_EXIT(mnp_index(numbers, ":3", &x));
    MNP_OR_EXIT(mnp_matmul(a, x, &y));
    print_ints(ctx, "a (1, 2, 3)", y, 3);
    MNP_OR_EXIT(mnp_einsum("ij,ji->", (const mnp_array *const[]){a, a}, 2, MNP_EINSUM_GREEDY, &trace));
    print_ints(ctx, "trace of a a", trace, 1);
    mnp_free_all(numbers, a, square, x, y, trace);
}

/* The first operand is cut by rows; of the second one the model chooses what moves. */
static void large(mnp_ctx *ctx)
{
    const int64_t n = 300;
    mnp_array *column = NULL, *row = NULL, *product = NULL, *square = NULL, *scaled = NULL;
    mnp_layout *rows;
    double difference;
    MNP_OR_EXIT(mnp_layout_parse(ctx, 2, (const int64_t[]){n, 1}, "0, *", &rows));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT64, rows, &column));
    MNP_OR_EXIT(mnp_set(column, "", MNP_SCALAR(ctx, 0.5)));
    MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT64, 2, (const int64_t[]){1, n}, &row));

    mnp_matmul_info info;
    MNP_OR_EXIT(mnp_matmul_describe(column, row, NULL, &info));
    if (mnp_ctx_rank(ctx) == 0)
        fprintf(stderr, "%s: %lld bytes move\n", info.method, (long long)info.all_bytes);
    MNP_OR_EXIT(mnp_matmul(column, row, &product));

    /* x x = x trace(x) of a matrix of rank 1 */
    MNP_OR_EXIT(mnp_matmul(product, product, &square));
    MNP_OR_EXIT(mnp_eval(ctx, "max(abs(s - 150*p))", MNP_IN("s", square, "p", product), MNP_OUT("", &scaled)));
    MNP_OR_EXIT(mnp_to_host(scaled, 0, &difference));
    if (mnp_ctx_rank(ctx) == 0)
        printf("the product of a column and a row has rank 1: %s\n", difference < 1e-9 ? "yes" : "no");
    mnp_layout_free(rows);
    mnp_free_all(column, row, product, square, scaled);
}

/* The order of the products matters: einsum finds it. */
static void chain(mnp_ctx *ctx)
{
    static const int64_t shapes[4][2] = {{10, 100}, {100, 5}, {5, 50}, {50, 1}};
    mnp_array *factors[4] = {NULL}, *product = NULL, *same = NULL;
    double best, in_order;
    int path[6];
    for (int i = 0; i < 4; i++)
        MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT32, 2, shapes[i], &factors[i]));
    const mnp_array *const all[] = {factors[0], factors[1], factors[2], factors[3]};
    MNP_OR_EXIT(mnp_einsum_path("ab,bc,cd,de", all, 4, MNP_EINSUM_OPTIMAL, path, &best));
    MNP_OR_EXIT(mnp_einsum_path("ab,bc,cd,de", all, 4, MNP_EINSUM_IN_ORDER, path, &in_order));
    if (mnp_ctx_rank(ctx) == 0)
        printf("a chain of four matrices: %.0f products in the best order, %.0f from the left\n", best, in_order);
    MNP_OR_EXIT(mnp_einsum("ab,bc,cd,de", all, 4, MNP_EINSUM_OPTIMAL, &product));
    MNP_OR_EXIT(mnp_multi_dot(all, 4, &same));
    mnp_free_all(factors[0], factors[1], factors[2], factors[3], product, same);
}

int main(void)
{
    mnp_ctx *ctx;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    small(ctx);
    large(ctx);
    chain(ctx);
    mnp_finalize(ctx);
    return 0;
}
