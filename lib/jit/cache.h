/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to lib/jit: the form of a file in the kernel cache, what is asked of the cache, and the threads that fill it
 * ahead.
 */
#ifndef MNP__JIT_CACHE_H
#define MNP__JIT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "jit/jit.h"

#define MNP__CACHE_MAGIC "MNPKERN2" /* the last character is the format's version */

/* The header of a file in the kernel cache.  The key, the names and the code follow it. */
typedef struct mnp__cache_header {
    char magic[8];
    uint64_t key_size, names_size, code_size; /* of the three parts that follow */
    uint64_t hash;                            /* hash of names and code */
} mnp__cache_header;

/* A kernel that is asked for: its text, everything that its code depends on, and its file in the cache. */
typedef struct mnp__request {
    const mnp__compiler *compiler;
    const mnp__kernel_spec *spec;
    char *source;
    mnp__text key, path;
    uint64_t hash; /* of the key */
    bool cached;   /* there is a cache */
} mnp__request;

/* Complete a request of which compiler and spec are given, to be closed also after a failure. */
mnp_status mnp__request_open(mnp__request *request);
void mnp__request_close(mnp__request *request);

/*
 * Compile a request and add it to the cache, unless another process has meanwhile.  While another one compiles it, wait
 * for its result, or (waits false) leave it to that one: *left_p is then true.
 */
mnp_status mnp__request_compile(const mnp__request *request, bool waits, bool *left_p, mnp__binary *binary);

/* ---- ahead.c: threads that compile what will be asked for ---- */

/*
 * What the threads of a compiler have for a request: true with the binary, for which this may wait; false if they have
 * nothing, and will not have anything.  NULL is accepted by all.
 */
bool mnp__ahead_take(mnp__ahead *ahead, const mnp__request *request, mnp__binary *binary);
bool mnp__ahead_ends(const mnp__ahead *ahead); /* nobody needs what is compiled now */
void mnp__ahead_free(mnp__ahead *ahead);       /* drop what has not been compiled, and end what is being compiled */

#endif
