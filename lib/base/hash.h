/* SPDX-License-Identifier: BSD-3-Clause */
/* FNV-1a with 64 bits: a hash to tell texts and arguments apart.  It is not cryptographic. */
#ifndef MNP__BASE_HASH_H
#define MNP__BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define MNP__HASH_START UINT64_C(14695981039346656037)

/* Hash more data.  `value` is the hash so far; begin with MNP__HASH_START. */
static inline uint64_t mnp__hash(uint64_t value, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * UINT64_C(1099511628211);
    return value;
}

#endif
