/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How functions fail: the one that finds the error records it with MNP_FAIL, the others pass it up with MNP_TRY.
 */
#ifndef MNP__BASE_STATUS_H
#define MNP__BASE_STATUS_H

#include <stddef.h>

#include <maniple/base.h>

/* Record one sentence about an error with the place that found it; gives `status`. */
#define MNP_FAIL(status, ...) mnp__fail((status), __FILE__, __LINE__, __func__, __VA_ARGS__)

/* Pass a failure up.  Nothing may be owned here yet. */
#define MNP_TRY(call)                                                                                                  \
    do {                                                                                                               \
        mnp_status mnp_try_ = (call);                                                                                  \
        if (mnp_try_ != MNP_OK)                                                                                        \
            return mnp_try_;                                                                                           \
    } while (0)

/* Keep the status in `st` and, on failure, go to the cleanup at `label`. */
#define MNP_TRY_OR(call, st, label)                                                                                    \
    do {                                                                                                               \
        (st) = (call);                                                                                                 \
        if ((st) != MNP_OK)                                                                                            \
            goto label;                                                                                                \
    } while (0)

mnp_status mnp__fail(mnp_status status, const char *file, int line, const char *function, const char *format, ...)
    __attribute__((format(printf, 5, 6), cold));

/* Put words in front of the sentence recorded last: what was being done when it happened. */
mnp_status mnp__fail_context(mnp_status status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* malloc and calloc that report; a size of 0 gives a pointer that can be freed. */
mnp_status mnp__malloc(size_t size, void *pointer_p);
mnp_status mnp__calloc(size_t count, size_t size, void *pointer_p);
mnp_status mnp__strdup(const char *string, char **copy_p);

#endif
