/* SPDX-License-Identifier: BSD-3-Clause */
/* The call that runs on this thread, and the sentences about pointers that it refuses. */
#include "base/call.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"

_Thread_local mnp__call mnp__current;

const char *mnp__object_name(unsigned tag)
{
#define MNP__TAG_NAME(type, name)                                                                                      \
    case MNP__TAG_##type:                                                                                              \
        return name;
    switch (tag) {
        MNP__OBJECTS(MNP__TAG_NAME)
    default:
        return "object";
    }
}

mnp_status mnp__refuse_pointer(const char *file, int line, const char *function, const char *name, const void *pointer,
                               unsigned tag)
{
    const char *public = mnp__current.function ? mnp__current.function : function;
    if (!pointer)
        return mnp__fail(MNP_ERR_ARG, file, line, function, "%s: %s is NULL", public, name);
    const char *why = "it was never set, or was freed";
    if (tag == MNP__TAG_OUTPUT)
        return mnp__fail(MNP_ERR_ARG, file, line, function, "%s: *%s is neither NULL nor an array: %s", public, name,
                         why);
    if (tag == MNP__TAG_array && *(const unsigned *)pointer == 0) /* as memory of numbers reads that was given back */
        why = "it was freed, or is a number that its context has forgotten: make it again";
    const char *object = mnp__object_name(tag);
    const bool vowel = *object == 'a' || *object == 'e' || *object == 'o';
    return mnp__fail(MNP_ERR_ARG, file, line, function, "%s: %s is not %s %s: %s", public, name, vowel ? "an" : "a",
                     object, why);
}

mnp_status mnp__refuse_element(const char *file, int line, const char *function, const char *list, int i,
                               const void *pointer, unsigned tag)
{
    char name[64];
    snprintf(name, sizeof name, "%s[%d]", list, i);
    return mnp__refuse_pointer(file, line, function, name, pointer, tag);
}

void mnp__object_free(void *object)
{
    if (object)
        *(volatile unsigned *)object = 0; /* volatile: nothing reads it before it is freed */
    free(object);
}
