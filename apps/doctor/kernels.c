/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple doctor: the cache of compiled kernels, and their compiler.
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/command.h"
#include "report/report.h"

/* The name of a file system that several hosts share, by its number in linux/magic.h; NULL: one of this host. */
static const char *shared_file_system(const char *folder)
{
    static const struct {
        unsigned long number;
        const char *name;
    } shared[] = {{0x6969, "NFS"},        {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},    {0x19830326, "BeeGFS"},
                  {0x00c36400, "CephFS"}, {0xff534d42, "CIFS"},   {0x20030528, "OrangeFS"}};
    struct statfs place;
    if (statfs(folder, &place) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (((unsigned long)place.f_type & 0xffffffff) == shared[i].number)
            return shared[i].name;
    return NULL;
}

/* Whether a file can be made in the folder; 0, or errno. */
static int write_error(const char *folder)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/.doctor-XXXXXX", folder) >= (int)sizeof path)
        return ENAMETOOLONG;
    const int file = mkstemp(path);
    if (file < 0)
        return errno;
    const int error = write(file, path, 1) == 1 ? 0 : errno;
    close(file);
    unlink(path);
    return error;
}

static void look_at_cache(doctor *d)
{
    mnp_cache_info cache;
    char bytes[BYTES_TEXT];
    OR_EXIT(mnp_agree(d->ctx, mnp_ctx_cache(d->ctx, &cache)));
    double errors[d->ranks];
    doctor_gather(d, write_error(cache.path), errors);
    int failed = -1;
    for (int r = d->ranks - 1; r >= 0; r--)
        failed = errors[r] != 0 ? r : failed;
    const char *shared = shared_file_system(cache.path);
    if (failed >= 0)
        doctor_say(d, "cache", SLOW, "set MANIPLE_CACHE_DIR to a folder that every rank can write to",
                   "rank %d cannot write to %s (%s), so that kernels are compiled again in every run", failed,
                   cache.path, strerror((int)errors[failed]));
    else
        doctor_say(d, "cache", FINE, NULL, "%s can be written to, %s%s; %lld kernels, %s", cache.path,
                   shared ? "on " : "on a disk of the host", shared ? shared : "", (long long)cache.files,
                   bytes_text(cache.bytes, bytes));
}

/* A kernel of its own, which is in the cache from the second time on. */
static const char source[] = "extern \"C\" __global__ void examine(double *x)\n"
                             "{\n"
                             "    x[0] = 2 * x[0];\n"
                             "}\n";

static mnp_status run_kernel(doctor *d, double *value_p)
{
    mnp_raw_module *module = NULL;
    mnp_raw_kernel *kernel = NULL;
    mnp_array *x = NULL;
    const int64_t shape[] = {d->ranks};
    const double three = 3;
    const mnp_launch launch = {.grid = {1}, .block = {1}};
    mnp_status status = mnp_raw_module_new(d->ctx, source, NULL, &module);
    if (status == MNP_OK)
        status = mnp_raw_module_kernel(module, "examine", &kernel);
    if (status == MNP_OK)
        status = mnp_full(d->ctx, MNP_FLOAT64, 1, shape, &three, &x);
    if (status == MNP_OK)
        status = mnp_raw_kernel_launch(kernel, &launch, MNP_ARGS(MNP_ARG(x)));
    if (status == MNP_OK)
        status = mnp_array_get_local(x, value_p);
    mnp_array_free(x);
    mnp_raw_module_free(module);
    return mnp_agree(d->ctx, status);
}

static void look_at_compiler(doctor *d)
{
    const double before = mnp_ctx_compile_seconds(d->ctx);
    double value = 0;
    const mnp_status status = run_kernel(d, &value);
    double took[d->ranks], values[d->ranks];
    doctor_gather(d, mnp_ctx_compile_seconds(d->ctx) - before, took);
    doctor_gather(d, value, values);
    double slowest = 0;
    int wrong = -1;
    for (int r = 0; r < d->ranks; r++) {
        slowest = took[r] > slowest ? took[r] : slowest;
        wrong = values[r] != 6 ? r : wrong;
    }
    d->compiles = status == MNP_OK;
    if (status != MNP_OK)
        doctor_say(
            d, "compiler", WRONG,
            "on the CPU a C++ compiler must be in PATH where ranks run, or MANIPLE_CXX name one; on GPUs NVRTC must "
            "suit the driver",
            "kernels cannot be compiled: %s", mnp_error_message());
    else if (wrong >= 0)
        doctor_say(d, "compiler", WRONG, "empty the cache (maniple cache --clear), and try again",
                   "a kernel on rank %d computes 2 * 3 = %g", wrong, values[wrong]);
    else
        doctor_say(d, "compiler", slowest > 20 ? SLOW : FINE,
                   "put MANIPLE_CACHE_DIR and TMPDIR on a faster disk, or on one of the host",
                   "a kernel was ready after %.3f s, and computes right", slowest);
}

void doctor_look_at_kernels(doctor *d)
{
    look_at_compiler(d); /* it makes the folder of the cache */
    look_at_cache(d);
}
