/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple doctor: the LAPACK of the host, and whether OpenBLAS knows the processor.
 *
 * OpenBLAS has code for many processors, and takes the one for the processor that it finds.  One that is newer than
 * itself it may take for a very old one, and then computes with vectors of two numbers where the processor has four or
 * eight.  Which code it took it says by the name of a core.
 */
#include "doctor/doctor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* What a rank found, from the best to the worst. */
enum { KNOWN, OTHER_LIBRARY, NO_LIBRARY, ONE_CORE, OLD_CORE };

/* What OpenBLAS says; empty where it is another library */
typedef struct openblas {
    char core[64], config[256];
} openblas;

static bool has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* The core of that processor with AVX2 for OPENBLAS_CORETYPE, which OpenBLAS has had since 2013 or 2018. */
static const char *core_advice(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        return "set OPENBLAS_CORETYPE=SkylakeX, or install an OpenBLAS that is newer than the processor";
#endif
    return "set OPENBLAS_CORETYPE=Haswell, or install an OpenBLAS that is newer than the processor";
}

/* Whether the code for that core does without AVX2; of names that are not here it is not known. */
static bool is_old(const char *core)
{
    static const char *const old[] = {"Generic",   "Katmai", "Coppermine",  "Northwood",  "Prescott",
                                      "Banias",    "Core2",  "Penryn",      "Dunnington", "Nehalem",
                                      "Atom",      "Nano",   "Athlon",      "Opteron",    "Opteron_SSE3",
                                      "Barcelona", "Bobcat", "Sandybridge", "Bulldozer",  "Piledriver"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        if (strcmp(core, old[i]) == 0)
            return true;
    return false;
}

/* Ask the function of that name, if the library has it. */
static void ask(void *library, const char *name, char *answer, size_t room)
{
    char *(*function)(void) = NULL;
    *(void **)&function = dlsym(library, name);
    const char *said = function ? function() : NULL;
    snprintf(answer, room, "%s", said ? said : "");
}

/* Load the library as the runtime does, and ask what it is. */
static int look(openblas *found)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return NO_LIBRARY;
    ask(library, "openblas_get_corename", found->core, sizeof found->core);
    ask(library, "openblas_get_config", found->config, sizeof found->config);
    dlclose(library);
    if (!found->core[0])
        return OTHER_LIBRARY;
    if (!has_avx2() || !is_old(found->core))
        return KNOWN;
    return strstr(found->config, "DYNAMIC_ARCH") ? OLD_CORE : ONE_CORE;
}

void doctor_look_at_lapack(doctor *d)
{
    openblas found = {.core = ""};
    double all[d->ranks];
    doctor_gather(d, look(&found), all);
    int worst = 0;
    for (int r = 1; r < d->ranks; r++)
        worst = all[r] > all[worst] ? r : worst;
    mnp_mpi_begin(d->ctx, "looking at LAPACK");
    MPI_Bcast(&found, sizeof found, MPI_BYTE, worst, mnp_ctx_comm(d->ctx));
    mnp_mpi_end(d->ctx);
    const char *version = strncmp(found.config, "OpenBLAS ", 9) == 0 ? found.config + 9 : "";
    const int length = (int)strcspn(version, " ");
    switch ((int)all[worst]) {
    case NO_LIBRARY:
        doctor_say(d, "LAPACK", FINE, NULL,
                   "rank %d has neither libopenblas.so.0 nor liblapack.so.3: on CPUs there are no factorisations, "
                   "eigenvalues and products of floats",
                   worst);
        break;
    case OTHER_LIBRARY:
        doctor_say(d, "LAPACK", FINE, NULL, "rank %d has liblapack.so.3, which is not OpenBLAS", worst);
        break;
    case ONE_CORE:
        doctor_say(d, "LAPACK", SLOW, "install an OpenBLAS that was built for all processors, by DYNAMIC_ARCH=1",
                   "OpenBLAS %.*s on rank %d was built for %s alone, and the processor has AVX2", length, version,
                   worst, found.core);
        break;
    case OLD_CORE:
        doctor_say(d, "LAPACK", SLOW, core_advice(),
                   "OpenBLAS %.*s on rank %d takes the processor for %s, and computes without its AVX2", length,
                   version, worst, found.core);
        break;
    default:
        doctor_say(d, "LAPACK", FINE, NULL, "OpenBLAS %.*s takes the processor for %s", length, version, found.core);
    }
}
