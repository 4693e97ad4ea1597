/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages on stderr.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

static const char *const level_names[] = {"error", "warn", "info", "debug"};

static bool rank_listed(const char *list, int rank, bool *valid)
{
    bool listed = false;
    const char *next = list;
    for (;;) {
        char *end;
        long value = strtol(next, &end, 10);
        if (end == next || value < 0 || (*end != ',' && *end != '\0')) {
            *valid = false;
            return false;
        }
        listed = listed || value == rank;
        if (*end == '\0')
            return listed;
        next = end + 1;
    }
}

mnp_status mnp__log_parse(const char *text, int rank, mnp__log *log)
{
    size_t length = strcspn(text, ":");
    int level = -1;
    for (int i = 0; i <= MNP_LOG_DEBUG; i++) {
        if (strlen(level_names[i]) == length && strncmp(text, level_names[i], length) == 0)
            level = i;
    }
    bool valid = level >= 0, speaks = rank == 0;
    if (valid && text[length] == ':')
        speaks = strcmp(text + length + 1, "all") == 0 || rank_listed(text + length + 1, rank, &valid);
    if (!valid)
        return MNP_FAIL(MNP_ERR_ARG,
                        "MANIPLE_LOG is '%s'; it should be error, warn, info or debug, and may go on with :all or a "
                        "list of ranks such as :0,2",
                        text);
    *log = (mnp__log){.rank = rank, .level = speaks ? level : -1};
    return MNP_OK;
}

void mnp__log_write(const mnp__log *log, mnp__log_level level, const char *format, ...)
{
    char text[2048]; /* a message is one write, so that ranks do not mix within a line */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "maniple[%d] %s: %s\n", log->rank, level_names[level], text);
}
