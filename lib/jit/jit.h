/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run-time compilation: from a kernel's source and definitions to binary code, kept in a cache on disk.
 *
 * A kernel is one file of kernels/, the same for both compilers (see docs/architecture.md): NVRTC gives a cubin, the
 * host's C++ compiler a shared object.  What is compiled is one text, with every #include of ours written out.  The
 * cache's key is that text together with the target, the options and the compiler's version.
 *
 * A raw module is a CUDA source of the user's, which NVRTC compiles as it is.  For the host it is rewritten:
 * raw_host.c.
 */
#ifndef MNP__JIT_H
#define MNP__JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/dtype.h>

#include "base/config.h"
#include "base/text.h"

/* The files of kernels/ as they travel in the library; the last name is NULL.  Generated: build-aux/embed. */
struct mnp__kernel_source {
    const char *name; /* such as "signal/conv_direct.cu" */
    const char *text;
};
extern const struct mnp__kernel_source mnp__kernel_sources[];

/* Which code is wanted. */
typedef struct mnp__kernel_spec {
    const char *file;      /* in kernels/, such as "signal/conv_direct.cu" */
    const char *function;  /* its entry point, with C linkage; of a raw module, its name */
    const char *defines;   /* "#define ..." lines that come before the source; never NULL */
    size_t shared_bytes;   /* dynamic shared memory of a CUDA block; ignored on the host */
    const char *generated; /* what the file's line #include "generated" stands for; NULL where it has none */
    const char *nvrtc_options, *host_options; /* more options for either compiler, separated by spaces; NULL: none */
    bool raw; /* a raw module: functions in CUDA's own form, launched with a list of arguments */
    const char *const *name_expressions; /* of a raw module: NULL, or a list that ends with NULL */
} mnp__kernel_spec;

/* What a compiler makes of it. */
typedef struct mnp__binary {
    void *code;
    size_t size;
    char *names; /* pairs of a name expression and its name in the code, each ended by NUL */
    size_t names_size;
} mnp__binary;

void mnp__binary_free(mnp__binary *binary);

/* The name in the code of a name expression; NULL if it is none. */
const char *mnp__binary_name(const mnp__binary *binary, const char *expression);

/* A compiler for one target. */
typedef struct mnp__compiler {
    const char *name;     /* "nvrtc" or "host", part of the cache's file names */
    const char *target;   /* what it compiles for, in a few words for people: "sm_90" */
    const char *identity; /* target architecture, compiler and version, options: part of the cache's key */
    const mnp__config *config;
    /*
     * Compile `source`, the text of mnp__jit_source().  MNP_ERR_COMPILE with the compiler's words and the source's
     * lines.  Sets *binary only on success.
     */
    mnp_status (*compile)(const struct mnp__compiler *self, const mnp__kernel_spec *spec, const char *source,
                          mnp__binary *binary);
    /* NULL, or what a raw module becomes before it is compiled; *rewritten_p is malloc'ed. */
    mnp_status (*rewrite)(const mnp__kernel_spec *spec, const char *source, char **rewritten_p);
} mnp__compiler;

/* The name of a dtype in kernel sources (kernels/prelude.h). */
const char *mnp__jit_type(mnp_dtype dtype);

/*
 * The source text of a spec: its definitions, then its file with our #include lines written out.  *text_p is malloc'ed.
 */
mnp_status mnp__jit_source(const mnp__kernel_spec *spec, char **text_p);

/*
 * The binary of a spec, from the cache or compiled now; release it with mnp__binary_free().  Ranks that want the same
 * kernel at the same time compile it once.  A cache that cannot be written costs a warning, a damaged file is made
 * anew.
 */
mnp_status mnp__jit_binary(const mnp__compiler *compiler, const mnp__kernel_spec *spec, mnp__binary *binary);

/*
 * Append path and hash of each header that the text includes by a -I option or from the working folder, and of what
 * they include.
 */
mnp_status mnp__jit_append_headers(mnp__text *key, const char *source, const char *options);

/* The options for NVRTC that another compiler knows too: -D, -U, -I and --std; malloc'ed. */
mnp_status mnp__jit_common_options(const char *options, char **common_p);

/* The cache's folder (malloc'ed), and how many files and bytes it holds. */
mnp_status mnp__jit_cache_path(const mnp__config *config, char **path_p);
mnp_status mnp__jit_cache_usage(const char *path, int64_t *files_p, int64_t *bytes_p);

/*
 * What is in it, in the order of the names, malloc'ed; and removing it.  A folder that is not there is empty.
 * MNP_ERR_IO.
 */
mnp_status mnp__jit_cache_list(const char *path, mnp_cache_entry **entries_p, int64_t *count_p);
mnp_status mnp__jit_cache_clear(const char *path, int64_t *files_p, int64_t *bytes_p);

/*
 * An MNP_ERR_COMPILE with the compiler's words and the source lines they speak of, numbered as #line has it; for
 * compilers.
 */
mnp_status mnp__jit_compile_error(const char *compiler, const mnp__kernel_spec *spec, const char *words,
                                  const char *source);

/* The host's compiler; free with mnp__host_compiler_free().  MNP_ERR_UNSUPPORTED if there is none. */
mnp_status mnp__host_compiler_new(const mnp__config *config, mnp__compiler **compiler_p);
void mnp__host_compiler_free(mnp__compiler *compiler);

/*
 * A raw module as the host's compiler takes it: every kernel gets an entry of kernels/custom/raw_params.h behind it.
 * MNP_ERR_UNSUPPORTED, naming the line, if its threads meet, which they cannot on the host.
 */
mnp_status mnp__jit_rewrite_for_host(const mnp__kernel_spec *spec, const char *source, char **rewritten_p);

#ifdef HAVE_CUDA
/* NVRTC for compute capability major.minor; needs no GPU.  Free with mnp__nvrtc_free(). */
mnp_status mnp__nvrtc_new(const mnp__config *config, int major, int minor, mnp__compiler **compiler_p);
void mnp__nvrtc_free(mnp__compiler *compiler);
#endif

#endif
