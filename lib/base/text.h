/*
 * A string that grows.  Running out of memory is remembered and reported once, by mnp__text_status().
 */
#ifndef MNP__BASE_TEXT_H
#define MNP__BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/base.h>

typedef struct mnp__text {
    char *data; /* NUL-terminated; NULL while empty: use mnp__text_string() */
    size_t length, capacity;
    bool failed;
} mnp__text;

#define MNP__TEXT_EMPTY ((mnp__text){NULL, 0, 0, false})

void mnp__text_add(mnp__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mnp__text_add_bytes(mnp__text *text, const char *bytes, size_t length);
void mnp__text_add_shape(mnp__text *text, int ndim, const int64_t *shape); /* as NumPy prints it: (872, 1000) */
const char *mnp__text_string(const mnp__text *text); /* never NULL */
mnp_status mnp__text_status(const mnp__text *text);
void mnp__text_free(mnp__text *text);

#endif
