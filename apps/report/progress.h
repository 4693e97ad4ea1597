/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress line: what the command is doing, how much of it is done, how fast, and how long it will take.
 *
 *   maniple conv: convolving, 45 %, 19.7 Gtap/s, 12 s left
 *
 * Rank 0 shows it on standard error, for what takes longer than two seconds.  On a terminal one line is rewritten, and
 * removed at the end; elsewhere there is none unless --progress asks for it, and then a new line comes every ten
 * seconds.  A thread prints it, so that nothing waits for the terminal, and calls of which nothing is known but that
 * they last show for how long.
 */
#ifndef APPS_REPORT_PROGRESS_H
#define APPS_REPORT_PROGRESS_H

#include <stdbool.h>

#include <maniple.h>

/* The option, for the tables of subcommands; options_next() takes it by itself. */
enum { PROGRESS_KEY = 1000 };
#define PROGRESS_ROW                                                                                                   \
    {                                                                                                                  \
        PROGRESS_KEY, "progress", NULL, "show how far the run is, even if standard error is not a terminal"            \
    }
void progress_ask(void); /* the option was given */

/*
 * Begin to show the progress of a subcommand: if it was asked for, or on a terminal unless the run is to be quiet.
 * Collective.
 */
void progress_begin(mnp_ctx *ctx, const char *subcommand, bool quiet);

/* Whether a line is shown by rank 0, as all ranks know. */
bool progress_shown(void);

/*
 * From now on the command is doing what the format says, such as "reading INPUT".  `amount` is what all of it is in
 * units, such as bytes ("B"): the stage is a call of the library, which tells how much is done, and from which the rate
 * follows.  0: the command tells by progress_at() or progress_say(), or nothing is known.  The functions from here on
 * do nothing on ranks that show nothing.
 */
void progress_stage(double amount, const char *unit, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The next call of the library is the part of the stage from `before` to `after`, both 0 to 1. */
void progress_part(double before, double after);

/* So much of the stage is done, 0 to 1. */
void progress_at(double done);

/* Show these words instead of percentage, rate and time. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Remove the line, before something is printed in between; and for good, before the report. */
void progress_clear(void);
void progress_end(void);

#endif
