/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a file in the kernel cache.  The key, the names and the code follow it. */
#ifndef MNP__JIT_CACHE_H
#define MNP__JIT_CACHE_H

#include <stdint.h>

#define MNP__CACHE_MAGIC "MNPKERN2" /* the last character is the format's version */

typedef struct mnp__cache_header {
    char magic[8];
    uint64_t key_size, names_size, code_size; /* of the three parts that follow */
    uint64_t hash;                            /* hash of names and code */
} mnp__cache_header;

#endif
