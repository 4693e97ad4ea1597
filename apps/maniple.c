/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command `maniple`: it calls the subcommand, and prints help and the version without starting MPI.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <maniple.h>

#include "common/command.h"
#include "common/options.h"

static const struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    void (*help)(void);
    const char *summary;
} subcommands[] = {
    {"bench", bench_main, bench_help, "measure how fast Maniple is on this machine"},
    {"cache", cache_main, cache_help, "list, size or clear the cache of compiled kernels"},
    {"channelize", channelize_main, channelize_help, "divide a signal into channels of frequency"},
    {"conv", conv_main, conv_help, "convolve an array with a kernel"},
    {"deconv", deconv_main, deconv_help, "restore an image that a point spread function has blurred"},
    {"doctor", doctor_main, doctor_help, "say what is slow or wrong where Maniple runs, and what to do"},
    {"eval", eval_main, eval_help, "evaluate expressions of arrays element by element"},
    {"fft", fft_main, fft_help, "transform an array by the fast Fourier transform"},
    {"filter", filter_main, filter_help, "filter an image, as scipy.ndimage does"},
    {"info", info_main, info_help, "show what a file holds; or ranks, devices, libraries and settings"},
    {"label", label_main, label_help, "number the connected parts of an image"},
    {"linalg", linalg_main, linalg_help, "solve, decompose and multiply dense matrices"},
    {"profile", profile_main, profile_help, "draw where the time of a program went"},
    {"random", random_main, random_help, "fill a dataset with random numbers"},
    {"solve", solve_main, solve_help, "solve a sparse linear system by iteration"},
    {"spectrogram", spectrogram_main, spectrogram_help, "compute the spectra of a signal over time"},
    {"spinfo", spinfo_main, spinfo_help, "show properties of a sparse matrix"},
    {"stats", stats_main, stats_help, "show the extremes, mean, percentiles and histogram of a dataset"},
};

enum { NUM_SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void print_help(void)
{
    puts("Usage: maniple SUBCOMMAND [ARGUMENT...]\n"
         "       mpirun -n RANKS maniple SUBCOMMAND [ARGUMENT...]\n"
         "\n"
         "Work on arrays distributed over MPI ranks, one GPU a rank, or on CPUs if there is no GPU.\n"
         "\n"
         "Subcommands:");
    for (int i = 0; i < NUM_SUBCOMMANDS; i++)
        printf("  %-11s %s\n", subcommands[i].name, subcommands[i].summary);
    puts("  help        show this, or the help of a SUBCOMMAND\n"
         "\n"
         "Options:\n"
         "  -h, --help     show this\n"
         "  -V, --version  show the version");
}

static int print_version(void)
{
    if (first_process())
        printf("maniple %d.%d.%d\n", MNP_VERSION_MAJOR, MNP_VERSION_MINOR, MNP_VERSION_PATCH);
    return close_output(EXIT_SUCCESS);
}

static int answer_help(const struct subcommand *subcommand)
{
    if (first_process()) {
        if (subcommand)
            subcommand->help();
        else
            print_help();
    }
    return close_output(EXIT_SUCCESS);
}

/* The subcommand of that name; if there is none, the program ends with a message. */
static const struct subcommand *find_subcommand(const char *name)
{
    const char *names[NUM_SUBCOMMANDS + 2] = {"help"};
    for (int i = 0; i < NUM_SUBCOMMANDS; i++) {
        if (strcmp(subcommands[i].name, name) == 0)
            return &subcommands[i];
        names[i + 1] = subcommands[i].name;
    }
    const char *nearest = nearest_word(name, names);
    const char *what = name[0] == '-' ? "option" : "subcommand";
    if (nearest && name[0] != '-')
        mnp_fail(MNP_ERR_ARG, "unknown %s '%s'; did you mean '%s'?", what, name, nearest);
    else
        mnp_fail(MNP_ERR_ARG, "unknown %s '%s'; 'maniple --help' lists the subcommands", what, name);
    misused_exit();
    return NULL;
}

static bool is_any(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* Tell Open MPI to take long paths: it is asked when it opens the first file, which may be another one. */
static void allow_long_paths(int argc, char **argv)
{
#ifdef OPEN_MPI
    for (int i = 1; i < argc; i++)
        if (strlen(argv[i]) > 150) /* a file is written by another name first, which is longer */
            setenv("OMPI_MCA_sharedfp", "individual", 0);
#else
    (void)argc, (void)argv;
#endif
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        mnp_fail(MNP_ERR_ARG, "a subcommand is needed, such as conv or info; 'maniple --help' lists them");
        misused_exit();
    }
    if (is_any(argv[1], "--version", "-V"))
        return print_version();
    if (is_any(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0)
        return answer_help(argc > 2 ? find_subcommand(argv[2]) : NULL);

    const struct subcommand *subcommand = find_subcommand(argv[1]);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_any(argv[i], "--help", "-h"))
            return answer_help(subcommand);
    allow_long_paths(argc, argv);
    return subcommand->run(argc - 1, argv + 1);
}
