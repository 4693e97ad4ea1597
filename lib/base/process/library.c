/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading of libraries when they are first needed. */
#include <config.h>

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/process/library.h"
#include "base/status.h"

static mnp_status load(void **library_p, const char *file, const char *const *names, int count, void *functions)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "cannot load a library: %s", dlerror());
    for (int i = 0; i < count; i++) {
        void *found = dlsym(library, names[i]);
        if (!found) {
            dlclose(library);
            return MNP_FAIL(MNP_ERR_UNSUPPORTED, "the library %s has no %s", file, names[i]);
        }
        memcpy((char *)functions + (size_t)i * sizeof found, &found, sizeof found);
    }
    *library_p = library;
    return MNP_OK;
}

mnp_status mnp__library_load(void **library_p, const char *file, const char *const *names, int count, void *functions)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    mnp_status st = *library_p ? MNP_OK : load(library_p, file, names, count, functions);
    pthread_mutex_unlock(&lock);
    return st;
}
