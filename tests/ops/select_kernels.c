/*
 * All kernels of selecting compile for the oldest and the newest GPU that we care about.  Needs no GPU.
 */
#include <config.h>

#include "../tap.h"

#ifdef HAVE_CUDA

#include "jit/jit.h"

#define UNIT(type) "#define MNP_UNIT " type "\n"

/* A scatter as lib/ops/put.c writes it for add.at of float16. */
static const char add_at[] =
    "#include \"maniple/math.h\"\ntypedef mnp_float16 mnp_element;\ntypedef float mnp_value;\n"
    "enum { mnp_last_alone = 0 };\n"
    "MNP_INLINE void mnp_apply(mnp_element &x, mnp_value value)\n{\n"
    "    x = mnp_to<mnp_element>::from(mnp_add(mnp_to<float>::from(x), value));\n}\n";

static const char assign[] = "typedef mnp_complex128 mnp_element, mnp_value;\nenum { mnp_last_alone = 1 };\n"
                             "MNP_INLINE void mnp_apply(mnp_element &x, mnp_value value)\n{\n    x = value;\n}\n";

static const mnp__kernel_spec specs[] = {
    {.file = "indexed.cu", .function = "move_indexed", .defines = UNIT("uint8_t")},
    {.file = "indexed.cu", .function = "move_indexed", .defines = UNIT("uint64_t")},
    {.file = "indexed.cu", .function = "move_indexed", .defines = UNIT("mnp_sixteen")},
    {.file = "compact.cu", .function = "compact", .defines = UNIT("uint16_t")},
    {.file = "compact.cu", .function = "compact", .defines = UNIT("mnp_complex128")},
    {.file = "owners.cu", .function = "find_owners", .defines = "#define MNP_KEY uint8_t\n"},
    {.file = "owners.cu", .function = "find_owners", .defines = "#define MNP_KEY uint32_t\n"},
    {.file = "scatter.cu", .function = "scatter", .defines = "", .generated = assign},
    {.file = "scatter.cu", .function = "scatter", .defines = "", .generated = add_at, .nvrtc_options = "--fmad=false"},
};

static void compile_all(const mnp__compiler *compiler, int architecture)
{
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        mnp__binary binary = {NULL, 0, NULL, 0};
        char *source = NULL;
        mnp_status st = mnp__jit_source(&specs[i], &source);
        if (st == MNP_OK)
            st = compiler->compile(compiler, &specs[i], source, &binary);
        if (!ok(st == MNP_OK, "%s, number %zu, compiles for sm_%d", specs[i].file, i, architecture))
            printf("# %s\n", mnp_error_message());
        mnp__binary_free(&binary);
        free(source);
    }
}

static void kernels_compile(void)
{
    static const int architectures[] = {80, 90};
    mnp__config config;
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return;
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        mnp__compiler *compiler = NULL;
        const int architecture = architectures[i];
        if (ok(mnp__nvrtc_new(&config, architecture / 10, architecture % 10, &compiler) == MNP_OK, "NVRTC for sm_%d",
               architecture))
            compile_all(compiler, architecture);
        mnp__nvrtc_free(compiler);
    }
    mnp__config_free(&config);
}

#else

static void kernels_compile(void)
{
    skip("kernels compile for GPUs", "built without CUDA");
}

#endif

int main(void)
{
    kernels_compile();
    return done_testing();
}
