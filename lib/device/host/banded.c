/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems with banded matrices, by LAPACK on the CPU. */
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "device/host/host.h"
#include "device/lapack.h"

typedef void gbsv_function(const int *n, const int *kl, const int *ku, const int *nrhs, void *ab, const int *ldab,
                           int *pivots, void *b, const int *ldb, int *info);
typedef void pbsv_function(const char *triangle, const int *n, const int *kd, const int *nrhs, void *ab,
                           const int *ldab, void *b, const int *ldb, int *info, size_t);

/* A function of LAPACK for that dtype, to the pointer to it. */
static mnp_status function_of(mnp_dtype dtype, const char *name, void *function_p)
{
    char symbol[16];
    snprintf(symbol, sizeof symbol, "%c%s_",
             dtype == MNP_FLOAT32     ? 's'
             : dtype == MNP_FLOAT64   ? 'd'
             : dtype == MNP_COMPLEX64 ? 'c'
                                      : 'z',
             name);
    return mnp__host_lapack_function(symbol, function_p);
}

mnp_status mnp__lapack_banded(mnp__device *device, const mnp__banded *s, int *info_p)
{
    const int64_t all_rows = s->positive ? s->u + 1 : 2 * s->l + s->u + 1; /* of ab */
    const int n = (int)s->n, l = (int)s->l, u = (int)s->u, count = (int)s->count, rows = (int)all_rows;
    const bool is_host = device->ops->lapack == &mnp__host_lapack;
    int *pivots = NULL;
    pbsv_function *pbsv;
    gbsv_function *gbsv;
    if (s->n > INT32_MAX || s->count > INT32_MAX || all_rows > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "a banded matrix has more than %d columns, diagonals, or right-hand sides of a rank, which "
                        "LAPACK does not take",
                        INT32_MAX);
    MNP_TRY(function_of(s->dtype, "pbsv", &pbsv));
    MNP_TRY(function_of(s->dtype, "gbsv", &gbsv));
    if (!s->positive)
        MNP_TRY(mnp__malloc((size_t)n * sizeof *pivots, &pivots));
    const int before = mnp__host_lapack_set_threads(is_host ? ((const mnp__host_device *)device)->threads : 1);
    if (s->positive)
        pbsv(s->lower ? "L" : "U", &n, &u, &count, s->ab, &rows, s->b, &n, info_p, 1);
    else
        gbsv(&n, &l, &u, &count, s->ab, &rows, pivots, s->b, &n, info_p);
    (void)mnp__host_lapack_set_threads(before);
    free(pivots);
    return MNP_OK;
}
