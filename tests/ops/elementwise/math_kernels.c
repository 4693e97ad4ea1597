/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All functions of kernels/math.h compile for GPUs, in every kind of type that they are computed in: one source for
 * each type has a kernel for each ufunc.
 */
#include <config.h>

#include <string.h>

#include "tests/jit/harness.h"

#include "base/text.h"
#include "ops/elementwise/ufunc.h"

/* One type for each kind: the templates treat the others of the kind alike. */
static const mnp_dtype tested[] = {MNP_BOOL,    MNP_INT8,    MNP_UINT64,    MNP_FLOAT16,   MNP_BFLOAT16,
                                   MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX64, MNP_COMPLEX128};

/* Append a kernel that calls `ufunc` on elements of that type.  False if the ufunc is not computed in it. */
static bool add_call(const mnp__ufunc *ufunc, mnp_dtype dtype, mnp__text *text)
{
    mnp__type inputs[MNP__MAX_UFUNC_INPUTS];
    mnp_dtype loop[MNP__MAX_UFUNC_INPUTS], results[MNP__MAX_UFUNC_OUTPUTS];
    for (int i = 0; i < ufunc->ninputs; i++)
        inputs[i] = (mnp__type){i == 1 && strcmp(ufunc->name, "ldexp") == 0 ? MNP_INT32 : dtype, 0};
    if (mnp__ufunc_resolve(ufunc, inputs, loop, results) != MNP_OK)
        return false;
    if (loop[0] != dtype && loop[ufunc->ninputs - 1] != dtype) /* computed in another type */
        return false;
    mnp__text_add(text, "extern \"C\" __global__ void use_%s(", ufunc->name);
    for (int i = 0; i < ufunc->ninputs; i++)
        mnp__text_add(text, "const %s *x%d, ", mnp__jit_type(loop[i]), i);
    for (int o = 0; o < ufunc->noutputs; o++)
        mnp__text_add(text, "%s%s *z%d", o ? ", " : "", mnp__jit_type(results[o]), o);
    mnp__text_add(text, ")\n{\n    %smnp_%s(", ufunc->noutputs == 1 ? "z0[threadIdx.x] = " : "", ufunc->name);
    for (int i = 0; i < ufunc->ninputs; i++)
        mnp__text_add(text, "%sx%d[threadIdx.x]", i ? ", " : "", i);
    for (int o = 0; o < ufunc->noutputs && ufunc->noutputs > 1; o++)
        mnp__text_add(text, ", z%d[threadIdx.x]", o);
    mnp__text_add(text, ");\n}\n");
    return true;
}

static void check_type(mnp_dtype dtype)
{
    mnp__text text = MNP__TEXT_EMPTY;
    int count = 0;
    mnp__text_add(&text, "#include \"maniple/math.h\"\n");
    for (const mnp__ufunc *ufunc = mnp__ufuncs; ufunc->name; ufunc++)
        count += add_call(ufunc, dtype, &text);
    if (ok(mnp__text_status(&text) == MNP_OK && count > 20, "%d functions of %s", count, mnp_dtype_name(dtype)))
        check_kernel(&(kernel_case){.file = "custom/raw.cu",
                                    .function = "use_equal",
                                    .generated = mnp__text_string(&text),
                                    .options = "--fmad=false"});
    mnp__text_free(&text);
}

static void run(void)
{
    for (size_t i = 0; i < sizeof tested / sizeof *tested; i++)
        check_type(tested[i]);
}

int main(void)
{
    with_compilers(OLDEST_GPU, run);
    return done_testing();
}
