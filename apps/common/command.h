/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The subcommands, and the end of the command after a mistake in its command line.
 */
#ifndef APPS_COMMON_COMMAND_H
#define APPS_COMMON_COMMAND_H

#include <stdbool.h>

#include <maniple.h>

enum { EXIT_FAILED = 1, EXIT_MISUSED = 2 }; /* exit status after a failure; after a mistake in the command line */

/* Each subcommand's main program and help; argv[0] is the subcommand's name. */
int bench_main(int argc, char **argv);
int cache_main(int argc, char **argv);
int channelize_main(int argc, char **argv);
int conv_main(int argc, char **argv);
int deconv_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int eval_main(int argc, char **argv);
int fft_main(int argc, char **argv);
int filter_main(int argc, char **argv);
int info_main(int argc, char **argv);
int label_main(int argc, char **argv);
int linalg_main(int argc, char **argv);
int profile_main(int argc, char **argv);
int random_main(int argc, char **argv);
int solve_main(int argc, char **argv);
int spectrogram_main(int argc, char **argv);
int spinfo_main(int argc, char **argv);
int stats_main(int argc, char **argv);
void bench_help(void);
void cache_help(void);
void channelize_help(void);
void conv_help(void);
void deconv_help(void);
void doctor_help(void);
void eval_help(void);
void fft_help(void);
void filter_help(void);
void info_help(void);
void label_help(void);
void linalg_help(void);
void profile_help(void);
void random_help(void);
void solve_help(void);
void spectrogram_help(void);
void spinfo_help(void);
void stats_help(void);

/*
 * Make the call; if it fails, end the program on all ranks with its message, and with the exit status for that failure:
 * EXIT_MISUSED for what the command line, a setting or the form of a file got wrong, EXIT_FAILED for the rest.
 */
#define OR_EXIT(call)                                                                                                  \
    do {                                                                                                               \
        mnp_status or_exit_ = (call);                                                                                  \
        if (or_exit_ != MNP_OK)                                                                                        \
            command_exit(or_exit_);                                                                                    \
    } while (0)
void command_exit(mnp_status status);

/*
 * Start MPI and make the context, for mnp_init()'s options; ends the program if that fails.  Called when the command
 * line has been read, so that its mistakes cost no start of MPI.  Rank 0 warns of variables that are named like
 * settings and are none.  Collective.
 */
mnp_ctx *command_begin(const char *options);

/*
 * End after a failure that every process has recorded with mnp_fail(), before command_begin() and without MPI.  The
 * first process prints the message and has status 2, which the launcher takes for the job; the others have status 0.
 */
void misused_exit(void);

/* Whether this is the first process of a job, according to its launcher: the one that prints help, without MPI. */
bool first_process(void);

/*
 * Say on rank 0 what has failed without ending the program: `before`, then the message.  Either all ranks pass a
 * failure, or none.  Returns the exit status: EXIT_SUCCESS if nothing has failed, otherwise that of command_exit().
 * Collective.
 */
int command_say(mnp_ctx *ctx, const char *before, mnp_status status);

/*
 * MPI's collectives, in place, over the ranks of a context; a rank that is stopped ends the job (mnp_mpi_begin()).
 * reduce_to_first: the result is on rank 0.  Collective.
 */
void all_reduce(mnp_ctx *ctx, void *values, int count, MPI_Datatype type, MPI_Op op);
void reduce_to_first(mnp_ctx *ctx, void *values, int count, MPI_Datatype type, MPI_Op op);
void broadcast(mnp_ctx *ctx, void *values, int count, MPI_Datatype type);

/*
 * Flush standard output, at the end of a program with that exit status.  Returns the status; instead of EXIT_SUCCESS
 * that of a failure, after a message, if the output could not be written.
 */
int close_output(int status);

#endif
