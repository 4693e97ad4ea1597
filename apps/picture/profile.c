/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple profile: a picture of a profile, which any program that uses the library writes with
 * MANIPLE_PROFILE=FILE.json.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include "common/command.h"
#include "common/files.h"
#include "common/options.h"
#include "common/result.h"
#include "picture/bars.h"
#include "report/json_reader.h"
#include "report/report.h"

static const option_row options_table[] = {PICTURE_OPTIONS("the functions that took longest"), HELP_ROW, {0}};

void profile_help(void)
{
    puts("Usage: maniple profile FILE.json --picture PICTURE [OPTION...]\n"
         "\n"
         "Draw the profile that a program has written with MANIPLE_PROFILE=FILE.json: for each of the functions\n"
         "that took longest how long it took on the CPU and on the device, and how much of that was waiting for\n"
         "other ranks; how often it was called, and its bandwidth beside that of a copy, which the program has\n"
         "timed at its end.\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  MANIPLE_PROFILE=p.json mpirun -n 2 maniple conv hubble.h5:/image hanning:31x31 -o out.h5:/y\n"
         "  maniple profile p.json --picture p.png");
}

/* ---- reading ---- */

enum { NAME = 64, NOTE = 96, MOST_FUNCTIONS = 512, MOST_ROWS = 16 };

typedef struct function {
    char name[NAME];
    double calls, launches, cpu, device, waits, bytes, slowest;
} function;

typedef struct profile {
    double ranks, seconds, copy; /* copy: bytes a second */
    char device[NAME];
    int count;
    bool in_functions;
    function functions[MOST_FUNCTIONS];
} profile;

/* Take a number, if there is a place for its name. */
static void take_number(const json_item *item, int count, const char *const *names, double *const *places)
{
    for (int i = 0; i < count; i++)
        if (strcmp(item->name, names[i]) == 0)
            *places[i] = item->number;
}

static void take_of_function(function *f, const json_item *item)
{
    static const char *const names[] = {"calls", "launches", "cpu", "device", "waits", "bytes", "slowest_device"};
    double *const places[] = {&f->calls, &f->launches, &f->cpu, &f->device, &f->waits, &f->bytes, &f->slowest};
    if (item->kind == '"' && strcmp(item->name, "name") == 0)
        snprintf(f->name, sizeof f->name, "%s", item->text);
    else if (item->kind == '0')
        take_number(item, sizeof names / sizeof *names, names, places);
}

static bool take_item(void *to, const json_item *item)
{
    static const char *const names[] = {"ranks", "seconds", "copy_bytes_per_second"};
    profile *p = to;
    double *const places[] = {&p->ranks, &p->seconds, &p->copy};
    if (item->depth == 1 && item->kind == '[')
        p->in_functions = strcmp(item->name, "functions") == 0;
    else if (item->depth == 1 && item->kind == ']')
        p->in_functions = false;
    else if (item->depth == 1 && item->kind == '"' && strcmp(item->name, "device") == 0)
        snprintf(p->device, sizeof p->device, "%s", item->text);
    else if (item->depth == 1 && item->kind == '0')
        take_number(item, sizeof names / sizeof *names, names, places);
    else if (p->in_functions && item->depth == 2 && item->kind == '{')
        return p->count < MOST_FUNCTIONS && (p->functions[p->count++] = (function){.calls = 0}, true);
    else if (p->in_functions && item->depth == 3 && p->count > 0)
        take_of_function(&p->functions[p->count - 1], item);
    return true;
}

/* All of a file, to be released; NULL with a message. */
static char *read_text(const char *path)
{
    enum { MOST = 1 << 24 };
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    if (!file || !(text = malloc(MOST + 1)))
        mnp_fail(file ? MNP_ERR_MEMORY : MNP_ERR_IO, "%s: %s", path, file ? "no memory to read it" : strerror(errno));
    if (text) {
        errno = 0;
        size = fread(text, 1, MOST, file);
        text[size] = '\0';
    }
    if (text && ferror(file)) {
        mnp_fail(MNP_ERR_IO, "%s: %s", path, strerror(errno ? errno : EIO));
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

static mnp_status read_profile(const char *path, profile *p)
{
    char *text = read_text(path);
    if (!text)
        return MNP_ERR_IO;
    mnp_status status = json_read(text, take_item, p);
    free(text);
    if (status == MNP_ERR_MEMORY)
        return status;
    if (status != MNP_OK || p->ranks < 1 || p->count == 0)
        status =
            mnp_fail(MNP_ERR_FORMAT, "%s is no profile, as programs write one with MANIPLE_PROFILE=FILE.json", path);
    return status;
}

/* ---- drawing ---- */

/*
 * "7 calls, 20.9 GB/s, 83 % of a copy"; of functions that have used the device, and more than a little of its memory.
 */
static void write_note(const profile *p, const function *f, char note[NOTE])
{
    const int length = snprintf(note, NOTE, "%.0f call%s", f->calls, f->calls == 1 ? "" : "s");
    const double rate = f->slowest > 0 ? f->bytes / f->slowest : 0, share = p->copy > 0 ? rate / p->copy : 0;
    if (f->launches > 0 && share >= 0.005)
        snprintf(note + length, (size_t)(NOTE - length), ", %.3g GB/s, %.0f %% of a copy", 1e-9 * rate, 100 * share);
}

/* How many functions are drawn: those, in the order of their times, that can be seen beside the first. */
static int count_rows(const profile *p)
{
    const double least = 1.0 / 500;
    int count = 1;
    while (count < p->count && count < MOST_ROWS &&
           fmax(p->functions[count].cpu, p->functions[count].device) >=
               least * fmax(p->functions[0].cpu, p->functions[0].device))
        count++;
    return count;
}

/* On the host the time on the device is that on the CPU, and is not drawn again. */
static mnp_status draw(const picture_request *request, const profile *p, picture_made *made)
{
    char title[160], subtitle[160], notes[MOST_ROWS][NOTE];
    bars_row rows[MOST_ROWS];
    const bars all = {.title = title,
                      .subtitle = subtitle,
                      .x_name = "seconds",
                      .series = strcmp(p->device, "host") == 0 ? 2 : 3,
                      .series_names = {"CPU", "waits for other ranks", "device"},
                      .count = count_rows(p),
                      .rows = rows};
    snprintf(title, sizeof title, "Profile of %.0f rank%s, %.3g s, device %s", p->ranks, plural((int64_t)p->ranks),
             p->seconds, p->device);
    snprintf(subtitle, sizeof subtitle, "means over the ranks; %d of %d functions, those that took longest", all.count,
             p->count);
    for (int i = 0; i < all.count; i++) {
        const function *f = &p->functions[i];
        write_note(p, f, notes[i]);
        rows[i] = (bars_row){f->name, notes[i], {f->cpu, f->waits, f->device}};
    }
    return bars_write(request, &all, made);
}

/* ---- the command ---- */

static mnp_status parse(int argc, char **argv, picture_request *request, const char **path_p)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;)
        status = key == OPTIONS_BAD ? MNP_ERR_ARG : picture_option(key, optarg, request);
    if (status == MNP_OK)
        status = picture_check_options(request);
    if (status != MNP_OK)
        return status;
    if (argc - optind != 1)
        return mnp_fail(MNP_ERR_ARG, "profile takes one FILE.json, as in: maniple profile p.json --picture p.png");
    if (!request->path)
        return mnp_fail(MNP_ERR_ARG, "profile needs a place for the picture: --picture FILE");
    *path_p = argv[optind];
    return MNP_OK;
}

/* On the first process. */
static void make_picture(const picture_request *request, const char *path)
{
    const run_file files[] = {{.role = "FILE", .text = path, .path = path}, file_of_option("--picture", request->path)};
    picture_made made;
    profile *p = calloc(1, sizeof *p);
    if (!p)
        OR_EXIT(mnp_fail(MNP_ERR_MEMORY, "no memory for a profile"));
    OR_EXIT(files_check(sizeof files / sizeof *files, files));
    OR_EXIT(picture_check_place(request));
    OR_EXIT(read_profile(path, p));
    OR_EXIT(draw(request, p, &made));
    printf("picture   %s: %s\n", request->path, made.size);
    free(p);
}

int profile_main(int argc, char **argv)
{
    picture_request request = PICTURE_REQUEST_DEFAULTS;
    const char *path = NULL;
    if (parse(argc, argv, &request, &path) != MNP_OK)
        misused_exit();
    if (first_process())
        make_picture(&request, path);
    return close_output(EXIT_SUCCESS);
}
