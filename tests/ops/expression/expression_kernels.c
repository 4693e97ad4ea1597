/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels that expressions become compile for GPUs: operators, functions, constants, casts and conditions in all
 * kinds of types, and reductions of expressions.
 */
#include <config.h>

#include <string.h>

#include "tests/jit/harness.h"

#include "layout/layout.h"
#include "ops/elementwise/loop_plan.h"
#include "ops/expression/eval_program.h"
#include "ops/reduction/reduction_plan.h"

/* Inputs are x of the type, y of float32, k of int8 and a number s; the value of the last statement is the output. */
enum { NUM_INPUTS = 4 };

static mnp_status compile(const char *text, mnp_dtype dtype)
{
    static const char *const names[] = {"x", "y", "k", "s"}, *const outputs[] = {""};
    static const char *const variables[] = {"in_x", "in_y", "in_k", "in_s", "out_"};
    const mnp__expression_input inputs[NUM_INPUTS] = {
        {{dtype, 0}, 1, 0}, {{MNP_FLOAT32, 0}, 1, 0}, {{MNP_INT8, 0}, 1, 0}, {{MNP_FLOAT64, 'f'}, 0, 0}};
    mnp__expression expression = {
        .text = text, .ninputs = NUM_INPUTS, .input_names = names, .noutputs = 1, .output_names = outputs};
    mnp__loop_operand operands[NUM_INPUTS + 1];
    mnp_array arrays[NUM_INPUTS + 1];
    const mnp_array *pointers[NUM_INPUTS + 1];
    mnp_dtype result = MNP_DTYPE_AUTO;
    mnp__text body = MNP__TEXT_EMPTY;
    mnp__need need;
    mnp_layout *layout;
    mnp__loop *loop;
    MNP_TRY(mnp__expression_parse(&expression));
    MNP_TRY(mnp__expression_type(&expression, inputs, &result));
    mnp__expression_need(&expression, 1, expression.outputs, &need);
    mnp__expression_emit(&expression, &body);
    mnp__text_add(&body, "out_ = ");
    mnp__expression_emit_value(&expression, expression.outputs[0], expression.output_types[0], &body);
    mnp__text_add(&body, ";\n");
    MNP_TRY(mnp_layout_replicated(1, 1, (int64_t[]){1000}, &layout));
    for (int k = 0; k <= NUM_INPUTS; k++) {
        mnp_dtype type = k < NUM_INPUTS ? inputs[k].type.dtype : result;
        operands[k] = (mnp__loop_operand){.name = variables[k], .type = type, .memory = type};
        arrays[k] = (mnp_array){.tag = MNP__TAG_array,
                                .ctx = &gpu.ctx,
                                .dtype = type,
                                .layout = layout,
                                .local_shape = {1000},
                                .local_strides = {1},
                                .local_size = 1000,
                                .data = (void *)(uintptr_t)4096};
        pointers[k] = &arrays[k];
    }
    const mnp__loop_spec spec = {.name = "eval",
                                 .preamble = "",
                                 .body = mnp__text_string(&body),
                                 .ninputs = NUM_INPUTS,
                                 .noutputs = 1,
                                 .indices = need.indices,
                                 .operands = operands};
    MNP_TRY(mnp__loop_new(&gpu.ctx, &spec, &loop));
    loop->agreed = true; /* there are no other ranks to agree with */
    mnp_status st = mnp__loop_run(loop, layout, pointers);
    mnp__loop_free(loop);
    mnp_layout_free(layout);
    mnp__text_free(&body);
    mnp__expression_free(&expression);
    return st;
}

/* Each feature that a kind of type has; the last statement uses the value of every other one. */
static const char *text_of(char kind)
{
    static const char common[] =
        "z = x + 1; z = z*x - (x if k < 2 else k); z = where(x == 1, z, x) + min(x, k) + 2**x + x**2 + abs(x) + x / 2;"
        "c = x > 0.5 and not k or 0 < x < 3; i = i0 + i + n0 + n; z = z + i + c + s*x + s + (y if c else s);"
        "z += bool(x) + int8(x) + uint8(x) + int64(x) + uint64(x) + float16(x) + bfloat16(x) + float32(x) +"
        "complex64(x).real + complex128(x).imag + inf + nan + 1e300 + x.real + True;";
    static char text[2048];
    const char *special =
        kind == 'f'   ? "q, r = divmod(x, 3); f, w = modf(x); m, e = frexp(x); z += q + r + f + w + m + e + sin(x) +"
                        " x // 2 + clip(x, 0, 1) + fma(x, 2, y) + gamma(x) + x**0.5 + x**-1 + x**3 + isnan(x)"
        : kind == 'c' ? "z += exp(x) * 2j + sqrt(x) + x.conj() - 1/x + x**0.5"
                      : "z += (~x & 1 | 4 ^ x) + (x << 1) + (x >> 2) + x // 3 + x % 3 + +8";
    snprintf(text, sizeof text, "%s%s", common, special);
    return text;
}

/* Reductions of expressions, along rows and columns. */
static mnp_status compile_reductions(const char *text, mnp_dtype dtype)
{
    mnp_layout *layout, *result;
    MNP_TRY(mnp_layout_replicated(1, 2, (int64_t[]){4096, 4096}, &layout));
    MNP_TRY(mnp_layout_replicated(1, 1, (int64_t[]){4096}, &result));
    mnp_array x = {.tag = MNP__TAG_array,
                   .ctx = &gpu.ctx,
                   .dtype = dtype,
                   .layout = layout,
                   .local_shape = {4096, 4096},
                   .local_strides = {4096, 1},
                   .local_size = 1 << 24,
                   .data = (void *)(uintptr_t)4096};
    mnp_array y = x,
              out = {.tag = MNP__TAG_array,
                     .ctx = &gpu.ctx,
                     .layout = result,
                     .local_shape = {4096},
                     .local_strides = {1},
                     .local_size = 4096,
                     .data = (void *)(uintptr_t)4096},
              *none = NULL;
    y.dtype = MNP_FLOAT32;
    mnp__request request = {.function = "test",
                            .text = text,
                            .ninputs = 2,
                            .noutputs = 1,
                            .input_names = {"x", "y"},
                            .output_names = {""},
                            .inputs = {&x, &y},
                            .outputs_p = {&none}};
    mnp__expression expression = {.text = text,
                                  .ninputs = 2,
                                  .input_names = request.input_names,
                                  .noutputs = 1,
                                  .output_names = request.output_names};
    const mnp__expression_input inputs[] = {{{dtype, 0}, 2, 0}, {{MNP_FLOAT32, 0}, 2, 0}};
    mnp_dtype type = MNP_DTYPE_AUTO;
    mnp__program *program = NULL;
    mnp_status st = mnp__expression_parse(&expression);
    if (st == MNP_OK)
        st = mnp__expression_type(&expression, inputs, &type);
    if (st == MNP_OK)
        st = mnp__program_new(&gpu.ctx, &request, &expression, &type, &program);
    for (int s = 0; st == MNP_OK && s < program->nstages; s++) {
        mnp__reduction *reduction = program->stages[s].reduction;
        mnp__reduction_plan plan;
        mnp__kernel *kernel;
        if (!reduction)
            continue;
        const mnp__reduction_spec *spec = mnp__reduction_spec_of(reduction);
        mnp__reduction_work work = {.reduction = reduction,
                                    .layout = layout,
                                    .result = result,
                                    .axes = program->stages[s].call->mask,
                                    .inputs = {&x, &y},
                                    .outputs = {&out}};
        out.dtype = spec->operands[spec->ninputs].memory;
        mnp__reduction_plan_make(&work, false, &plan);
        st = mnp__reduction_load(reduction, &plan.signature, &kernel);
    }
    mnp__program_free(program);
    mnp__expression_free(&expression);
    mnp_layout_free(layout);
    mnp_layout_free(result);
    return st;
}

static void test_reductions(void)
{
    static const struct {
        mnp_dtype dtype;
        const char *text;
    } cases[] = {
        {MNP_FLOAT64, "sum((x - y)**2, axis=0) + argmax(abs(x + y), axis=1)"},
        {MNP_COMPLEX64, "std(x * y, axis=0) * max(x * 2j + y, axis=1)"},
        {MNP_INT8, "mean(x * y, axis=1) + count_nonzero(x > y, axis=0) + nanmax(y / x, axis=1)"},
        {MNP_FLOAT16, "prod(x * 2 - y, axis=0) * all(x if y else y, axis=1)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mnp_status st = compile_reductions(cases[i].text, cases[i].dtype);
        if (!ok(st == MNP_OK && gpu.failures == 0, "%s", cases[i].text))
            print_lines(mnp_error_message());
    }
}

static void run(void)
{
    static const mnp_dtype dtypes[] = {MNP_INT8, MNP_UINT64, MNP_FLOAT16, MNP_BFLOAT16, MNP_FLOAT64, MNP_COMPLEX64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        mnp_status st = compile(text_of(mnp_dtype_kind(dtypes[i])), dtypes[i]);
        if (!ok(st == MNP_OK && gpu.failures == 0, "expressions of %s", mnp_dtype_name(dtypes[i])))
            print_lines(mnp_error_message());
    }
    test_reductions();
}

int main(void)
{
    with_compilers(OLDEST_GPU, run);
    return done_testing();
}
