/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages on stderr, by level and rank (MANIPLE_LOG).
 */
#ifndef MNP__BASE_LOG_H
#define MNP__BASE_LOG_H

#include <maniple/base.h>

typedef enum mnp__log_level { MNP_LOG_ERROR, MNP_LOG_WARN, MNP_LOG_INFO, MNP_LOG_DEBUG } mnp__log_level;

typedef struct mnp__log {
    int rank;
    int level; /* the highest mnp__log_level that is written; -1: this rank writes nothing */
} mnp__log;

/*
 * Parse "level" or "level:ranks", where ranks is "all" or numbers separated by commas.  MNP_ERR_ARG if the text is
 * neither.
 */
mnp_status mnp__log_parse(const char *text, int rank, mnp__log *log);

#define MNP_LOG(log, level_, ...)                                                                                      \
    do {                                                                                                               \
        if ((int)(level_) <= (log)->level)                                                                             \
            mnp__log_write((log), (level_), __VA_ARGS__);                                                              \
    } while (0)

void mnp__log_write(const mnp__log *log, mnp__log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
