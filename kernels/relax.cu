/*
 * Relaxation of rows: x[i] = keep * x[i] + weight * inverse[i] * (b[i] - sum of a[i][j] x[j]), in place.
 *
 * The rows of a launch do not depend on each other: a level of a triangular solve, or a colour.  Where one worker does a
 * launch alone it takes the rows one after the other, and then they may.  MNP_T is the type, MNP_W the sums'.
 */
#include "prelude.h"
#include "numbers.h"
#include "step.h"
#include "workers.h"
#include "relax.h"

typedef MNP_T mnp_t;

MNP_KERNEL(mnp_relax, mnp_relax_params)
{
    const int64_t *const offsets = (const int64_t *)p.offsets;
    const int32_t *const columns = (const int32_t *)p.columns, *const list = (const int32_t *)p.list;
    const mnp_t *const values = (const mnp_t *)p.values, *const b = (const mnp_t *)p.b;
    mnp_t *const x = (mnp_t *)p.x;
    for MNP_RANGE (i, p.count) {
        const int64_t row = list ? list[i] : p.first + i * p.step, end = offsets[row + 1];
        mnp_t sum = b[row];
        for (int64_t e = offsets[row]; e < end; e++)
            sum -= values[e] * x[columns[e]];
        sum = mnp_number_of<mnp_t>::from(p.weight) * ((const mnp_t *)p.inverse)[row] * sum;
        x[row] = p.keep == 0 ? sum : mnp_number_of<mnp_t>::from(p.keep) * x[row] + sum;
    }
}
