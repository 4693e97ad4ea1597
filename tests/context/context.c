/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starting and ending, agreement, information, events, and kernels that do not compile.
 */
#include "context/context.h"

#include <maniple.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

static void check_agreement(mnp_ctx *ctx)
{
    int rank = mnp_ctx_rank(ctx), last = mnp_ctx_size(ctx) - 1;
    ok(mnp_agree(ctx, MNP_OK) == MNP_OK, "all is well if every rank says so");
    mnp_status st = mnp_agree(ctx, rank == last ? mnp_fail(MNP_ERR_IO, "the moon is out of reach") : MNP_OK);
    char words[64];
    snprintf(words, sizeof words, "mnp_agree: rank %d: the moon is out of reach", last);
    ok(rank == last ? st == MNP_ERR_IO : st == MNP_ERR_PEER && strcmp(mnp_error_message(), words) == 0,
       "one rank's failure is everybody's, in its own words");
}

static void check_information(mnp_ctx *ctx)
{
    int size = mnp_ctx_size(ctx);
    mnp_rank_info *ranks = calloc((size_t)size, sizeof *ranks);
    mnp_link_info *links = calloc((size_t)(size * size), sizeof *links);
    mnp_cache_info cache;
    bool good = mnp_ctx_info(ctx, ranks, links) == MNP_OK;
    for (int i = 0; good && i < size; i++)
        good = ranks[i].rank == i && ranks[i].device[0] && ranks[i].host[0] && ranks[i].memory_total > 0 &&
               ranks[i].memory_free > 0 && ranks[i].multiprocessors > 0 && links[i * size].name[0];
    ok(good, "every rank is described");
    int versions = 0;
    for (const mnp_version_info *row = mnp_ctx_versions(ctx); row->name; row++)
        versions += row->version[0] != '\0';
    ok(versions >= 4, "%d versions are known", versions);
    good = mnp_ctx_cache(ctx, &cache) == MNP_OK && cache.path[0] && cache.files >= 0;
    ok(good, "the cache is at %s", good ? cache.path : "?");
    free(ranks);
    free(links);
}

static void check_events(mnp_ctx *ctx)
{
    mnp_event *first = NULL, *second = NULL;
    double seconds = -1;
    bool good = mnp_event_new(ctx, &first) == MNP_OK && mnp_event_new(ctx, &second) == MNP_OK &&
                mnp_event_record(first) == MNP_OK && mnp_event_record(second) == MNP_OK &&
                mnp_event_seconds(first, second, &seconds) == MNP_OK;
    ok(good && seconds >= 0, "two events in a row are %g s apart", seconds);
    mnp_event_free(first);
    mnp_event_free(second);
}

static void check_compile_error(mnp_ctx *ctx)
{
    mnp__kernel *kernel = NULL;
    mnp__kernel_spec spec = {.file = "array/copy_boxes.cu",
                             .function = "copy_boxes",
                             .defines = "#define MNP_SRC float\n#define MNP_DST no_such_type\n"};
    mnp_status st = mnp__ctx_kernel(ctx, &spec, &kernel);
    ok(st == MNP_ERR_COMPILE && !kernel && strstr(mnp_error_message(), "no_such_type") &&
           strstr(mnp_error_message(), " | "),
       "a kernel that does not compile is an error with the compiler's words and the line");
    spec.defines = "#define MNP_SRC float\n#define MNP_DST double\n";
    ok(mnp__ctx_kernel(ctx, &spec, &kernel) == MNP_OK && kernel, "and the context goes on");
    mnp__kernel *again = NULL;
    ok(mnp__ctx_kernel(ctx, &spec, &again) == MNP_OK && again == kernel, "a kernel is loaded once");
}

/* One rank's source is wrong: no rank keeps the kernel, and later calls succeed on all ranks. */
static void check_compile_error_on_one_rank(mnp_ctx *ctx)
{
    bool wrong = mnp_ctx_rank(ctx) == mnp_ctx_size(ctx) - 1;
    mnp__kernel *kernel = NULL;
    mnp__kernel_spec good = {.file = "array/copy_boxes.cu",
                             .function = "copy_boxes",
                             .defines = "#define MNP_SRC int8_t\n#define MNP_DST double\n"},
                     spec = good;
    if (wrong)
        spec.defines = "#error on this rank alone\n";
    mnp_status st = mnp__ctx_kernel(ctx, &spec, &kernel);
    ok(st == (wrong ? MNP_ERR_COMPILE : MNP_ERR_PEER) && !kernel,
       "a kernel that one rank cannot compile is an error on all");
    ok(mnp__ctx_kernel(ctx, &good, &kernel) == MNP_OK && kernel && mnp_agree(ctx, MNP_OK) == MNP_OK,
       "and all go on in step");
}

/*
 * One rank has no memory for its definitions, once before the kernel is loaded and once after: all ranks get an error.
 */
static void check_no_text_on_one_rank(mnp_ctx *ctx)
{
    const bool poor = mnp_ctx_rank(ctx) == mnp_ctx_size(ctx) - 1;
    const mnp__kernel_spec spec = {.file = "array/copy_boxes.cu", .function = "copy_boxes"};
    mnp__kernel *kept = NULL;
    for (int round = 0; round < 3; round++) {
        mnp__text defines = MNP__TEXT_EMPTY;
        mnp__kernel *kernel = NULL;
        mnp__text_add(&defines, "#define MNP_SRC double\n#define MNP_DST float\n");
        defines.failed = poor && round != 1;
        mnp_status st = mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel);
        if (round == 1)
            ok(st == MNP_OK && kernel, "with memory it is loaded");
        else
            ok(st == (poor ? MNP_ERR_MEMORY : MNP_ERR_PEER) && !kernel, "no memory for a kernel's text on one rank, %s",
               round == 0 ? "before it is loaded" : "after that");
        kept = kernel ? kernel : kept;
    }
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__kernel *kernel = NULL;
    mnp__text_add(&defines, "#define MNP_SRC double\n#define MNP_DST float\n");
    ok(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel) == MNP_OK && kernel == kept &&
           !mnp__text_has_grown(&defines),
       "a text on the stack finds the same kernel");
}

static void check_refused(const char *options, const char *words)
{
    mnp_ctx *ctx = NULL;
    mnp_status st = mnp_init(MPI_COMM_WORLD, options, &ctx);
    ok(st == MNP_ERR_ARG && !ctx && strstr(mnp_error_message(), words), "refused: %s", mnp_error_message());
}

/* A new context with a profile in that file, and its end; only rank 0 writes the file. */
static bool profile(MPI_Comm comm, const char *file, mnp_ctx **ctx_p)
{
    char options[128];
    snprintf(options, sizeof options, "device=host profile=%s", file);
    return mnp_init(comm, options, ctx_p) == MNP_OK;
}

/* One context of a process is profiled; where only some ranks have one already, the next one on all ranks is not. */
static void check_profiles(void)
{
    mnp_ctx *own = NULL, *all = NULL;
    char first[64], second[64];
    int rank, pid = (int)getpid();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(first, sizeof first, "first-%d.json", pid);
    snprintf(second, sizeof second, "second-%d.json", pid);
    const bool both = (rank > 0 || profile(MPI_COMM_SELF, first, &own)) && profile(MPI_COMM_WORLD, second, &all);
    ok(both, "a context on all ranks while rank 0 alone has one with a profile");
    mnp_finalize(all);
    mnp_finalize(own);
    ok(rank > 0 || (unlink(first) == 0 && unlink(second) != 0), "only the first one is profiled");
    const bool again = profile(MPI_COMM_WORLD, second, &all);
    mnp_finalize(all);
    ok(again && (rank > 0 || unlink(second) == 0), "the next one is, when that has ended");
}

int main(void)
{
    mnp_ctx *ctx, *second;
    MPI_Init(NULL, NULL); /* the program's own: it stays up when a context ends */
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    check_agreement(ctx);
    check_information(ctx);
    check_events(ctx);
    check_compile_error(ctx);
    check_compile_error_on_one_rank(ctx);
    check_no_text_on_one_rank(ctx);
    check_refused("device=quantum", "cuda, host, simulated or auto");
    check_refused("colour=red", "no option");
    ok(mnp_init(MPI_COMM_SELF, "device=host", &second) == MNP_OK && mnp_ctx_size(second) == 1 &&
           strcmp(mnp_ctx_device_kind(second), "host") == 0,
       "a second context, on a smaller communicator and the host");
    mnp_finalize(second);
    mnp_finalize(ctx);
    check_profiles();
    int status = done_testing();
    MPI_Finalize();
    return status;
}
