/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays one can see: as NumPy prints them, with the edges of large ones alone:  mpirun -n 4 ./print
 *
 * prints
 *
 *   [[0.         0.14285714 0.28571429 0.42857143]
 *    [0.57142857 0.71428571 0.85714286 1.        ]
 *    [1.14285714 1.28571429 1.42857143 1.57142857]]
 *   [[0.   0.14 0.29 0.43]
 *    [0.57 0.71 0.86 1.  ]
 *    [1.14 1.29 1.43 1.57]]
 *   [[      0       1 ...    1998    1999]
 *    [   2000    2001 ...    3998    3999]
 *    ...
 *    [1996000 1996001 ... 1997998 1997999]
 *    [1998000 1998001 ... 1999998 1999999]]
 *   the first rank has an int64 array's rows from 0 on
 */
#include <maniple.h>

#include <string.h>

int main(void)
{
    mnp_ctx *ctx;
    mnp_array *sevenths = NULL, *table = NULL, *count = NULL, *large = NULL;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));

    MNP_OR_EXIT(mnp_arange(ctx, 0, 12, 1, MNP_FLOAT64, &sevenths));
    MNP_OR_EXIT(mnp_divide(sevenths, MNP_SCALAR(ctx, 7), &sevenths));
    MNP_OR_EXIT(mnp_reshape(sevenths, 2, (const int64_t[]){3, 4}, &table));
    MNP_OR_EXIT(mnp_array_print(table, NULL, stdout));
    mnp_print_options options = MNP_PRINT_DEFAULTS;
    options.precision = 2;
    MNP_OR_EXIT(mnp_array_print(table, &options, stdout));

    MNP_OR_EXIT(mnp_arange_int(ctx, 0, 2000000, 1, MNP_INT64, &count));
    MNP_OR_EXIT(mnp_reshape(count, 2, (const int64_t[]){1000, 2000}, &large));
    options.edge_items = 2;
    MNP_OR_EXIT(mnp_array_print(large, &options, stdout));

    if (mnp_ctx_rank(ctx) == 0 && strstr(mnp_array_describe(large), "int64 of shape (1000, 2000), layout of "))
        printf("the first rank has an int64 array's rows from %d on\n", (int)mnp_array_local_lo(large)[0]);
    mnp_free_all(sevenths, table, count, large);
    mnp_finalize(ctx);
    return 0;
}
