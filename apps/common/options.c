/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options: getopt_long() with messages of our own.
 */
#include "common/options.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/operand.h"
#include "report/progress.h"

enum { MAX_OPTIONS = 40, MAX_WORD = 32, HELP_COLUMN = 26 };

static int smallest(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

/* The Levenshtein distance: the number of letters to insert, drop or replace. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int row[MAX_WORD + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_length];
}

static const char *nearest_of_length(const char *word, size_t length, const char *const *words)
{
    const char *nearest = NULL;
    int least = length < 4 ? 2 : 1 + (int)(length + 1) / 3; /* one letter in three may be wrong */
    for (; *words && length <= MAX_WORD; words++) {
        size_t other = strlen(*words);
        int d = other <= MAX_WORD ? distance(word, length, *words, other) : least;
        if (d < least) {
            least = d;
            nearest = *words;
        }
    }
    return nearest;
}

const char *nearest_word(const char *word, const char *const *words)
{
    return nearest_of_length(word, strlen(word), words);
}

/* ---- options of every subcommand ---- */

enum { PROFILE_KEY = 1001, TRACE_KEY };
static const option_row common_rows[] = {
    {PROFILE_KEY, "profile", NULL,
     "print on standard error how long functions took, what they moved, and\n"
     "how near that comes to a copy in memory, which is timed at the end"},
    {TRACE_KEY, "trace", "FILE", "write a time line of all ranks for Perfetto (FILE ends in .json)"},
};

/* The table with the common rows before its last one, which is --help.  It is valid until the next call. */
static const option_row *with_common(const option_row *table)
{
    static option_row all[MAX_OPTIONS + 1];
    const int common = sizeof common_rows / sizeof *common_rows;
    int own = 0;
    while (table[own].name && own < MAX_OPTIONS - common)
        own++;
    memcpy(all, table, (size_t)(own - 1) * sizeof *all);
    memcpy(all + own - 1, common_rows, sizeof common_rows);
    all[own - 1 + common] = table[own - 1];
    all[own + common] = (option_row){.name = NULL};
    return all;
}

/* Whether a file may be replaced by a trace: by its name it holds no arrays. */
static bool is_trace(const char *name)
{
    const size_t length = strlen(name), end = strlen(".json");
    return length > end && strcmp(name + length - end, ".json") == 0;
}

/* Take a common option: a setting of the library, which mnp_init() reads.  False: it is another one. */
static bool take_common(int key)
{
    if (key == PROFILE_KEY)
        setenv("MANIPLE_PROFILE", "1", 1);
    else if (key == TRACE_KEY)
        setenv("MANIPLE_TRACE", optarg, 1);
    return key == PROFILE_KEY || key == TRACE_KEY;
}

/* ---- parsing ---- */

static int key_of(const option_row *row)
{
    return row->key & ~OPTION_REPEATS;
}

static const option_row *row_of(const option_row *table, int key)
{
    while (table->name && key_of(table) != key)
        table++;
    return table->name ? table : NULL;
}

/* Refuse an option that has been given before, as it is not plain which of the two is meant. */
static mnp_status check_first(const option_row *table, const option_row *row)
{
    static bool given[MAX_OPTIONS];
    bool *again = &given[row - table];
    if (*again && row->key == key_of(row))
        return mnp_fail(MNP_ERR_ARG, "option --%s is given twice%s%s%s", row->name, row->argument ? ", here as '" : "",
                        row->argument ? optarg : "", row->argument ? "'" : "");
    *again = true;
    return MNP_OK;
}

static void fail_unknown(const char *word, const option_row *table)
{
    if (strncmp(word, "--", 2) != 0) {
        mnp_fail(MNP_ERR_ARG,
                 "unknown option -%c; --help lists the options, and operands that begin with '-' go after --", optopt);
        return;
    }
    const char *names[MAX_OPTIONS + 1] = {NULL};
    for (int i = 0; table[i].name; i++)
        names[i] = table[i].name;
    int length = (int)strcspn(word, "="); /* --name=value */
    const char *nearest = nearest_of_length(word + 2, (size_t)length - 2, names);
    if (nearest)
        mnp_fail(MNP_ERR_ARG, "unknown option %.*s; did you mean --%s?", length, word, nearest);
    else
        mnp_fail(MNP_ERR_ARG, "unknown option %.*s; --help lists the options", length, word);
}

int options_next(int argc, char **argv, const option_row *own)
{
    const option_row *table = with_common(own);
    struct option longs[MAX_OPTIONS + 1] = {0};
    char shorts[1 + 2 * MAX_OPTIONS + 1] =
        ":"; /* the colon makes getopt_long() distinguish a missing argument from an unknown option */
    size_t length = 1;
    for (int i = 0; table[i].name; i++) {
        int wants = table[i].argument ? required_argument : no_argument;
        longs[i] = (struct option){table[i].name, wants, NULL, key_of(&table[i])};
        if (key_of(&table[i]) <= UCHAR_MAX) {
            shorts[length++] = (char)key_of(&table[i]);
            if (table[i].argument)
                shorts[length++] = ':';
        }
    }
    opterr = 0;
    int key = getopt_long(argc, argv, shorts, longs, NULL);
    if (key == -1)
        return OPTIONS_END;
    if (key != '?' && key != ':' && check_first(table, row_of(table, key)) != MNP_OK)
        return OPTIONS_BAD;
    if (key == PROGRESS_KEY) {
        progress_ask();
        return options_next(argc, argv, own);
    }
    if (key == TRACE_KEY && !is_trace(optarg)) {
        mnp_fail(MNP_ERR_ARG, "option --trace: '%s' does not end in .json", optarg);
        return OPTIONS_BAD;
    }
    if (take_common(key))
        return options_next(argc, argv, own);
    if (key != '?' && key != ':')
        return key;

    const option_row *row = optopt ? row_of(table, optopt) : NULL;
    if (row && key == ':')
        mnp_fail(MNP_ERR_ARG, "option --%s needs its %s", row->name, row->argument);
    else if (row)
        mnp_fail(MNP_ERR_ARG, "option --%s takes no argument, but has one in '%s'", row->name, argv[optind - 1]);
    else
        fail_unknown(optopt ? "-" : argv[optind - 1], table);
    return OPTIONS_BAD;
}

void options_print(const option_row *own)
{
    for (const option_row *table = with_common(own); table->name; table++) {
        if (!table->help)
            continue;
        char left[64];
        char letter[5] = "    ";
        if (key_of(table) <= UCHAR_MAX)
            snprintf(letter, sizeof letter, "-%c, ", key_of(table));
        snprintf(left, sizeof left, "%s--%s%s%s", letter, table->name, table->argument ? " " : "",
                 table->argument ? table->argument : "");
        printf("  %-*s", HELP_COLUMN, left);
        for (const char *c = table->help; *c; c++) {
            putchar(*c);
            if (*c == '\n')
                printf("%*s", HELP_COLUMN + 2, "");
        }
        putchar('\n');
    }
}

mnp_status options_choose(const char *option, const char *word, const char *const *names, int *index_p)
{
    char list[256] = "";
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], word) == 0) {
            *index_p = i;
            return MNP_OK;
        }
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
    }
    return mnp_fail(MNP_ERR_ARG, "--%s is '%s'; it can be %s", option, word, list);
}

mnp_status options_word(const char *option, const char *word, const char *const *names, const char **name_p)
{
    int index;
    const mnp_status status = options_choose(option, word, names, &index);
    if (status == MNP_OK)
        *name_p = names[index];
    return status;
}

mnp_status options_dtype(const char *option, const char *word, mnp_dtype *dtype_p)
{
    const char *names[MNP_NUM_DTYPES] = {NULL};
    for (int i = MNP_BOOL; i < MNP_NUM_DTYPES; i++)
        names[i - MNP_BOOL] = mnp_dtype_name((mnp_dtype)i);
    int index;
    mnp_status status = options_choose(option, word, names, &index);
    if (status == MNP_OK)
        *dtype_p = (mnp_dtype)(MNP_BOOL + index);
    return status;
}

mnp_status options_axes(const char *option, const char *list, int most, int *axes, int *count_p)
{
    int count = 0;
    for (const char *text = list;; text++) {
        char *end;
        long axis = strtol(text, &end, 10);
        if (end == text || (*end && *end != ','))
            return mnp_fail(MNP_ERR_ARG, "--%s is '%s'; it must be numbers separated by commas, such as 0,1", option,
                            list);
        if (axis < -most || axis >= most)
            return mnp_fail(MNP_ERR_ARG, "--%s is '%s', but no array has a dimension %.*s; there are at most %d",
                            option, list, (int)(end - text), text, most);
        for (int i = 0; i < count; i++)
            if (axes[i] == axis)
                return mnp_fail(MNP_ERR_ARG, "--%s is '%s', which has dimension %ld twice", option, list, axis);
        if (count == most)
            return mnp_fail(MNP_ERR_ARG, "--%s is '%s', but there are at most %d dimensions", option, list, most);
        axes[count++] = (int)axis;
        if (!*end)
            break;
        text = end;
    }
    *count_p = count;
    return MNP_OK;
}

mnp_status options_axis(const char *option, const char *word, int *axis_p)
{
    int axes[MNP_MAX_DIMS] = {0}, count = 0;
    const mnp_status status = options_axes(option, word, MNP_MAX_DIMS, axes, &count);
    if (status != MNP_OK)
        return status;
    if (count != 1)
        return mnp_fail(MNP_ERR_ARG, "--%s is '%s'; it must be the number of one dimension", option, word);
    *axis_p = axes[0];
    return MNP_OK;
}

mnp_status options_count(const char *option, const char *word, int64_t least, int64_t most, int64_t *count_p)
{
    char *end, to[32] = "on";
    const long long count = strtoll(word, &end, 10);
    if (most != OPTIONS_ANY_COUNT)
        snprintf(to, sizeof to, "to %lld", (long long)most);
    if (end == word || *end || count < least || count > most || count > MOST_ELEMENTS)
        return mnp_fail(MNP_ERR_ARG, "--%s is '%s'; it must be a whole number from %lld %s", option, word,
                        (long long)least, to);
    *count_p = count;
    return MNP_OK;
}

mnp_status options_int(const char *option, const char *word, int least, int most, int *count_p)
{
    int64_t count = 0;
    const mnp_status status = options_count(option, word, least, most, &count);
    if (status == MNP_OK)
        *count_p = (int)count;
    return status;
}

mnp_status options_number(const char *option, const char *word, double least, double most, double *number_p)
{
    char *end, to[32] = "on";
    const double number = strtod(word, &end);
    if (most < INFINITY)
        snprintf(to, sizeof to, "to %g", most);
    if (end == word || *end || !isfinite(number) || number < least || number > most)
        return mnp_fail(MNP_ERR_ARG, "--%s is '%s'; it must be a number from %g %s", option, word, least, to);
    *number_p = number;
    return MNP_OK;
}
