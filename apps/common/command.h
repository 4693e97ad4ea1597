/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The subcommands, and how the command ends when it was not understood.
 */
#ifndef APPS_COMMON_COMMAND_H
#define APPS_COMMON_COMMAND_H

#include <stdbool.h>

enum { EXIT_FAILED = 1, EXIT_MISUSED = 2 }; /* exit status of a failure; of a mistake that the command line shows */

/* Each subcommand's main program and help; argv[0] is the subcommand's name. */
int bench_main(int argc, char **argv);
int cache_main(int argc, char **argv);
int conv_main(int argc, char **argv);
int eval_main(int argc, char **argv);
int info_main(int argc, char **argv);
int random_main(int argc, char **argv);
int solve_main(int argc, char **argv);
int spinfo_main(int argc, char **argv);
int stats_main(int argc, char **argv);
void bench_help(void);
void cache_help(void);
void conv_help(void);
void eval_help(void);
void info_help(void);
void random_help(void);
void solve_help(void);
void spinfo_help(void);
void stats_help(void);

/*
 * End with status 2 after a failure that every process recorded alike with mnp_fail(), before mnp_init().  Starts MPI,
 * so that of several ranks one speaks.
 */
void misused_exit(void);

/* Whether this process should print what needs no MPI, such as help: the first of a job, as its launcher tells. */
bool first_process(void);

/* Flush standard output; gives the program's exit status, with a sentence if what was printed could not be written. */
int close_output(void);

#endif
