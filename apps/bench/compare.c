/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple bench --compare: whether what was recorded afterwards is slower than before.
 *
 * A recording has a JSON object on each line, as record.h and bench/peers/record.py write them.  All runs of a case in
 * a file count together: their median, and the quickest repeat of any.  A case is slower where even the quickest repeat
 * afterwards takes longer, by more than the tolerance, than the median before, and faster the other way round; what
 * lies between is noise.
 */
#define _GNU_SOURCE /* getline() */
#include "bench/benchmark.h"
#include "common/command.h"
#include "report/json_reader.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

enum { BENCHMARK, CASE, INPUT, LIBRARY, DEVICE, UNIT, NUM_TEXTS };
static const char *const text_names[NUM_TEXTS] = {"benchmark", "case", "input", "library", "device", "unit"};

typedef struct line {
    char *texts[NUM_TEXTS];    /* "": not known */
    double ranks, value, best; /* best 0: not known */
} line;

typedef struct recording {
    const char *path;
    line *lines;
    int count, room;
} recording;

/* Take an item of an object without lists or objects. */
static bool take_item(void *to, const json_item *item)
{
    line *l = to;
    if (item->depth == 0)
        return item->kind == '{' || item->kind == '}';
    for (int i = 0; item->kind == '"' && i < NUM_TEXTS; i++) {
        if (strcmp(item->name, text_names[i]) == 0) {
            free(l->texts[i]);
            l->texts[i] = strdup(item->text);
        }
    }
    if (item->kind == '0' && strcmp(item->name, "value") == 0)
        l->value = item->number;
    else if (item->kind == '0' && strcmp(item->name, "best") == 0)
        l->best = item->number;
    else if (item->kind == '0' && strcmp(item->name, "ranks") == 0)
        l->ranks = item->number;
    return item->kind == '"' || item->kind == '0' || item->kind == 'a';
}

static void line_clear(line *l)
{
    for (int i = 0; i < NUM_TEXTS; i++)
        free(l->texts[i]);
}

/* Add a line that has a time; others, such as rates, are not compared.  Ends the program if there is no memory. */
static void add_line(recording *r, line *l)
{
    bool good = true;
    for (int i = 0; i < NUM_TEXTS; i++) {
        l->texts[i] = l->texts[i] ? l->texts[i] : strdup("");
        good = good && l->texts[i];
    }
    if (good && (strcmp(l->texts[UNIT], "s") != 0 || !(l->value > 0))) {
        line_clear(l);
        return;
    }
    if (r->count == r->room) {
        r->room = 2 * r->room + 64;
        line *lines = realloc(r->lines, (size_t)r->room * sizeof *lines);
        good = good && lines;
        r->lines = lines ? lines : r->lines;
    }
    if (!good)
        OR_EXIT(mnp_fail(MNP_ERR_MEMORY, "no memory for %s", r->path));
    r->lines[r->count++] = *l;
}

/* Ends the program if the file cannot be read, or is no recording. */
static recording read_recording(const char *path)
{
    recording r = {.path = path};
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        OR_EXIT(mnp_fail(MNP_ERR_IO, "%s: %s", path, strerror(errno)));
    for (int number = 1; errno = 0, getline(&text, &room, file) >= 0; number++) {
        line l = {.ranks = 1};
        if (!text[strspn(text, " \t\r\n")])
            continue;
        const mnp_status status = json_read(text, take_item, &l);
        if (status == MNP_ERR_MEMORY)
            OR_EXIT(status);
        if (status != MNP_OK)
            OR_EXIT(mnp_fail(MNP_ERR_FORMAT, "%s, line %d: it is no line that 'maniple bench --output' writes", path,
                             number));
        add_line(&r, &l);
    }
    if (ferror(file))
        OR_EXIT(mnp_fail(MNP_ERR_IO, "%s: %s", path, strerror(errno ? errno : EIO)));
    fclose(file);
    free(text);
    return r;
}

/* ---- comparing ---- */

typedef enum verdict { SLOWER, SAME, FASTER, NUM_VERDICTS } verdict;
static const char *const verdict_names[NUM_VERDICTS] = {"slower", "same", "faster"};

/* A case that both files have. */
typedef struct row {
    const line *of;
    double before, after; /* medians */
    verdict verdict;
} row;

/* What is the same in runs of a case. */
static int order_of_cases(const line *a, const line *b)
{
    for (int i = 0; i < UNIT; i++) {
        const int order = strcmp(a->texts[i], b->texts[i]);
        if (order != 0)
            return order;
    }
    return (a->ranks > b->ranks) - (a->ranks < b->ranks);
}

/* By cases, the shortest run first. */
static int order_of_lines(const void *a, const void *b)
{
    const line *x = a, *y = b;
    const int order = order_of_cases(x, y);
    return order != 0 ? order : (x->value > y->value) - (x->value < y->value);
}

/* The slowed ones first. */
static int order_of_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    const double s = x->after / x->before, t = y->after / y->before;
    return s != t ? (s < t) - (s > t) : order_of_cases(x->of, y->of);
}

static int count_runs(const recording *r, int first)
{
    int count = 1;
    while (first + count < r->count && order_of_cases(&r->lines[first], &r->lines[first + count]) == 0)
        count++;
    return count;
}

static double quickest(const line *runs, int count)
{
    double least = runs[0].value;
    for (int i = 0; i < count; i++)
        if (runs[i].best > 0 && runs[i].best < least)
            least = runs[i].best;
    return least;
}

static row row_of(const line *before, int num_before, const line *after, int num_after, double tolerance)
{
    row r = {
        .of = before, .before = before[num_before / 2].value, .after = after[num_after / 2].value, .verdict = SAME};
    if (quickest(after, num_after) > (1 + tolerance) * r.before)
        r.verdict = SLOWER;
    else if (quickest(before, num_before) > (1 + tolerance) * r.after)
        r.verdict = FASTER;
    return r;
}

/* Rows of all cases that both have, which `rows` has room for; how many, and how many cases are in one file alone. */
static int match(const recording *before, const recording *after, double tolerance, row *rows, int *alone_p)
{
    int count = 0;
    *alone_p = 0;
    for (int i = 0, j = 0; i < before->count || j < after->count;) {
        const int order = i == before->count  ? 1
                          : j == after->count ? -1
                                              : order_of_cases(&before->lines[i], &after->lines[j]);
        const int m = order <= 0 ? count_runs(before, i) : 0, n = order >= 0 ? count_runs(after, j) : 0;
        if (order == 0)
            rows[count++] = row_of(&before->lines[i], m, &after->lines[j], n, tolerance);
        else
            ++*alone_p;
        i += m;
        j += n;
    }
    return count;
}

/* ---- the report ---- */

static bool is_ours(const line *l)
{
    return strncmp(l->texts[LIBRARY], "Maniple", strlen("Maniple")) == 0;
}

static void print_rows(int count, const row *rows)
{
    printf("%-52s%-22s%6s%12s%12s%8s  %s\n", "case", "library", "ranks", "before, ms", "after, ms", "ratio", "verdict");
    for (int i = 0; i < count; i++) {
        const row *r = &rows[i];
        char name[512];
        const char *input = r->of->texts[INPUT];
        snprintf(name, sizeof name, "%s: %s%s%s", r->of->texts[BENCHMARK], r->of->texts[CASE], *input ? ", " : "",
                 input);
        printf("%-51s %-21s %6.0f%12.4g%12.4g%8.3f  %s\n", name, r->of->texts[LIBRARY], r->of->ranks, 1e3 * r->before,
               1e3 * r->after, r->after / r->before, verdict_names[r->verdict]);
    }
}

int bench_compare(const char *before, const char *after, double tolerance)
{
    recording old = read_recording(before), new = read_recording(after);
    row *rows = malloc((size_t)(old.count + 1) * sizeof *rows);
    int counts[NUM_VERDICTS] = {0}, alone = 0, ours = 0;
    if (!rows)
        OR_EXIT(mnp_fail(MNP_ERR_MEMORY, "no memory for %d cases", old.count));
    if (old.count > 0)
        qsort(old.lines, (size_t)old.count, sizeof *old.lines, order_of_lines);
    if (new.count > 0)
        qsort(new.lines, (size_t) new.count, sizeof *new.lines, order_of_lines);
    const int count = match(&old, &new, tolerance, rows, &alone);
    if (count == 0)
        OR_EXIT(mnp_fail(MNP_ERR_ARG, "%s and %s have no case of the same input, library, device and ranks", before,
                         after));
    qsort(rows, (size_t)count, sizeof *rows, order_of_rows);
    print_rows(count, rows);
    for (int i = 0; i < count; i++) {
        if (is_ours(rows[i].of)) {
            counts[rows[i].verdict]++;
            ours++;
        }
    }
    printf("\n%d case%s of Maniple: %d slower, %d same, %d faster", ours, plural(ours), counts[SLOWER], counts[SAME],
           counts[FASTER]);
    if (alone > 0)
        printf("; %d in one file alone", alone);
    putchar('\n');
    for (int i = 0; i < old.count; i++)
        line_clear(&old.lines[i]);
    for (int i = 0; i < new.count; i++)
        line_clear(&new.lines[i]);
    free(old.lines);
    free(new.lines);
    free(rows);
    return counts[SLOWER] > 0 ? EXIT_SLOWER : EXIT_SUCCESS;
}
