/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the text that the kernels of lib/ops have in common.  kernels/elementwise/elementwise.cu and
 * kernels/reduction/reduce.cu explain the names.
 */
#include "ops/elementwise/generated.h"

#include <stdlib.h>

void mnp__generated_types(int count, const mnp__loop_operand *operands, mnp__text *text)
{
    for (int k = 0; k < count; k++) {
        const mnp__loop_operand *operand = &operands[k];
        bool half = operand->type == MNP_FLOAT16 || operand->type == MNP_BFLOAT16;
        const char *type = mnp__jit_type(operand->type);
        mnp__text_add(text, "typedef %s mnp_type%d; typedef %s mnp_memory%d; typedef %s mnp_carrier%d;\n", type, k,
                      mnp__jit_type(operand->memory), k, half ? "double" : type, k);
    }
}

void mnp__generated_list(const char *macro, int first, int end, mnp__text *text)
{
    mnp__text_add(text, "#define %s(X)", macro);
    for (int k = first; k < end; k++)
        mnp__text_add(text, " X(%d)", k);
    mnp__text_add(text, "\n");
}

mnp_status mnp__generated_set(mnp__generated *generated, mnp__text *source, bool contract, const char *options)
{
    char *common;
    mnp__text nvrtc = MNP__TEXT_EMPTY, host = MNP__TEXT_EMPTY;
    generated->source = source->data;
    generated->users = options != NULL;
    MNP_TRY(mnp__text_status(source));
    MNP_TRY(mnp__jit_common_options(options ? options : "", &common));
    mnp__text_add(&nvrtc, "%s %s", contract ? "" : "--fmad=false", options ? options : "");
    mnp__text_add(&host, "%s %s", contract ? "" : "-ffp-contract=off", common);
    free(common);
    generated->nvrtc_options = nvrtc.data;
    generated->host_options = host.data;
    MNP_TRY(mnp__text_status(&nvrtc));
    return mnp__text_status(&host);
}

void mnp__generated_free(mnp__generated *generated)
{
    free(generated->source);
    free(generated->nvrtc_options);
    free(generated->host_options);
}

mnp_status mnp__generated_load(const mnp__generated *generated, mnp__device *device, const mnp__kernel_spec *file,
                               mnp__text *function, mnp__text *defines, mnp__kernel **kernel_p)
{
    mnp__kernel_spec spec = *file;
    mnp__text host_options = MNP__TEXT_EMPTY;
    mnp__text_add(&host_options, "%s %s", generated->host_options, file->host_options ? file->host_options : "");
    spec.function = mnp__text_string(function);
    spec.defines = mnp__text_string(defines);
    spec.generated = generated->source;
    spec.users = generated->users;
    spec.nvrtc_options = generated->nvrtc_options;
    spec.host_options = mnp__text_string(&host_options);
    mnp_status st;
    MNP_TRY_OR(mnp__text_status(&host_options), st, done);
    MNP_TRY_OR(mnp__text_status(function), st, done);
    MNP_TRY_OR(mnp__text_status(defines), st, done);
    st = mnp__device_load_kernel(device, &spec, kernel_p);
done:
    mnp__text_free(&host_options);
    mnp__text_free(function);
    mnp__text_free(defines);
    return st;
}
