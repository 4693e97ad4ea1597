/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How functions report errors: the one that finds an error records it with MNP_FAIL, the others return it with MNP_TRY,
 * which programs have too.
 */
#ifndef MNP__BASE_STATUS_H
#define MNP__BASE_STATUS_H

#include <stddef.h>

#include <maniple/base.h>

#include "base/call.h"

enum { MNP__MESSAGE_BYTES = 8192 }; /* of the longest message; of longer ones the middle is left out */

/* Record the message of an error, with the line of the source that found it; returns `status`. */
#define MNP_FAIL(status, ...) mnp__fail((status), __FILE__, __LINE__, __func__, __VA_ARGS__)

/* Store the status in `st`; if the call fails, go to the cleanup at `label`. */
#define MNP_TRY_OR(call, st, label)                                                                                    \
    do {                                                                                                               \
        (st) = (call);                                                                                                 \
        if ((st) != MNP_OK)                                                                                            \
            goto label;                                                                                                \
    } while (0)

mnp_status mnp__fail(mnp_status status, const char *file, int line, const char *function, const char *format, ...)
    __attribute__((format(printf, 5, 6), cold));

/* Prepend text to the recorded message: what was being done when the error occurred. */
mnp_status mnp__fail_context(mnp_status status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* A message without the name of a public function at its beginning. */
const char *mnp__without_function(const char *message);

/* malloc, calloc and strdup that record an error; a size of 0 gives a pointer that can be freed. */
mnp_status mnp__malloc(size_t size, void *pointer_p);
mnp_status mnp__calloc(size_t count, size_t size, void *pointer_p);
mnp_status mnp__strdup(const char *string, char **copy_p);
mnp_status mnp__copy_text(const char *text, const char **copy_p); /* the same of a text that may be NULL */

#endif
