/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple info: what a file holds (info_file.c), or ranks, hosts, devices and how they are linked, libraries, the
 * kernel cache and the settings, as text or as JSON.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include <maniple.h>

#include "canvas/canvas.h"
#include "canvas/png.h"
#include "common/command.h"
#include "report/json.h"
#include "picture/drawing.h"
#include "common/options.h"
#include "report/report.h"
#include "common/words.h"
#include "info_file.h"

enum { OPTION_RANKS = UCHAR_MAX + 1, OPTION_MESH, OPTION_AXES, OPTION_CYCLIC, OPTION_ORDER, OPTION_REPLICATE };

static const option_row options[] = {
    {'j', "json", NULL,
     "print JSON: everything, or with FILE what it holds, with --settings\n"
     "the settings, with --layout the boxes"},
    {'s', "settings", NULL, "print the settings from the environment, with their current values"},
    {'l', "layout", "SHAPE", "draw which rank owns what of an array of that shape, such as 4096x4096"},
    {OPTION_RANKS, "ranks", "N", "with --layout: for N ranks (default: the ranks that run)"},
    {OPTION_MESH, "mesh", "PxQ",
     "arrange the ranks as that grid; 0: chosen (default: the mesh\n"
     "that Maniple chooses for a new array)"},
    {OPTION_AXES, "axes", "A,B",
     "the mesh axis that cuts each dimension, or '-'\n"
     "(default: the first axis the first dimension, and so on)"},
    {OPTION_CYCLIC, "cyclic", "NBxNB", "deal each dimension out in blocks of NB; 0: cut it into parts"},
    {OPTION_ORDER, "order", "1,0", "the order in which blocks are stored, the slowest dimension first"},
    {OPTION_REPLICATE, "replicate", NULL, "every rank owns everything"},
    {'h', "help", NULL, "show this"},
    {0},
};

void info_help(void)
{
    puts("Usage: maniple info FILE [--json]\n"
         "       maniple info [OPTION...]\n"
         "       mpirun -n RANKS maniple info [OPTION...]\n"
         "       maniple info --layout SHAPE [--ranks N] [OPTION...]\n"
         "\n"
         "Show what FILE holds, an HDF5 file, FILE.npy, FILE.png, FILE.tif, FILE.fits or FILE.mtx: groups, shapes\n"
         "and types of datasets, attributes, sparse matrices; or of FILE:/OBJECT alone, in an HDF5 file.\n"
         "\n"
         "Or show where Maniple would run: ranks, hosts, devices, the links between GPUs, the versions\n"
         "of the libraries, and the cache of compiled kernels.  Or draw how an array would be spread.\n"
         "\n"
         "Options:");
    options_print(options);
}

static const words_row words_table[] = {
    {"nranks", "--ranks"},
    {"of the mesh", "of --mesh"},
    {"the order", "--order"},
    {"an array of this shape", "an array of --layout"},
    {NULL, NULL},
};

typedef struct everything {
    mnp_ctx *ctx;
    mnp_rank_info *ranks;
    mnp_link_info *links;
    mnp_cache_info cache;
} everything;

/* ---- text ---- */

static void print_devices(const everything *all)
{
    int size = mnp_ctx_size(all->ctx);
    bool gpus = all->ranks[0].device_index >= 0;
    int host_width = 4, device_width = 6;
    for (int r = 0; r < size; r++) {
        int host = (int)strlen(all->ranks[r].host), device = (int)strlen(all->ranks[r].device);
        host_width = host > host_width ? host : host_width;
        device_width = device > device_width ? device : device_width;
    }
    printf("\n%4s  %-*s  %-*s  %s  %s\n", "rank", host_width, "host", device_width + (gpus ? 3 : 0), "device",
           gpus ? "capability  multiprocessors" : "threads", "memory free of total");
    for (int r = 0; r < size; r++) {
        const mnp_rank_info *rank = &all->ranks[r];
        char available[BYTES_TEXT], total[BYTES_TEXT];
        printf("%4d  %-*s  ", rank->rank, host_width, rank->host);
        if (gpus)
            printf("%d: %-*s  %7d.%-2d  %15d", rank->device_index, device_width, rank->device, rank->capability_major,
                   rank->capability_minor, rank->multiprocessors);
        else
            printf("%-*s  %7d", device_width, rank->device, rank->multiprocessors);
        printf("  %s of %s%s\n", bytes_text(rank->memory_free, available), bytes_text(rank->memory_total, total),
               rank->ranks_on_device > 1 ? ", shared with other ranks" : "");
    }
}

static void print_links(const everything *all)
{
    int size = mnp_ctx_size(all->ctx);
    if (size < 2 || all->ranks[0].device_index < 0)
        return;
    printf("\nlinks between the ranks' devices\n    ");
    for (int column = 0; column < size; column++)
        printf(" %8d", column);
    for (int row = 0; row < size; row++) {
        printf("\n%4d", row);
        for (int column = 0; column < size; column++)
            printf(" %8s", all->links[row * size + column].name);
    }
    putchar('\n');
}

static void print_versions(const mnp_version_info *versions)
{
    int width = 0;
    for (const mnp_version_info *v = versions; v->name; v++)
        width = (int)strlen(v->name) > width ? (int)strlen(v->name) : width;
    printf("\nlibraries\n");
    for (const mnp_version_info *v = versions; v->name; v++)
        printf("  %-*s  %s\n", width, v->name, v->version);
    printf("  %-*s  %s\n", width, "HDF5", mnp_h5_version());
    printf("  %-*s  %s\n", width, "cairo", canvas_cairo_version() ? canvas_cairo_version() : "not found");
    printf("  %-*s  %s\n", width, "libpng", png_supported() ? "found" : "not found");
}

static void print_heap(mnp_ctx *ctx)
{
    mnp_heap_info heap;
    char space[BYTES_TEXT], unit[BYTES_TEXT], limit[BYTES_TEXT];
    mnp_memory_heap(ctx, &heap);
    printf("\narrays' memory\n  ");
    if (heap.shared)
        printf("shared by %d ranks", heap.ranks);
    else
        printf("every rank's own");
    if (heap.space > 0)
        printf("; a rank has %s of address space, in units of %s", bytes_text(heap.space, space),
               bytes_text(heap.unit, unit));
    if (heap.limit > 0)
        printf("; at most %s a rank", bytes_text(heap.limit, limit));
    putchar('\n');
}

static void print_text(const everything *all)
{
    printf("Maniple %d.%d.%d on ", MNP_VERSION_MAJOR, MNP_VERSION_MINOR, MNP_VERSION_PATCH);
    print_where(all->ctx, all->ranks);
    print_devices(all);
    print_links(all);
    print_heap(all->ctx);
    print_versions(mnp_ctx_versions(all->ctx));
    char bytes[BYTES_TEXT];
    printf("\nkernel cache\n  %s, %" PRId64 " file%s, %s\n", all->cache.path, all->cache.files,
           all->cache.files == 1 ? "" : "s", bytes_text(all->cache.bytes, bytes));
}

static void print_settings(const mnp_setting_info *setting)
{
    for (; setting->name; setting++)
        printf("%s = %s\n    %s (default: %s)\n", setting->name, *setting->value ? setting->value : "nothing",
               setting->help, *setting->fallback ? setting->fallback : "nothing");
}

/* ---- JSON ---- */

static void json_settings(json_writer *j, const char *name, const mnp_setting_info *setting)
{
    json_open(j, name, '[');
    for (; setting->name; setting++) {
        json_row(j, NULL, '{');
        json_text(j, "name", setting->name);
        json_text(j, "value", setting->value);
        json_text(j, "default", setting->fallback);
        json_text(j, "help", setting->help);
        json_close(j);
    }
    json_close(j);
}

static void json_ranks(json_writer *j, const everything *all)
{
    json_open(j, "ranks", '[');
    for (int r = 0; r < mnp_ctx_size(all->ctx); r++) {
        const mnp_rank_info *rank = &all->ranks[r];
        json_row(j, NULL, '{');
        json_integer(j, "rank", rank->rank);
        json_integer(j, "node", rank->node);
        json_text(j, "host", rank->host);
        json_text(j, "device", rank->device);
        json_integer(j, "device_index", rank->device_index);
        json_integer(j, "ranks_on_device", rank->ranks_on_device);
        json_integers(j, "capability", 2, (const int64_t[]){rank->capability_major, rank->capability_minor});
        json_integer(j, "multiprocessors", rank->multiprocessors);
        json_integer(j, "memory_free", rank->memory_free);
        json_integer(j, "memory_total", rank->memory_total);
        json_close(j);
    }
    json_close(j);
}

static void json_links(json_writer *j, const everything *all)
{
    const int size = mnp_ctx_size(all->ctx);
    json_open(j, "links", '[');
    for (int row = 0; row < size; row++) {
        json_row(j, NULL, '[');
        for (int column = 0; column < size; column++)
            json_text(j, NULL, all->links[row * size + column].name);
        json_close(j);
    }
    json_close(j);
}

static void json_heap(json_writer *j, mnp_ctx *ctx)
{
    mnp_heap_info heap;
    mnp_memory_heap(ctx, &heap);
    json_row(j, "heap", '{');
    json_bool(j, "shared", heap.shared);
    json_integer(j, "ranks", heap.ranks);
    json_integer(j, "space", heap.space);
    json_integer(j, "unit", heap.unit);
    json_integer(j, "limit", heap.limit);
    json_close(j);
}

static void json_libraries(json_writer *j, mnp_ctx *ctx)
{
    json_open(j, "libraries", '{');
    for (const mnp_version_info *v = mnp_ctx_versions(ctx); v->name; v++)
        json_text(j, v->name, v->version);
    json_text(j, "HDF5", mnp_h5_version());
    json_text(j, "cairo", canvas_cairo_version() ? canvas_cairo_version() : "not found");
    json_text(j, "libpng", png_supported() ? "found" : "not found");
    json_close(j);
}

static void print_json(const everything *all)
{
    char version[32];
    json_writer j = json_start(stdout);
    snprintf(version, sizeof version, "%d.%d.%d", MNP_VERSION_MAJOR, MNP_VERSION_MINOR, MNP_VERSION_PATCH);
    json_open(&j, NULL, '{');
    json_text(&j, "version", version);
    json_text(&j, "device", mnp_ctx_device_kind(all->ctx));
    json_text(&j, "transport", mnp_ctx_transport(all->ctx));
    json_ranks(&j, all);
    json_links(&j, all);
    json_heap(&j, all->ctx);
    json_libraries(&j, all->ctx);
    json_row(&j, "cache", '{');
    json_text(&j, "path", all->cache.path);
    json_integer(&j, "files", all->cache.files);
    json_integer(&j, "bytes", all->cache.bytes);
    json_close(&j);
    json_settings(&j, "settings", mnp_ctx_settings(all->ctx));
    json_close(&j);
}

/* ---- */

static void show_everything(mnp_ctx *ctx, bool json)
{
    everything all = {.ctx = ctx};
    OR_EXIT(rank_infos(ctx, &all.ranks, &all.links));
    OR_EXIT(mnp_agree(ctx, mnp_ctx_cache(ctx, &all.cache)));
    if (mnp_ctx_rank(ctx) == 0) {
        if (json)
            print_json(&all);
        else
            print_text(&all);
    }
    free(all.ranks);
    free(all.links);
}

static void show_settings(mnp_ctx *ctx, bool as_json)
{
    json_writer j = json_start(stdout);
    if (mnp_ctx_rank(ctx) != 0)
        return;
    if (as_json)
        json_settings(&j, NULL, mnp_ctx_settings(ctx));
    else
        print_settings(mnp_ctx_settings(ctx));
}

int info_main(int argc, char **argv)
{
    bool json = false, settings = false;
    drawing d = {0};
    words_set(words_table);
    for (int key; (key = options_next(argc, argv, options)) != OPTIONS_END;) {
        switch (key) {
        case 'j':
            json = true;
            break;
        case 's':
            settings = true;
            break;
        case 'l':
            d.shape = optarg;
            break;
        case OPTION_RANKS:
            d.ranks = optarg;
            break;
        case OPTION_MESH:
            d.mesh = optarg;
            break;
        case OPTION_AXES:
            d.axes = optarg;
            break;
        case OPTION_CYCLIC:
            d.cyclic = optarg;
            break;
        case OPTION_ORDER:
            d.order = optarg;
            break;
        case OPTION_REPLICATE:
            d.is_replicated = true;
            break;
        default:
            misused_exit();
        }
    }
    if (argc - optind > 1) {
        mnp_fail(MNP_ERR_ARG, "info takes one FILE, but was also given '%s'", argv[optind + 1]);
        misused_exit();
    }
    if (optind < argc && (settings || d.shape)) {
        mnp_fail(MNP_ERR_ARG, "%s is not about a FILE, but '%s' was given", settings ? "--settings" : "--layout",
                 argv[optind]);
        misused_exit();
    }
    if (!d.shape && (d.ranks || d.mesh || d.axes || d.cyclic || d.order || d.is_replicated)) {
        mnp_fail(MNP_ERR_ARG, "--ranks, --mesh, --axes, --cyclic, --order and --replicate go with --layout SHAPE");
        misused_exit();
    }
    if (d.shape && settings) {
        mnp_fail(MNP_ERR_ARG, "--settings and --layout ask for two different things");
        misused_exit();
    }
    if (d.shape) {
        d.is_json = json;
        return drawing_main(&d);
    }
    if (optind < argc)
        return info_file(argv[optind], json);
    mnp_ctx *ctx = command_begin(NULL);
    if (settings)
        show_settings(ctx, json);
    else
        show_everything(ctx, json);
    int status = close_output(EXIT_SUCCESS);
    mnp_finalize(ctx);
    return status;
}
