/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a benchmark measured, as a line of JSON that bench/plot reads.
 *
 * Where the environment has BENCH_JSON=FILE, every time that is printed is appended to FILE as well, as one object on
 * a line of its own; several programs, and the peers' scripts by bench/peers/record.py, may append to the same file.
 * Nothing here needs the library, so that programs of peers can include it.
 */
#ifndef APPS_BENCH_RECORD_H
#define APPS_BENCH_RECORD_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Texts that are NULL or empty, and numbers that are 0, are not known and are left out. */
struct record {
    const char *benchmark, *name; /* the program, and its case */
    char input[320];              /* what the case works on, such as "1024 float32": the same words for all peers */
    const char *library, *version, *device, *transport;
    int ranks;
    double seconds, best; /* the median and the least of the repeats */
    double bytes, flops;  /* that the case needs, of all ranks */
    double floor;         /* the least seconds that it can take */
    double size;          /* bytes a rank, of cases that are drawn over their size */
};

static inline void record_text(FILE *file, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    fprintf(file, ", \"%s\": \"", name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if ((unsigned char)*text >= ' ')
            fputc(*text, file);
    }
    fputc('"', file);
}

static inline void record_number(FILE *file, const char *name, double value)
{
    if (value > 0)
        fprintf(file, ", \"%s\": %.6g", name, value);
}

/* Append the line; nothing where BENCH_JSON is not set.  One rank calls it.  Ends the program if it cannot. */
static inline void record_append(const struct record *r)
{
    const char *path = getenv("BENCH_JSON");
    if (!path || !*path)
        return;
    char date[16];
    const time_t now = time(NULL);
    FILE *file = fopen(path, "a");
    if (!file) {
        perror(path);
        exit(1);
    }
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    fprintf(file, "{\"benchmark\": \"%s\"", r->benchmark);
    record_text(file, "case", r->name);
    record_text(file, "input", r->input);
    record_text(file, "library", r->library);
    record_text(file, "version", r->version);
    record_text(file, "device", r->device);
    record_text(file, "transport", r->transport);
    record_number(file, "ranks", r->ranks);
    record_text(file, "unit", "s");
    record_number(file, "value", r->seconds);
    record_number(file, "best", r->best);
    record_number(file, "bytes", r->bytes);
    record_number(file, "flops", r->flops);
    record_number(file, "floor", r->floor);
    if (r->size > 0)
        fprintf(file, ", \"size\": %.0f", r->size);
    record_text(file, "date", date);
    fputs("}\n", file);
    if (fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

#endif
