/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the text of a reduction's kernels: the part that is generated once for a reduction, and the definitions for
 * each kernel.  kernels/reduction/reduce.cu includes both and explains the names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ops/elementwise/generated.h"
#include "ops/reduction/reduction_plan.h"

/* Write the arguments of `op`: IN(0), ..., or the one value that mnp_map() computes from them. */
static void add_values(const mnp__reduction_spec *spec, mnp__text *text)
{
    const char *separator = spec->mapped ? "mnp_map(" : "";
    for (int k = 0; k < spec->ninputs; k++) {
        if (k == spec->mask)
            continue;
        mnp__text_add(text, "%sIN(%d)", separator, k);
        separator = ", ";
    }
    mnp__text_add(text, spec->mapped ? ")" : "");
}

static void add_calls(const mnp__reduction_spec *spec, mnp__text *text)
{
    mnp__text_add(text, "#define MNP_ELEMENT(lanes, method, j, IN, i) do { ");
    if (spec->mask >= 0)
        mnp__text_add(text, "if (IN(%d).value) ", spec->mask);
    mnp__text_add(text, "(lanes).method(j, ");
    add_values(spec, text);
    mnp__text_add(text, ", i); } while (0)\n#define MNP_VALUE(IN) ");
    add_values(spec, text);
    mnp__text_add(text, "\n#define MNP_GIVE(acc, end, OUT) do { mnp_op::give(acc, end");
    for (int k = spec->ninputs; k < spec->ninputs + spec->noutputs; k++)
        mnp__text_add(text, ", OUT(%d)", k);
    mnp__text_add(text, "); %s } while (0)\n", spec->finish);
}

mnp_status mnp__reduction_write(mnp__reduction *reduction)
{
    const mnp__reduction_spec *spec = &reduction->spec;
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__generated_types(spec->ninputs + spec->noutputs, spec->operands, &text);
    mnp__generated_list("MNP_INPUTS", 0, spec->ninputs, &text);
    mnp__generated_list("MNP_OUTPUTS", spec->ninputs, spec->ninputs + spec->noutputs, &text);
    mnp__text_add(&text, "%s\n", spec->preamble);
    if (strstr(spec->preamble, "#line")) /* what follows is not the user's text */
        mnp__text_add(&text, "#line 1 \"after the reduction\"\n");
    if (!spec->mapped)
        mnp__text_add(&text, "typedef %s mnp_value;\n", spec->value ? spec->value : "mnp_type0");
    mnp__text_add(&text, "typedef %s mnp_source;\n", spec->mapped ? "mnp_value" : "mnp_memory0");
    mnp__text_add(&text, "typedef %s mnp_op;\n", spec->op);
    add_calls(spec, &text);
    return mnp__generated_set(&reduction->generated, &text, spec->contract, spec->options);
}

static void add_definitions(const mnp__reduction *reduction, const mnp__reduction_signature *signature, mnp__text *text)
{
    const mnp__reduction_spec *spec = &reduction->spec;
    mnp__text_add(text, "#define MNP_REDUCE reduce_%s\n", spec->name);
    mnp__text_add(text, "#define MNP_KEPT %d\n#define MNP_REDUCED %d\n#define MNP_OPERANDS %d\n", signature->kept,
                  signature->reduced, spec->ninputs + 1);
    mnp__text_add(text, "#define MNP_RESULTS %d\n#define MNP_FIRST_RESULT %d\n", spec->noutputs, spec->ninputs);
    mnp__text_add(text, "#define MNP_COLUMNS %d\n#define MNP_ACC_BYTES %zu\n", signature->columns, spec->accumulator);
    mnp__text_add(text, "#define MNP_SEARCHES %d\n#define MNP_LEADS %d\n", spec->searches && spec->mask < 0,
                  spec->leads && spec->mask < 0);
    mnp__text_add(text, "#define MNP_STEADY %d\n#define MNP_LOOKS %d\n", spec->steady, spec->looks);
    mnp__text_add(text, "#define MNP_THREADS %d\n#define MNP_VECTOR %d\n#define MNP_ALONG %d\n#define MNP_UNROLL %d\n",
                  MNP__REDUCTION_THREADS, signature->vector, signature->along, signature->unroll);
    mnp__text_add(text, "#define MNP_OUTS %d\n#define MNP_FALLS %d\n#define MNP_TILED %d\n", signature->outs,
                  signature->falls, signature->tiled);
    mnp__text_add(text, "#define MNP_TILE_KEPT %d\n#define MNP_TILE_REDUCED %d\n#define MNP_CUT_REDUCED %d\n",
                  signature->tile_kept, signature->tile_reduced, signature->cut_reduced);
    mnp__text_add(text, "#define MNP_LARGE %d\n", spec->accumulator > 16 && spec->accumulator <= 32);
    mnp__text_add(text, "#define MNP_TILE_LOOP %d\n#define MNP_TILE_COUNT %d\n#define MNP_TILE_TURNS %d\n",
                  signature->tile_loop, signature->tile_count, signature->tile_turns);
    int skewed = -1;
    for (int k = 0; k < spec->ninputs; k++) {
        mnp__text_add(text, "#define MNP_REACH_OF_%d %d\n", k, signature->reach[k]);
        skewed = signature->reach[k] == MNP_REACH_SKEWED ? k : skewed;
    }
    mnp__text_add(text, "#define MNP_SKEWED %d\n", skewed >= 0);
    if (skewed >= 0)
        mnp__text_add(text, "#define MNP_SKEW_OF(readers) (readers).in%d.skew<MNP_VECTOR>()\n", skewed);
    else
        mnp__text_add(text, "#define MNP_SKEW_OF(readers) 0\n");
}

mnp_status mnp__reduction_load(const mnp__reduction *reduction, const mnp__reduction_signature *signature,
                               mnp__kernel **kernel_p)
{
    mnp__text text = MNP__TEXT_EMPTY, function = MNP__TEXT_EMPTY;
    size_t half = MNP__REDUCTION_THREADS / 2;
    mnp__text_add(&function, "reduce_%s", reduction->spec.name);
    add_definitions(reduction, signature, &text);
    const mnp__kernel_spec file = {
        .file = "reduction/reduce.cu",
        .host_options = "-fopenmp-simd", /* for #pragma omp simd alone */
        .shared_bytes = signature->tiled
                            ? (signature->tile_loop ? 2u : 1u) * (MNP__REDUCTION_TILE + 32) +
                                  (signature->tile_reduced > 1 ? MNP__REDUCTION_PLACES * sizeof(uint16_t) : 0)
                        : signature->columns ? half * signature->vector * signature->along * reduction->spec.accumulator
                                             : 0};
    return mnp__generated_load(&reduction->generated, reduction->ctx->device, &file, &function, &text, kernel_p);
}
