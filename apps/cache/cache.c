/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple cache: list the cache of compiled kernels, print its size, clear it, or fill it.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <getopt.h>

#include <maniple.h>

#include "cache/warm.h"
#include "common/command.h"
#include "common/options.h"
#include "report/progress.h"
#include "report/report.h"

static const option_row options[] = {
    {'c', "clear", NULL, "remove all kernels and what was measured, without confirmation"},
    {'w', "warm", "DTYPE,...",
     "compile the kernels of common operations on arrays of these dtypes,\n"
     "such as float32,int64, for the device that programs would use"},
    {'s', "size", NULL, "print only how many kernels and bytes there are, and where"},
    {'j', "json", NULL, "print JSON"},
    {'h', "help", NULL, "show this"},
    {0},
};

void cache_help(void)
{
    puts("Usage: maniple cache [OPTION...]\n"
         "\n"
         "Show the compiled kernels that are cached in the folder MANIPLE_CACHE_DIR (by default\n"
         "~/.cache/maniple), with the compiler, what they are for, their size and age; clear\n"
         "them, or compile those of common operations ahead.\n"
         "\n"
         "Options:");
    options_print(options);
}

enum { AGE_TEXT = 32 };

static const char *age_text(int64_t modified, char text[AGE_TEXT])
{
    static const struct {
        const char *unit;
        int64_t seconds;
    } units[] = {{"days", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
    int64_t age = (int64_t)time(NULL) - modified;
    size_t u = 0;
    age = age > 0 ? age : 0;
    while (u < sizeof units / sizeof *units - 1 && age < 2 * units[u].seconds)
        u++;
    snprintf(text, AGE_TEXT, "%" PRId64 " %s", age / units[u].seconds, units[u].unit);
    return text;
}

static int wider(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static void print_entries(const mnp_cache_entry *entries, int64_t count)
{
    int kernel = wider(0, "kernel"), target = wider(0, "target");
    for (int64_t k = 0; k < count; k++) {
        kernel = wider(kernel, entries[k].kernel);
        target = wider(target, entries[k].target);
    }
    if (count > 0)
        printf("%-*s  %-8s  %-*s  %10s  age\n", kernel, "kernel", "compiler", target, "target", "size");
    for (int64_t k = 0; k < count; k++) {
        char bytes[BYTES_TEXT], age[AGE_TEXT];
        printf("%-*s  %-8s  %-*s  %10s  %s\n", kernel, entries[k].kernel, entries[k].compiler, target,
               entries[k].target, bytes_text(entries[k].bytes, bytes), age_text(entries[k].modified, age));
    }
}

/* Print the rest of a line: 3 kernels, 4.5 MiB */
static void print_total(int64_t files, int64_t bytes)
{
    char text[BYTES_TEXT];
    printf("%" PRId64 " kernel%s, %s\n", files, files == 1 ? "" : "s", bytes_text(bytes, text));
}

static void print_list(const mnp_cache_info *cache, const mnp_cache_entry *entries, int64_t count)
{
    print_entries(entries, count);
    printf("%s: ", cache->path);
    print_total(cache->files, cache->bytes);
}

/* `entries` is NULL: the totals alone. */
static void print_json(const mnp_cache_info *cache, const mnp_cache_entry *entries, int64_t count)
{
    json_writer j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "path", cache->path);
    json_integer(&j, "files", cache->files);
    json_integer(&j, "bytes", cache->bytes);
    if (entries) {
        json_open(&j, "kernels", '[');
        for (int64_t k = 0; k < count; k++) {
            json_row(&j, NULL, '{');
            json_text(&j, "kernel", entries[k].kernel);
            json_text(&j, "compiler", entries[k].compiler);
            json_text(&j, "target", entries[k].target);
            json_integer(&j, "bytes", entries[k].bytes);
            json_integer(&j, "modified", entries[k].modified);
            json_close(&j);
        }
        json_close(&j);
    }
    json_close(&j);
}

/* Print how many kernels and bytes were `changed`, as in "removed from". */
static void print_change(const char *changed, const mnp_cache_info *change, bool as_json)
{
    if (as_json) {
        print_json(change, NULL, 0);
        return;
    }
    printf("%s %s: ", changed, change->path);
    print_total(change->files, change->bytes);
}

static mnp_status fill(mnp_ctx *ctx, int count, const mnp_dtype *dtypes, bool as_json)
{
    mnp_cache_info cache;
    mnp_status st = warm(ctx, count, dtypes);
    if (st == MNP_OK)
        st = mnp_ctx_cache(ctx, &cache);
    if (st != MNP_OK)
        return st;
    const mnp_cache_info added = {.path = cache.path, .files = cache.added_files, .bytes = cache.added_bytes};
    print_change("added to", &added, as_json);
    return MNP_OK;
}

static mnp_status list(mnp_ctx *ctx, const mnp_cache_info *cache, bool as_json)
{
    mnp_cache_entry *entries;
    int64_t count;
    mnp_status st = mnp_ctx_cache_list(ctx, &entries, &count);
    if (st != MNP_OK)
        return st;
    if (as_json)
        print_json(cache, entries, count);
    else
        print_list(cache, entries, count);
    free(entries);
    return MNP_OK;
}

static mnp_status clear(mnp_ctx *ctx, const mnp_cache_info *cache, bool as_json)
{
    mnp_cache_info removed = *cache;
    mnp_status st = mnp_ctx_cache_clear(ctx, &removed.files, &removed.bytes);
    if (st != MNP_OK)
        return st;
    print_change("removed from", &removed, as_json);
    return MNP_OK;
}

typedef struct request {
    bool clears, size_only, json;
    int ndtypes; /* whose kernels are compiled */
    mnp_dtype dtypes[MNP_NUM_DTYPES];
} request;

/* The work, which rank 0 does alone. */
static mnp_status serve(mnp_ctx *ctx, const request *wanted)
{
    mnp_cache_info cache;
    if (mnp_ctx_rank(ctx) != 0)
        return MNP_OK;
    if (wanted->ndtypes > 0)
        return fill(ctx, wanted->ndtypes, wanted->dtypes, wanted->json);
    mnp_status st = mnp_ctx_cache(ctx, &cache);
    if (st != MNP_OK)
        return st;
    if (wanted->clears)
        return clear(ctx, &cache, wanted->json);
    if (!wanted->size_only)
        return list(ctx, &cache, wanted->json);
    if (wanted->json)
        print_json(&cache, NULL, 0);
    else
        print_list(&cache, NULL, 0);
    return MNP_OK;
}

int cache_main(int argc, char **argv)
{
    request wanted = {.clears = false};
    for (int key; (key = options_next(argc, argv, options)) != OPTIONS_END;) {
        switch (key) {
        case 'c':
            wanted.clears = true;
            break;
        case 'w':
            if (warm_parse(optarg, wanted.dtypes, &wanted.ndtypes) != MNP_OK)
                misused_exit();
            break;
        case 's':
            wanted.size_only = true;
            break;
        case 'j':
            wanted.json = true;
            break;
        default:
            misused_exit();
        }
    }
    if (optind < argc) {
        mnp_fail(MNP_ERR_ARG, "cache takes no operand, but was given '%s'", argv[optind]);
        misused_exit();
    }
    if (wanted.clears + wanted.size_only + (wanted.ndtypes > 0) > 1) {
        mnp_fail(MNP_ERR_ARG, "--clear, --warm and --size ask for different things");
        misused_exit();
    }
    /* but for compiling neither a GPU nor a working driver is needed */
    mnp_ctx *ctx = command_begin(wanted.ndtypes > 0 ? NULL : "device=host");
    if (wanted.ndtypes > 0)
        progress_begin(ctx, "cache", wanted.json);
    OR_EXIT(mnp_agree(ctx, serve(ctx, &wanted)));
    int status = close_output(EXIT_SUCCESS);
    mnp_finalize(ctx);
    return status;
}
