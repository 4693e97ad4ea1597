/*
 * Run-time compilation: from a kernel's source and definitions to binary code, kept in a cache on disk.
 *
 * A kernel is one file of kernels/, the same for both compilers (see docs/architecture.md): NVRTC gives a
 * cubin, the host's C++ compiler a shared object.  What is compiled is one text, with every #include of ours written out.
 * The cache's key is that text together with the target, the options and the compiler's version.
 */
#ifndef MNP__JIT_H
#define MNP__JIT_H

#include <stddef.h>
#include <stdint.h>

#include <maniple/dtype.h>

#include "base/config.h"

/* The files of kernels/ as they travel in the library; the last name is NULL.  Generated: build-aux/embed. */
struct mnp__kernel_source {
    const char *name; /* such as "conv_direct.cu" */
    const char *text;
};
extern const struct mnp__kernel_source mnp__kernel_sources[];

/* Which code is wanted. */
typedef struct mnp__kernel_spec {
    const char *file;      /* in kernels/, such as "conv_direct.cu" */
    const char *function;  /* its entry point, with C linkage */
    const char *defines;   /* "#define ..." lines that come before the source; never NULL */
    size_t shared_bytes;   /* dynamic shared memory of a CUDA block; ignored on the host */
} mnp__kernel_spec;

/* A compiler for one target. */
typedef struct mnp__compiler {
    const char *name;          /* "nvrtc" or "host", part of the cache's file names */
    const char *identity;      /* target architecture, compiler and version, options: part of the cache's key */
    const mnp__config *config;
    /* Compile `source`; *binary_p is malloc'ed.  MNP_ERR_COMPILE with the compiler's words and the numbered source. */
    mnp_status (*compile)(const struct mnp__compiler *self, const char *name, const char *source, void **binary_p,
                          size_t *size_p);
} mnp__compiler;

/* The name of a dtype in kernel sources (kernels/prelude.h). */
const char *mnp__jit_type(mnp_dtype dtype);

/* Typical specs of every kernel, for the test that compiles them all; the last file is NULL. */
extern const mnp__kernel_spec mnp__jit_examples[];

/* The source text of a spec: its definitions, then its file with our #include lines written out.  *text_p is malloc'ed. */
mnp_status mnp__jit_source(const mnp__kernel_spec *spec, char **text_p);

/*
 * The binary of a spec, from the cache or compiled now; *binary_p is malloc'ed.  Ranks that want the same kernel at the
 * same time compile it once.  A cache that cannot be written costs a warning, a damaged file is made anew.
 */
mnp_status mnp__jit_binary(const mnp__compiler *compiler, const mnp__kernel_spec *spec, void **binary_p, size_t *size_p);

/* The cache's folder (malloc'ed), and how many files and bytes it holds. */
mnp_status mnp__jit_cache_path(const mnp__config *config, char **path_p);
mnp_status mnp__jit_cache_usage(const char *path, int64_t *files_p, int64_t *bytes_p);

/* An MNP_ERR_COMPILE with the compiler's words and the source lines they speak of, numbered; for compilers. */
mnp_status mnp__jit_compile_error(const char *compiler, const char *name, const char *words, const char *source);

/* The host's compiler; free with mnp__host_compiler_free().  MNP_ERR_UNSUPPORTED if there is none. */
mnp_status mnp__host_compiler_new(const mnp__config *config, mnp__compiler **compiler_p);
void mnp__host_compiler_free(mnp__compiler *compiler);

#ifdef HAVE_CUDA
/* NVRTC for compute capability major.minor; needs no GPU.  Free with mnp__nvrtc_free(). */
mnp_status mnp__nvrtc_new(const mnp__config *config, int major, int minor, mnp__compiler **compiler_p);
void mnp__nvrtc_free(mnp__compiler *compiler);
#endif

#endif
