/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads FFTW, and keeps its wisdom.
 */
#include <config.h>

#include "device/host/host.h"

#ifdef HAVE_FFTW

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/process/leftovers.h"
#include "base/text.h"
#include "device/host/fftw.h"

static void *find(void *object, const char *prefix, const char *name, bool *all)
{
    char symbol[64];
    stpcpy(stpcpy(stpcpy(symbol, prefix), "_"), name);
    void *found = dlsym(object, symbol);
    *all = *all && found;
    return found;
}

/* Where wisdom is stored. */
static char *wisdom_path(const mnp__config *config, const char *prefix, const char *version)
{
    char processor[128], *folder;
    mnp__text path = MNP__TEXT_EMPTY;
    if (mnp__jit_cache_path(config, &folder) != MNP_OK)
        return NULL;
    mnp__host_processor(processor, sizeof processor);
    const uint64_t hash = mnp__hash(mnp__hash(MNP__HASH_START, processor, strlen(processor)), version, strlen(version));
    mnp__text_add(&path, "%s/%s-%016llx.wisdom", folder, prefix, (unsigned long long)hash);
    free(folder);
    if (mnp__text_status(&path) == MNP_OK)
        return path.data;
    mnp__text_free(&path);
    return NULL;
}

/* Written aside, and put in place; where that is not possible it is found out again. */
void mnp__fftw_save_wisdom(const mnp__fftw *fftw)
{
    char mark[MNP__OWNER_ROOM];
    mnp__text aside = MNP__TEXT_EMPTY;
    if (!fftw->wisdom)
        return;
    mnp__owner_mark(mark);
    mnp__text_add(&aside, "%s%s", fftw->wisdom, mark);
    if (mnp__text_status(&aside) == MNP_OK) {
        mnp__leftover_guard(aside.data);
        if (!fftw->export_wisdom(aside.data) || rename(aside.data, fftw->wisdom) != 0)
            (void)remove(aside.data);
        mnp__leftover_release(aside.data);
    }
    mnp__text_free(&aside);
}

bool mnp__fftw_load(const mnp__config *config, bool is_double, mnp__fftw **library_p)
{
    static mnp__fftw libraries[2];
    mnp__fftw *fftw = &libraries[is_double];
    const char *prefix = is_double ? "fftw" : "fftwf";
    *library_p = fftw;
    if (fftw->loaded)
        return true;
    void *object = dlopen(is_double ? "libfftw3.so.3" : "libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
    bool all = object != NULL;
    if (!object)
        return false;
    *(void **)&fftw->dft = find(object, prefix, "plan_guru64_dft", &all);
    *(void **)&fftw->dft_r2c = find(object, prefix, "plan_guru64_dft_r2c", &all);
    *(void **)&fftw->dft_c2r = find(object, prefix, "plan_guru64_dft_c2r", &all);
    *(void **)&fftw->execute_dft = find(object, prefix, "execute_dft", &all);
    *(void **)&fftw->execute_dft_r2c = find(object, prefix, "execute_dft_r2c", &all);
    *(void **)&fftw->execute_dft_c2r = find(object, prefix, "execute_dft_c2r", &all);
    *(void **)&fftw->destroy_plan = find(object, prefix, "destroy_plan", &all);
    *(void **)&fftw->set_timelimit = find(object, prefix, "set_timelimit", &all);
    *(void **)&fftw->alignment_of = find(object, prefix, "alignment_of", &all);
    *(void **)&fftw->import_wisdom = find(object, prefix, "import_wisdom_from_filename", &all);
    *(void **)&fftw->export_wisdom = find(object, prefix, "export_wisdom_to_filename", &all);
    fftw->version = find(object, prefix, "version", &all);
    fftw->loaded = all;
    if (all) {
        fftw->wisdom = wisdom_path(config, prefix, fftw->version);
        if (fftw->wisdom)
            (void)fftw->import_wisdom(fftw->wisdom); /* 0 where there is none yet */
    }
    return all;
}

#endif
