/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text that kernels of lib/ops have in common.  See kernels/elementwise/elementwise.cu and kernels/reduction/reduce.cu for what the names
 * mean.
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

mnp_status mnp__generated_options(bool contract, const char *options, char **nvrtc_p, char **host_p)
{
    char *common;
    mnp__text nvrtc = MNP__TEXT_EMPTY, host = MNP__TEXT_EMPTY;
    MNP_TRY(mnp__jit_common_options(options ? options : "", &common));
    mnp__text_add(&nvrtc, "%s %s", contract ? "" : "--fmad=false", options ? options : "");
    mnp__text_add(&host, "%s %s", contract ? "" : "-ffp-contract=off", common);
    free(common);
    *nvrtc_p = nvrtc.data;
    *host_p = host.data;
    MNP_TRY(mnp__text_status(&nvrtc));
    return mnp__text_status(&host);
}
