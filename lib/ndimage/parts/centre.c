/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The centre of mass of one part, on the device: a reduction along one axis after the other, the longest first, gives
 * the sums of lines and of their elements times the index.  It reads x once; what is left are arrays of sums, which are
 * as much smaller as that axis is long.
 */
#include "ndimage/parts/measure.h"

#include <string.h>

#include <maniple/reduce.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/output.h"
#include "layout/layout.h"
#include "ops/reduction/reduction.h"

static const char moments[] =
    "template <typename T> struct mnp_moments {\n"
    "    struct acc {\n        mnp_total<double, true> sum, moment;\n    };\n"
    "    template <int W> struct lanes {\n"
    "        double sum[W], moment[W];\n"
    "        MNP_INLINE void start(int j)\n        {\n            sum[j] = moment[j] = 0;\n        }\n"
    "        MNP_INLINE void take(int64_t j, T x, int64_t i)\n        {\n"
    "            const double value = mnp_to<double>::from(x);\n"
    "            sum[j] += value;\n            moment[j] += value * (double)i;\n        }\n"
    "        MNP_INLINE void merge(int j, int k)\n        {\n"
    "            sum[j] += sum[k];\n            moment[j] += moment[k];\n        }\n"
    "        MNP_INLINE acc end(int j) const\n        {\n"
    "            acc a;\n            a.sum.set(sum[j]);\n            a.moment.set(moment[j]);\n            return a;\n"
    "        }\n    };\n"
    "    static MNP_INLINE void join(acc &a, const acc &b)\n    {\n"
    "        a.sum.add(b.sum);\n        a.moment.add(b.moment);\n    }\n"
    "    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, double &sum, double &moment)\n    {\n"
    "        sum = a.sum.value();\n        moment = a.moment.value();\n    }\n"
    "};\n";

struct key {
    const char *preamble;
    mnp_dtype dtype;
    int masked;
};

static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__reduction **reduction_p)
{
    const struct key *key = argument;
    mnp__loop_operand operands[4];
    int count = 0;
    operands[count++] = (mnp__loop_operand){.name = "x", .type = key->dtype, .memory = key->dtype};
    if (key->masked)
        operands[count++] = (mnp__loop_operand){.name = "where", .type = MNP_BOOL, .memory = MNP_BOOL};
    operands[count] = (mnp__loop_operand){.name = "sum", .type = MNP_FLOAT64, .memory = MNP_FLOAT64};
    operands[count + 1] = (mnp__loop_operand){.name = "moment", .type = MNP_FLOAT64, .memory = MNP_FLOAT64};
    const mnp__reduction_spec spec = {.name = "moments",
                                      .preamble = key->preamble,
                                      .op = "mnp_moments<mnp_type0>",
                                      .finish = "",
                                      .accumulator = 32,
                                      .indices = true,
                                      .mask = key->masked ? 1 : -1,
                                      .ninputs = count,
                                      .noutputs = 2,
                                      .operands = operands};
    return mnp__reduction_new(ctx, &spec, reduction_p);
}

/* Sums along an axis, and sums of the elements times their index. */
static mnp_status reduce(const char *function, const mnp_array *x, const mnp_array *where, int axis, mnp_array **sum_p,
                         mnp_array **moment_p)
{
    mnp__reduction *reduction;
    struct key key;
    memset(&key, 0, sizeof key); /* its padding is hashed, too */
    key.preamble = moments;
    key.dtype = x->dtype;
    key.masked = where != NULL;
    MNP_TRY(mnp__reduction_get(x->ctx, build, &key, sizeof key, &reduction));
    return mnp__reduction_run(reduction, &(mnp__reduction_call){.function = function,
                                                                .inputs = (const mnp_array *[]){x, where},
                                                                .outputs_p = (mnp_array * *[]){sum_p, moment_p},
                                                                .axes = 1U << axis});
}

/* Reduce x, which becomes its sums, along its longest axis; the moment goes to the place of that dimension. */
static mnp_status reduce_longest(const char *function, const mnp_array *where, mnp_array *all, int *dims,
                                 mnp_array **x_p)
{
    const mnp_layout *layout = (*x_p)->layout;
    mnp_array *sum = NULL, *moment = NULL, *place = NULL;
    mnp_status st;
    int axis = 0;
    for (int d = 1; d < layout->ndim; d++)
        axis = layout->shape[d] > layout->shape[axis] ? d : axis;
    MNP_TRY_OR(mnp_view(all, &place, MNP_AT(0), MNP_AT(dims[axis])), st, done);
    MNP_TRY_OR(reduce(function, *x_p, where, axis, &sum, layout->ndim == 1 ? &place : &moment), st, done);
    if (moment)
        MNP_TRY_OR(mnp_sum(moment, MNP_ALL_AXES, &place), st, done);
    memmove(dims + axis, dims + axis + 1, (size_t)(layout->ndim - 1 - axis) * sizeof *dims);
    mnp_array_free(*x_p);
    *x_p = sum;
    sum = NULL;
    st = MNP_OK;
done:
    mnp_free_all(sum, moment, place);
    return st;
}

mnp_status mnp__measure_centre(const char *function, const mnp_array *x, const mnp_array *where, mnp_array **centre_p)
{
    const int ndim = x->layout->ndim;
    int dims[MNP_MAX_DIMS];
    mnp_layout *layout = NULL;
    mnp_array *all = NULL, *left = NULL;
    mnp_status st;
    for (int d = 0; d < ndim; d++)
        dims[d] = d;
    MNP_TRY_OR(mnp_layout_replicated(x->ctx->comm.size, 2, (const int64_t[]){1, ndim}, &layout), st, done);
    MNP_TRY_OR(mnp_array_new(x->ctx, MNP_FLOAT64, layout, &all), st, done);
    MNP_TRY_OR(mnp_slice(x, 0, NULL, &left), st, done);
    for (int d = 0; d < ndim; d++)
        MNP_TRY_OR(reduce_longest(function, d == 0 ? where : NULL, all, dims, &left), st, done);
    st = mnp_divide(all, left, &all);
done:
    mnp_layout_free(layout);
    mnp_array_free(left);
    return mnp__output_give(all, st, centre_p);
}
