/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the settings: from the options of mnp_init(), the environment, and the defaults. */
#include "base/config.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"

struct setting {
    const char *field, *variable, *fallback, *help;
};

#define SETTING_ROW(field, variable, fallback, help) {#field, variable, fallback, help},
static const struct setting settings[] = {MNP__SETTINGS(SETTING_ROW)};
#undef SETTING_ROW

enum { NSETTINGS = sizeof settings / sizeof *settings };

/* The config's field of setting i; the table and the struct are generated from the same list. */
static char **field_of(mnp__config *config, int i)
{
#define FIELD_ADDRESS(field, variable, fallback, help) &config->field,
    char **const fields[] = {MNP__SETTINGS(FIELD_ADDRESS)};
#undef FIELD_ADDRESS
    return fields[i];
}

static mnp_status set(mnp__config *config, int i, const char *value)
{
    char **field = field_of(config, i), *copy;
    MNP_TRY(mnp__strdup(value, &copy));
    free(*field);
    *field = copy;
    return MNP_OK;
}

/* Apply one "name=value" of the options. */
static mnp_status apply_option(mnp__config *config, char *option)
{
    char *value = strchr(option, '=');
    if (!value)
        return MNP_FAIL(MNP_ERR_ARG, "option '%s' of mnp_init is not of the form name=value", option);
    *value++ = '\0';
    for (int i = 0; i < NSETTINGS; i++) {
        if (strcmp(option, settings[i].field) == 0)
            return set(config, i, value);
    }
    return MNP_FAIL(MNP_ERR_ARG, "mnp_init knows no option '%s'; `maniple info --settings` lists them", option);
}

static mnp_status apply_options(mnp__config *config, const char *options)
{
    char *copy, *state = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__strdup(options, &copy));
    for (char *option = strtok_r(copy, " ", &state); option && st == MNP_OK; option = strtok_r(NULL, " ", &state))
        st = apply_option(config, option);
    free(copy);
    return st;
}

static mnp_status check_choice(const char *variable, const char *value, const char *const *choices,
                               const char *sentence)
{
    for (; *choices; choices++) {
        if (strcmp(value, *choices) == 0)
            return MNP_OK;
    }
    return MNP_FAIL(MNP_ERR_ARG, "%s is '%s'; it should be %s", variable, value, sentence);
}

/* Parse a number of bytes, with an optional K, M, G or T (powers of 1024), or a percentage. */
static mnp_status read_limit(mnp__config *config)
{
    static const char letters[] = "KMGT";
    char *end;
    const char *text = config->memory_limit;
    double number = mnp__parse_number(text, &end), unit = 1;
    if (*text == '\0')
        return MNP_OK;
    bool share = *end == '%';
    const char *letter = *end && !share ? strchr(letters, toupper((unsigned char)*end)) : NULL;
    for (const char *power = letters; letter && power <= letter; power++)
        unit *= 1024;
    end += letter || share;
    if (end == text || *end || !(number > 0) || number * unit > 9e18 || (share && number > 100))
        return MNP_FAIL(MNP_ERR_ARG,
                        "MANIPLE_MEMORY_LIMIT is '%s'; it should be bytes, as 4000000000, 500M or 16G, "
                        "or a percentage up to 100%%",
                        text);
    config->memory_bytes = share ? 0 : number * unit < 1 ? 1 : (int64_t)(number * unit);
    config->memory_share = share ? number / 100 : 0;
    return MNP_OK;
}

/* Parse a number from 1 to `most`, or "auto", which gives 0. */
static mnp_status read_count(const char *variable, const char *text, int most, int *count_p)
{
    char *end;
    long count = strtol(text, &end, 10);
    *count_p = 0;
    if (strcmp(text, "auto") == 0)
        return MNP_OK;
    if (end == text || *end || count < 1 || count > most)
        return MNP_FAIL(MNP_ERR_ARG, "%s is '%s'; it should be 1 to %d, or auto", variable, text, most);
    *count_p = (int)count;
    return MNP_OK;
}

static mnp_status read_seconds(const char *variable, const char *text, double *seconds_p)
{
    char *end;
    *seconds_p = mnp__parse_number(text, &end);
    if (end == text || *end || !(*seconds_p > 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s is '%s'; it should be a number of seconds above 0", variable, text);
    return MNP_OK;
}

/* Check and convert the settings that take certain words or numbers only. */
static mnp_status check(mnp__config *config, int rank)
{
    int threads;
    MNP_TRY(check_choice("MANIPLE_DEVICE", config->device,
                         (const char *const[]){"auto", "cuda", "host", "simulated", NULL},
                         "cuda, host, simulated or auto"));
    MNP_TRY(check_choice("MANIPLE_TRANSPORT", config->transport, (const char *const[]){"auto", "nccl", "mpi", NULL},
                         "nccl, mpi or auto"));
    MNP_TRY(read_seconds("MANIPLE_DEADLINE", config->deadline, &config->deadline_seconds));
    MNP_TRY(read_seconds("MANIPLE_BUSY_DEADLINE", config->busy_deadline, &config->busy_deadline_seconds));
    MNP_TRY(
        check_choice("MANIPLE_REPRODUCIBLE", config->reproducible, (const char *const[]){"0", "1", NULL}, "0 or 1"));
    config->is_reproducible = strcmp(config->reproducible, "1") == 0;
    MNP_TRY(check_choice("MANIPLE_CHECK", config->check, (const char *const[]){"0", "1", NULL}, "0 or 1"));
    config->checks = strcmp(config->check, "1") == 0;
    MNP_TRY(check_choice("MANIPLE_SIMULATED_NVRTC", config->simulated_nvrtc, (const char *const[]){"0", "1", NULL},
                         "0 or 1"));
#ifdef MNP_DEBUG
    config->checks = true;
#endif
    MNP_TRY(check_choice("MANIPLE_SPMV", config->spmv,
                         (const char *const[]){"measure", "stream", "rows", "sell", "dia", NULL},
                         "measure, stream, rows, sell or dia"));
    MNP_TRY(
        check_choice("MANIPLE_LOOP", config->loop, (const char *const[]){"auto", "launch", NULL}, "auto or launch"));
    static const char *const precisions[] = {"plain", "tf32", "emulated", NULL};
    MNP_TRY(check_choice("MANIPLE_MATMUL", config->matmul, precisions, "plain, tf32 or emulated"));
    while (strcmp(config->matmul, precisions[config->matmul_precision]) != 0)
        config->matmul_precision++;
    MNP_TRY(read_count("MANIPLE_THREADS", config->threads, 4096, &threads));
    MNP_TRY(read_count("MANIPLE_NODE_SIZE", config->node_size, INT_MAX, &config->node_ranks));
    MNP_TRY(read_count("MANIPLE_SPREAD_ROWS", config->spread_rows, INT_MAX, &config->spread_from));
    MNP_TRY(read_count("MANIPLE_FFT_SLABS", config->fft_slabs, 4096, &config->slabs));
    MNP_TRY(read_limit(config));
    return mnp__log_parse(config->log, rank, &config->logger);
}

static mnp_status make_table(mnp__config *config)
{
    MNP_TRY(mnp__calloc(NSETTINGS + 1, sizeof *config->table, &config->table));
    for (int i = 0; i < NSETTINGS; i++)
        config->table[i] = (mnp_setting_info){.name = settings[i].variable,
                                              .value = *field_of(config, i),
                                              .fallback = settings[i].fallback,
                                              .help = settings[i].help};
    return MNP_OK;
}

mnp_status mnp__config_read(const char *options, int rank, mnp__config *config)
{
    mnp_status st = MNP_OK;
    *config = (mnp__config){.logger = {.rank = rank, .level = -1}};
    for (int i = 0; i < NSETTINGS; i++) {
        const char *value = getenv(settings[i].variable);
        MNP_TRY_OR(set(config, i, value ? value : settings[i].fallback), st, fail);
    }
    if (options)
        MNP_TRY_OR(apply_options(config, options), st, fail);
    MNP_TRY_OR(check(config, rank), st, fail);
    MNP_TRY_OR(make_table(config), st, fail);
    return MNP_OK;
fail:
    mnp__config_free(config);
    return st;
}

mnp_status mnp__config_copy(const mnp__config *from, mnp__config *to)
{
    mnp_status st;
    *to = *from;
    to->table = NULL;
    for (int i = 0; i < NSETTINGS; i++)
        *field_of(to, i) = NULL;
    for (int i = 0; i < NSETTINGS; i++)
        MNP_TRY_OR(set(to, i, from->table[i].value), st, fail);
    MNP_TRY_OR(make_table(to), st, fail);
    return MNP_OK;
fail:
    mnp__config_free(to);
    return st;
}

void mnp__config_free(mnp__config *config)
{
    for (int i = 0; i < NSETTINGS; i++)
        free(*field_of(config, i));
    free(config->table);
    *config = (mnp__config){.logger = {.level = -1}};
}
