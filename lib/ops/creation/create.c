/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ones, arrays like others, ranges and spaces.
 */
#include <maniple/create.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "base/dtype.h"
#include "base/value.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "ops/common/paste.h"

/* ---- constant arrays ---- */

/* One element of a dtype. */
typedef struct element {
    uint64_t bytes[2];
} element;

static element one_of(mnp_dtype dtype)
{
    element one = {{0, 0}};
    mnp__value_write(&(mnp__value){.kind = 'u', .u = 1}, dtype, one.bytes);
    return one;
}

mnp_status mnp_ones(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    MNP_NEED_IF(ndim > 0, shape);
    const element one = one_of(dtype);
    return mnp_full(ctx, dtype, ndim, shape, one.bytes, array_p);
}

/* Open an output like the prototype. */
static mnp_status open_like(const char *function, const mnp_array *prototype, mnp_dtype dtype, mnp_array **array_p,
                            mnp__output *output)
{
    MNP_TRY(mnp__inputs_check(function, 1, &prototype));
    const mnp__output_spec spec = {.function = function,
                                   .ctx = prototype->ctx,
                                   .dtype = dtype == MNP_DTYPE_AUTO ? prototype->dtype : dtype,
                                   .layout = prototype->layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT};
    return mnp__output_open(&spec, array_p, output);
}

static mnp_status filled_like(const char *function, const mnp_array *prototype, mnp_dtype dtype, const void *value,
                              mnp_array **array_p)
{
    static const int64_t origin[MNP_MAX_DIMS] = {0};
    mnp__output output;
    MNP_TRY(open_like(function, prototype, dtype, array_p, &output));
    return mnp__output_close(1, &output, mnp__fill(function, output.array, origin, output.array->layout->shape, value));
}

mnp_status mnp_empty_like(const mnp_array *prototype, mnp_dtype dtype, mnp_array **array_p)
{
    MNP_ENTER(prototype, array_p);
    mnp__output output;
    MNP_TRY(open_like("mnp_empty_like", prototype, dtype, array_p, &output));
    return mnp__output_close(1, &output, MNP_OK);
}

mnp_status mnp_zeros_like(const mnp_array *prototype, mnp_dtype dtype, mnp_array **array_p)
{
    MNP_ENTER(prototype, array_p);
    static const char zero[16];
    return filled_like("mnp_zeros_like", prototype, dtype, zero, array_p);
}

mnp_status mnp_ones_like(const mnp_array *prototype, mnp_dtype dtype, mnp_array **array_p)
{
    MNP_ENTER(prototype, array_p);
    mnp_dtype own = dtype == MNP_DTYPE_AUTO && prototype ? prototype->dtype : dtype;
    return filled_like("mnp_ones_like", prototype, dtype, one_of(own).bytes, array_p);
}

mnp_status mnp_full_like(const mnp_array *prototype, mnp_dtype dtype, const void *value, mnp_array **array_p)
{
    MNP_ENTER(prototype, value, array_p);
    return filled_like("mnp_full_like", prototype, dtype, value, array_p);
}

/*
 * ---- arange: the first two values are rounded to the dtype, and their difference, rounded too, gives the others ----
 */

static const mnp__formula arange_int = {
    .name = "arange_int",
    .body = "out = (int64_t)((uint64_t)first + (uint64_t)mnp_i * (uint64_t)delta);",
    .indices = true,
    .type = MNP_INT64,
    .ninputs = 2,
    .inputs = {{"first", MNP_INT64}, {"delta", MNP_INT64}},
};

static const mnp__formula arange_single = {
    .name = "arange_float32",
    .body = "out = mnp_i == 0 ? first : mnp_i == 1 ? second : first + (float)mnp_i * delta;",
    .indices = true,
    .type = MNP_FLOAT32,
    .ninputs = 3,
    .inputs = {{"first", MNP_FLOAT32}, {"second", MNP_FLOAT32}, {"delta", MNP_FLOAT32}},
};

static const mnp__formula arange_double = {
    .name = "arange_float64",
    .body = "out = mnp_i == 0 ? first : mnp_i == 1 ? second : first + (double)mnp_i * delta;",
    .indices = true,
    .type = MNP_FLOAT64,
    .ninputs = 3,
    .inputs = {{"first", MNP_FLOAT64}, {"second", MNP_FLOAT64}, {"delta", MNP_FLOAT64}},
};

static mnp_status run_integers(mnp_ctx *ctx, const char *function, int64_t first, int64_t delta, int64_t count,
                               mnp_dtype dtype, mnp_array **array_p)
{
    const mnp_array *inputs[] = {mnp_scalar_int(ctx, first), mnp_scalar_int(ctx, delta)};
    if (dtype == MNP_BOOL && count > 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: a range of bool has two values at most, and this one has %" PRId64, function,
                        count);
    return mnp__formula_create(
        ctx, &(mnp__formula_call){.function = function, .formula = &arange_int, .inputs = inputs, .type = dtype}, 1,
        &count, array_p);
}

static mnp_status run_floats(mnp_ctx *ctx, const char *function, double start, double step, int64_t count,
                             mnp_dtype dtype, mnp_array **array_p)
{
    double first = mnp__round_to(dtype, start), second = mnp__round_to(dtype, start + step), delta = second - first;
    const bool wide = mnp__dtype_is_double(dtype);
    if (!wide)
        delta = (double)((float)second - (float)first);
    const mnp_array *inputs[] = {mnp_scalar_float(ctx, first), mnp_scalar_float(ctx, second),
                                 mnp_scalar_float(ctx, delta)};
    return mnp__formula_create(
        ctx,
        &(mnp__formula_call){
            .function = function, .formula = wide ? &arange_double : &arange_single, .inputs = inputs, .type = dtype},
        1, &count, array_p);
}

static mnp_status too_long(const char *function)
{
    return MNP_FAIL(MNP_ERR_ARG, "%s: the range has too many values for 64-bit sizes", function);
}

/* How many values there are, as numpy.arange counts them. */
static mnp_status count_floats(double start, double stop, double step, int64_t *count_p)
{
    double span = stop - start, ratio = span / step, count = ceil(ratio);
    if (step == 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_arange: step is 0");
    if (isnan(ratio))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_arange: from %g to %g by %g gives no number of steps", start, stop, step);
    if (ratio == 0 && span != 0) /* underflow, or an infinite step */
        count = signbit(ratio) ? 0 : 1;
    if (count >= 0x1p63)
        return too_long("mnp_arange");
    *count_p = count > 0 ? (int64_t)count : 0;
    return MNP_OK;
}

/* A float as an integer, modulo 2^64. */
static mnp_status to_integer(double value, mnp_dtype dtype, int64_t *integer_p)
{
    if (!(value >= -0x1p63 && value < 0x1p64))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_arange: %g is not a value of %s", value, mnp_dtype_name(dtype));
    *integer_p = value < 0x1p63 ? (int64_t)value : (int64_t)(uint64_t)value;
    return MNP_OK;
}

mnp_status mnp_arange(mnp_ctx *ctx, double start, double stop, double step, mnp_dtype dtype, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    int64_t count = 0, first = 0, second = 0;
    dtype = dtype == MNP_DTYPE_AUTO ? MNP_FLOAT64 : dtype;
    MNP_TRY(count_floats(start, stop, step, &count));
    if (!mnp__dtype_is_integral(dtype))
        return run_floats(ctx, "mnp_arange", start, step, count, dtype, array_p);
    if (count > 0)
        MNP_TRY(to_integer(start, dtype, &first));
    if (count > 1)
        MNP_TRY(to_integer(start + step, dtype, &second));
    return run_integers(ctx, "mnp_arange", first, (int64_t)((uint64_t)second - (uint64_t)first), count, dtype, array_p);
}

/* A range of integers over a distance in the direction of the step, modulo 2^64; distance 0: none. */
static mnp_status run_range(mnp_ctx *ctx, const char *function, uint64_t start, double start_as_float,
                            uint64_t distance, int64_t step, mnp_dtype dtype, mnp_array **array_p)
{
    const uint64_t by = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
    if (step == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: step is 0", function);
    const uint64_t count = distance > 0 ? (distance - 1) / by + 1 : 0;
    if (count > INT64_MAX)
        return too_long(function);
    if (mnp__dtype_is_integral(dtype))
        return run_integers(ctx, function, (int64_t)start, step, (int64_t)count, dtype, array_p);
    return run_floats(ctx, function, start_as_float, (double)step, (int64_t)count, dtype, array_p);
}

mnp_status mnp_arange_int(mnp_ctx *ctx, int64_t start, int64_t stop, int64_t step, mnp_dtype dtype, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    const uint64_t from = (uint64_t)start, to = (uint64_t)stop;
    const uint64_t distance = step > 0 && stop > start ? to - from : step < 0 && stop < start ? from - to : 0;
    dtype = dtype == MNP_DTYPE_AUTO ? MNP_INT64 : dtype;
    return run_range(ctx, "mnp_arange_int", from, (double)start, distance, step, dtype, array_p);
}

mnp_status mnp_arange_uint(mnp_ctx *ctx, uint64_t start, uint64_t stop, int64_t step, mnp_dtype dtype,
                           mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    const uint64_t distance = step > 0 && stop > start ? stop - start : step < 0 && stop < start ? start - stop : 0;
    dtype = dtype == MNP_DTYPE_AUTO ? MNP_UINT64 : dtype;
    return run_range(ctx, "mnp_arange_uint", start, (double)start, distance, step, dtype, array_p);
}

/* ---- linspace, and powers of it ---- */

#define LINSPACE                                                                                                       \
    "double y = (step == 0.0 ? (double)mnp_i / divisor * span : (double)mnp_i * step) + start;\n"                      \
    "if (mnp_i == last)\n"                                                                                             \
    "    y = stop;\n"

#define LINSPACE_INPUTS                                                                                                \
    {"start", MNP_FLOAT64}, {"stop", MNP_FLOAT64}, {"span", MNP_FLOAT64}, {"step", MNP_FLOAT64},                       \
        {"divisor", MNP_FLOAT64},                                                                                      \
    {                                                                                                                  \
        "last", MNP_INT64                                                                                              \
    }

enum { LINSPACE_NINPUTS = 6 };

static const mnp__formula linspace = {
    .name = "linspace",
    .body = LINSPACE "out = y;",
    .indices = true,
    .type = MNP_FLOAT64,
    .ninputs = LINSPACE_NINPUTS,
    .inputs = {LINSPACE_INPUTS},
};

static const mnp__formula linspace_floor = {
    .name = "linspace_floor",
    .body = LINSPACE "out = floor(y);",
    .indices = true,
    .type = MNP_FLOAT64,
    .ninputs = LINSPACE_NINPUTS,
    .inputs = {LINSPACE_INPUTS},
};

static const mnp__formula logspace = {
    .name = "logspace",
    .body = LINSPACE "out = pow(base, y);",
    .indices = true,
    .type = MNP_FLOAT64,
    .ninputs = LINSPACE_NINPUTS + 1,
    .inputs = {LINSPACE_INPUTS, {"base", MNP_FLOAT64}},
};

static const mnp__formula geomspace = {
    .name = "geomspace",
    .body = LINSPACE "out = sign * (mnp_i == 0 ? first : mnp_i == last ? final_one : pow(10.0, y));",
    .indices = true,
    .type = MNP_FLOAT64,
    .ninputs = LINSPACE_NINPUTS + 3,
    .inputs = {LINSPACE_INPUTS, {"first", MNP_FLOAT64}, {"final_one", MNP_FLOAT64}, {"sign", MNP_FLOAT64}},
};

/* The inputs that LINSPACE has, and the step; values are computed as numpy.linspace computes them. */
static mnp_status divide(mnp_ctx *ctx, const char *function, double start, double stop, int64_t count, bool endpoint,
                         double *step_p, const mnp_array **inputs)
{
    int64_t steps = endpoint ? count - 1 : count;
    double span = stop - start, divisor = steps > 0 ? (double)steps : 1.0;
    if (count < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: count is %" PRId64 ", negative", function, count);
    *step_p = steps > 0 ? span / divisor : (double)NAN;
    inputs[0] = mnp_scalar_float(ctx, start);
    inputs[1] = mnp_scalar_float(ctx, stop);
    inputs[2] = mnp_scalar_float(ctx, span);
    inputs[3] = mnp_scalar_float(ctx, span / divisor);
    inputs[4] = mnp_scalar_float(ctx, divisor);
    inputs[5] = mnp_scalar_int(ctx, endpoint && count > 1 ? count - 1 : -1);
    return MNP_OK;
}

mnp_status mnp_linspace(mnp_ctx *ctx, double start, double stop, int64_t count, bool endpoint, mnp_dtype dtype,
                        double *step_p, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    const mnp_array *inputs[LINSPACE_NINPUTS];
    double step;
    dtype = dtype == MNP_DTYPE_AUTO ? MNP_FLOAT64 : dtype;
    const mnp__formula *formula = strchr("iu", mnp_dtype_kind(dtype)) ? &linspace_floor : &linspace;
    MNP_TRY(divide(ctx, "mnp_linspace", start, stop, count, endpoint, &step, inputs));
    MNP_TRY(mnp__formula_create(
        ctx, &(mnp__formula_call){.function = "mnp_linspace", .formula = formula, .inputs = inputs, .type = dtype}, 1,
        &count, array_p));
    if (step_p)
        *step_p = step;
    return MNP_OK;
}

mnp_status mnp_linspace_complex(mnp_ctx *ctx, const double *start, const double *stop, int64_t count, bool endpoint,
                                mnp_dtype dtype, double *step_p, mnp_array **array_p)
{
    MNP_ENTER(ctx, start, stop, array_p);
    mnp_layout *layout;
    mnp__output output;
    dtype = dtype == MNP_DTYPE_AUTO ? MNP_COMPLEX128 : dtype;
    if (mnp_dtype_kind(dtype) != 'c')
        return MNP_FAIL(MNP_ERR_ARG, "mnp_linspace_complex: %s is not complex", mnp_dtype_name(dtype));
    if (count < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_linspace_complex: count is %" PRId64 ", negative", count);
    MNP_TRY(mnp_layout_block(ctx->comm.size, 1, &count, &layout));
    const mnp__output_spec spec = {.function = "mnp_linspace_complex", .ctx = ctx, .dtype = dtype, .layout = layout};
    mnp_status st = mnp__output_open(&spec, array_p, &output);
    mnp_layout_free(layout);
    MNP_TRY(st);
    const mnp_dtype real = dtype == MNP_COMPLEX64 ? MNP_FLOAT32 : MNP_FLOAT64;
    double step[2];
    for (int part = 0; part < 2 && st == MNP_OK; part++) {
        mnp_array *view = NULL;
        st = part == 0 ? mnp_real(output.array, &view) : mnp_imag(output.array, &view);
        if (st == MNP_OK)
            st = mnp_linspace(ctx, start[part], stop[part], count, endpoint, real, &step[part], &view);
        mnp_array_free(view);
    }
    st = mnp__output_close(1, &output, st);
    for (int part = 0; part < 2 && step_p && st == MNP_OK; part++)
        step_p[part] = step[part];
    return st;
}

mnp_status mnp_logspace(mnp_ctx *ctx, double start, double stop, int64_t count, bool endpoint, double base,
                        mnp_dtype dtype, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    const mnp_array *inputs[LINSPACE_NINPUTS + 1];
    double step;
    dtype = dtype == MNP_DTYPE_AUTO ? MNP_FLOAT64 : dtype;
    MNP_TRY(divide(ctx, "mnp_logspace", start, stop, count, endpoint, &step, inputs));
    inputs[LINSPACE_NINPUTS] = mnp_scalar_float(ctx, base);
    return mnp__formula_create(
        ctx, &(mnp__formula_call){.function = "mnp_logspace", .formula = &logspace, .inputs = inputs, .type = dtype}, 1,
        &count, array_p);
}

mnp_status mnp_geomspace(mnp_ctx *ctx, double start, double stop, int64_t count, bool endpoint, mnp_dtype dtype,
                         mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    const mnp_array *inputs[LINSPACE_NINPUTS + 3];
    double step, sign = start < 0 ? -1.0 : 1.0;
    dtype = dtype == MNP_DTYPE_AUTO ? MNP_FLOAT64 : dtype;
    if (start == 0 || stop == 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_geomspace: %s is 0, which no geometric progression contains",
                        start == 0 ? "start" : "stop");
    MNP_TRY(divide(ctx, "mnp_geomspace", log10(start * sign), log10(stop * sign), count, endpoint, &step, inputs));
    inputs[LINSPACE_NINPUTS] = mnp_scalar_float(ctx, start * sign);
    inputs[LINSPACE_NINPUTS + 1] = mnp_scalar_float(ctx, stop * sign);
    inputs[LINSPACE_NINPUTS + 2] = mnp_scalar_float(ctx, sign);
    return mnp__formula_create(
        ctx, &(mnp__formula_call){.function = "mnp_geomspace", .formula = &geomspace, .inputs = inputs, .type = dtype},
        1, &count, array_p);
}
