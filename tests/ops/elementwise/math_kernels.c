/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All functions of kernels/math.h compile for GPUs, in every kind of type that they are computed in.  Needs no GPU.
 */
#include <config.h>

#include "tests/tap.h"

#ifdef HAVE_CUDA

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/jit.h"
#include "ops/elementwise/ufunc.h"

/* Types that stand for others, as templates serve these alike. */
static const mnp_dtype tested[] = {MNP_BOOL,    MNP_INT8,    MNP_UINT64,    MNP_FLOAT16,   MNP_BFLOAT16,
                                   MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX64, MNP_COMPLEX128};

/* A kernel that calls `ufunc` on elements of that type, if it is computed in it. */
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

static mnp_status compile_all(const mnp__compiler *compiler, mnp_dtype dtype, int *count_p)
{
    const mnp__kernel_spec spec = {
        .file = "math.h", .function = "use_equal", .defines = "", .nvrtc_options = "--fmad=false"};
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__binary binary = {0};
    char *header = NULL;
    mnp_status st = mnp__jit_source(&spec, &header);
    *count_p = 0;
    if (st != MNP_OK)
        return st;
    mnp__text_add(&text, "%s", header);
    for (const mnp__ufunc *ufunc = mnp__ufuncs; ufunc->name; ufunc++)
        *count_p += add_call(ufunc, dtype, &text);
    st = mnp__text_status(&text);
    if (st == MNP_OK)
        st = compiler->compile(compiler, &spec, text.data, &binary);
    mnp__binary_free(&binary);
    mnp__text_free(&text);
    free(header);
    return st;
}

int main(void)
{
    mnp__config config;
    mnp__compiler *compiler;
    int count;
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return done_testing();
    if (ok(mnp__nvrtc_new(&config, 8, 0, &compiler) == MNP_OK, "NVRTC")) {
        for (size_t i = 0; i < sizeof tested / sizeof *tested; i++) {
            mnp_status st = compile_all(compiler, tested[i], &count);
            if (!ok(st == MNP_OK && count > 20, "%d functions of %s", count, mnp_dtype_name(tested[i])))
                printf("# %.3000s\n", mnp_error_message());
        }
        mnp__nvrtc_free(compiler);
    }
    mnp__config_free(&config);
    return done_testing();
}

#else

int main(void)
{
    return skip_all("built without CUDA");
}

#endif
