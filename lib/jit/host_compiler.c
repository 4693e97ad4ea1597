/* SPDX-License-Identifier: BSD-3-Clause */
/* The compiler of the host device: the machine's C++ compiler, run as a process, which makes a shared object. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process/clock.h"
#include "base/process/leftovers.h"
#include "base/status.h"
#include "base/text.h"
#include "jit/cache.h"
#include "jit/jit.h"

extern char **environ;

/*
 * -ffp-contract: fused multiply-add, as on GPUs.  The next two allow vectorised loops without changing results.
 * -Bsymbolic: calls go to the kernel's own functions, not to functions of the same name in other libraries. libmvec,
 * which vectorises mathematical functions, is linked by -lm, which g++ adds.
 */
#define FIXED_OPTIONS                                                                                                  \
    "-std=gnu++17 -shared -fPIC -ffp-contract=fast -fno-math-errno -fno-trapping-math -fno-exceptions -fno-rtti -w "   \
    "-Wl,-Bsymbolic"
#ifdef MNP_SANITIZERS
#define CHECK_OPTIONS " -fsanitize=address,undefined -fno-omit-frame-pointer"
#else
#define CHECK_OPTIONS ""
#endif

/*
 * What kernels are linked with, the least first; each list ends with NULL.  To read the C library takes the linker
 * longer than all the rest, and C++'s library as long again.  Maniple's own kernels call no more of the C library than
 * memcpy() and the like, which every process has.  A user's text is linked with the C library; if it calls more than
 * that has, with the compiler's default libraries, such as C++'s.  The process has the sanitizers' functions.
 */
enum { OWN_KERNELS, USERS_KERNELS, DEFAULTS, NUM_LINKINGS };
static char *const linkings[NUM_LINKINGS][6] = {
    [OWN_KERNELS] = {"-nostartfiles", "-nodefaultlibs", "-lm", "-lgcc"},
    [USERS_KERNELS] = {"-nodefaultlibs", "-lm", "-lgcc", "-lc",
#ifndef MNP_SANITIZERS
                       "-Wl,-z,defs"
#endif
    },
};
enum { MOST_LIBRARIES = sizeof linkings[0] / sizeof *linkings[0] };

struct host_compiler {
    mnp__compiler base;
    char *path; /* the compiler's executable */
    char target[32];
    char *options; /* separated by spaces */
    char *identity;
};

/* Find the executable of a name such as "g++" in the folders of PATH.  *path_p is malloc'ed. */
static mnp_status find_executable(const char *name, char **path_p)
{
    const char *folders = getenv("PATH");
    mnp__text path = MNP__TEXT_EMPTY;
    if (strchr(name, '/') && access(name, X_OK) == 0)
        return mnp__strdup(name, path_p);
    for (const char *folder = folders; folder && *folder && !strchr(name, '/');) {
        size_t length = strcspn(folder, ":");
        mnp__text_add(&path, "%.*s/%s", (int)length, folder, name);
        MNP_TRY(mnp__text_status(&path));
        if (access(path.data, X_OK) == 0) {
            *path_p = path.data;
            return MNP_OK;
        }
        mnp__text_free(&path);
        folder += length + (folder[length] == ':');
    }
    return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                    "the host device compiles its kernels with a C++ compiler, and there is no '%s' "
                    "on this machine: install one, or name it in MANIPLE_CXX",
                    name);
}

/*
 * Append the meaning of -march=native: the processor as the kernel describes it, without values that change between
 * runs.
 */
static void append_processor(mnp__text *text)
{
    static const char *const telling[] = {"vendor_id", "cpu family", "model", "flags", "Features", "CPU ", "isa"};
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && getline(&line, &room, file) > 1) { /* an empty line ends the first processor */
        for (size_t i = 0; i < sizeof telling / sizeof *telling; i++) {
            if (mnp__text_begins(line, telling[i]))
                mnp__text_add(text, "%s", line);
        }
    }
    if (file)
        fclose(file);
    free(line);
}

static mnp_status describe(const struct host_compiler *compiler, char **identity_p)
{
    mnp__text text = MNP__TEXT_EMPTY;
    struct stat info;
    char *resolved = realpath(compiler->path, NULL);
    mnp__text_add(&text, "%s", resolved ? resolved : compiler->path);
    free(resolved);
    if (stat(compiler->path, &info) == 0) /* a new version has another size or time */
        mnp__text_add(&text, " of %" PRId64 " bytes at %" PRId64, (int64_t)info.st_size, (int64_t)info.st_mtime);
    mnp__text_add(&text, "\n%s", compiler->options);
    for (int i = 0; i < NUM_LINKINGS; i++) {
        for (char *const *library = linkings[i]; *library; library++)
            mnp__text_add(&text, " %s", *library);
    }
    mnp__text_add(&text, "\n");
    append_processor(&text);
    MNP_TRY(mnp__text_status(&text));
    *identity_p = text.data;
    return MNP_OK;
}

static mnp_status read_file(const char *path, void **data_p, size_t *size_p)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    mnp_status st = MNP_OK;
    if (!file || fstat(fileno(file), &info) != 0) {
        st = MNP_FAIL(MNP_ERR_IO, "cannot read %s: %s", path, strerror(errno));
        goto done;
    }
    MNP_TRY_OR(mnp__malloc((size_t)info.st_size + 1, &data), st, done);
    *size_p = fread(data, 1, (size_t)info.st_size, file);
    data[*size_p] = '\0';
    *data_p = data;
done:
    if (file)
        fclose(file);
    return st;
}

static mnp_status write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we"); /* e: not for compilers that other threads start meanwhile */
    bool good = file && fputs(text, file) >= 0;
    int error = errno;
    if (file && fclose(file) != 0)
        good = false;
    return good ? MNP_OK : MNP_FAIL(MNP_ERR_IO, "cannot write %s to compile it: %s", path, strerror(error));
}

/* End a compiler and the programs that it has started, which may take a second to remove their files. */
static void end_group(pid_t leader)
{
    int state;
    kill(-leader, SIGTERM);
    for (int i = 0; i < 100 && waitpid(leader, &state, WNOHANG) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    kill(-leader, SIGKILL);
    waitpid(leader, &state, 0);
}

/*
 * Wait for a child, and end it if that takes longer than the limit, in seconds, or nobody needs it any more; *state_p
 * is as waitpid() gives it.
 */
static mnp_status wait_for(const struct host_compiler *compiler, pid_t child, int *state_p)
{
    const double begin = mnp__seconds_now(), limit = compiler->base.config->busy_deadline_seconds;
    for (pid_t ended; (ended = waitpid(child, state_p, WNOHANG)) != child;) {
        const double passed = mnp__seconds_now() - begin, pause = passed < 0.1  ? 0.001
                                                                  : passed < 10 ? passed / 100
                                                                                : 0.1;
        if (ended < 0 && errno != EINTR)
            return MNP_FAIL(MNP_ERR_UNSUPPORTED, "cannot wait for %s: %s", compiler->path, strerror(errno));
        if (passed > limit || mnp__ahead_ends(compiler->base.ahead)) {
            end_group(child);
            return MNP_FAIL(MNP_ERR_COMPILE, "%s has compiled for %g seconds (MANIPLE_BUSY_DEADLINE), and was ended",
                            compiler->path, limit);
        }
        nanosleep(&(struct timespec){.tv_nsec = (long)(pause * 1e9)}, NULL);
    }
    return MNP_OK;
}

/* Start a program as the leader of a group of its own, with its output in a file.  As posix_spawn(), 0 or an error. */
static int start(char *const *arguments, const char *output, pid_t *child_p)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none; /* the threads that compile get no signals, but their compilers do */
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    const int error = posix_spawn(child_p, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Run a compiler and write its output to a file; *exit_p is its exit status, or -1 if a signal ended it. */
static mnp_status run(const struct host_compiler *compiler, char *const *arguments, const char *output, int *exit_p)
{
    pid_t child;
    int state = 0;
    if (mnp__leftovers_are_removed())
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "the process ends, and %s is not started any more", arguments[0]);
    const int error = start(arguments, output, &child);
    if (error)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "cannot run %s: %s", arguments[0], strerror(error));
    mnp__leftover_guard_group(child);
    const mnp_status st = wait_for(compiler, child, &state);
    mnp__leftover_release_group(child);
    *exit_p = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    return st;
}

enum { MAX_ARGUMENTS = 128 };

/* What one compilation has on disk.  The folder comes first, as leftovers.h asks. */
enum { FOLDER, INPUT, OUTPUT, WORDS, NUM_PATHS };
typedef struct workplace {
    char path[NUM_PATHS][1280];
} workplace;

/* Make a new folder, and the names of the files in it; remove folders that killed processes have left beside it. */
static mnp_status make_workplace(const mnp__kernel_spec *spec, workplace *work)
{
    static atomic_bool swept;
    const char *temporary = getenv("TMPDIR");
    char owner[MNP__OWNER_ROOM];
    if (!temporary || !*temporary)
        temporary = "/tmp";
    if (!atomic_exchange(&swept, true))
        mnp__leftovers_sweep(temporary);
    mnp__owner_mark(owner);
    const int room = (int)sizeof work->path[FOLDER] - 256; /* for the names of the files */
    int length = snprintf(work->path[FOLDER], (size_t)room, "%s/maniple%s.XXXXXX", temporary, owner);
    if (length < 0 || length >= room || !mnp__leftover_make_folder(work->path[FOLDER]))
        return MNP_FAIL(MNP_ERR_IO, "cannot make a folder such as %s to compile in (see TMPDIR): %s",
                        work->path[FOLDER], strerror(errno));
    const char *slash = strrchr(spec->file, '/');
    const char *const names[] = {[INPUT] = slash ? slash + 1 : spec->file, [OUTPUT] = "code.so", [WORDS] = "words.txt"};
    for (int i = INPUT; i < NUM_PATHS; i++)
        snprintf(work->path[i], sizeof work->path[i], "%.1023s/%.255s", work->path[FOLDER], names[i]);
    for (int i = INPUT; i < NUM_PATHS; i++)
        mnp__leftover_guard(work->path[i]);
    return MNP_OK;
}

/* Programs that a compiler had started may make a file until they have ended too. */
static void remove_workplace(const workplace *work)
{
    enum { TRIES = 50, PAUSE = 10 * 1000 * 1000 };
    for (int t = 0; t < TRIES; t++) {
        for (int i = NUM_PATHS - 1; i > FOLDER; i--)
            unlink(work->path[i]);
        if (rmdir(work->path[FOLDER]) == 0 || (errno != ENOTEMPTY && errno != EEXIST))
            break;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
    }
    for (int i = NUM_PATHS - 1; i >= 0; i--)
        mnp__leftover_release(work->path[i]);
}

/* Split the options at spaces and append them to the arguments; MNP_ERR_ARG if there are too many. */
static mnp_status append_options(char *options, char **arguments, int *count, int room)
{
    char *state = NULL;
    for (char *option = strtok_r(options, " \t\n", &state); option; option = strtok_r(NULL, " \t\n", &state)) {
        if (*count == room)
            return MNP_FAIL(MNP_ERR_ARG,
                            "the options of the C++ compiler are too many: MANIPLE_CXXFLAGS, Maniple's own and "
                            "the kernel's should be fewer than %d",
                            room);
        arguments[(*count)++] = option;
    }
    return MNP_OK;
}

/* Run the compiler in the folder, with a list of libraries. */
static mnp_status run_compiler(const struct host_compiler *compiler, const workplace *work,
                               const mnp__kernel_spec *spec, char *const *libraries, int *exit_p)
{
    char *const rest[] = {"-x", "c++", "-o", (char *)work->path[OUTPUT], (char *)work->path[INPUT]};
    enum { REST = sizeof rest / sizeof *rest };
    mnp__text options = MNP__TEXT_EMPTY;
    char *arguments[MAX_ARGUMENTS] = {compiler->path};
    int count = 1;
    mnp_status st;
    mnp__text_add(&options, "%s %s%s", compiler->options, spec->host_options ? spec->host_options : "",
                  spec->raw && libraries == linkings[DEFAULTS] ? " -DMNP_PLAIN_INDICES" : "");
    MNP_TRY_OR(mnp__text_status(&options), st, done);
    MNP_TRY_OR(append_options(options.data, arguments, &count, MAX_ARGUMENTS - REST - MOST_LIBRARIES - 1), st, done);
    memcpy(arguments + count, rest, sizeof rest);
    count += REST;
    while (*libraries)
        arguments[count++] = *libraries++;
    arguments[count] = NULL;
    st = run(compiler, arguments, work->path[WORDS], exit_p);
done:
    mnp__text_free(&options);
    return st;
}

/*
 * Compile and link.  If a user's text cannot be, the errors of the attempt with the default libraries are reported, in
 * which the indices of raw modules are plain (kernels/custom/raw_index.h).
 */
static mnp_status compile_in(const struct host_compiler *compiler, const workplace *work, const mnp__kernel_spec *spec,
                             const char *source, mnp__binary *binary)
{
    void *words = NULL;
    size_t words_size;
    int exit_status = -1;
    MNP_TRY(write_file(work->path[INPUT], source));
    MNP_TRY(run_compiler(compiler, work, spec, linkings[spec->users ? USERS_KERNELS : OWN_KERNELS], &exit_status));
    if (exit_status > 0 && spec->users) {
        MNP_LOG(&compiler->base.config->logger, MNP_LOG_DEBUG, "linking %s with the compiler's own libraries",
                spec->function);
        MNP_TRY(run_compiler(compiler, work, spec, linkings[DEFAULTS], &exit_status));
    }
    if (exit_status == 0)
        return read_file(work->path[OUTPUT], &binary->code, &binary->size);
    mnp_status st = read_file(work->path[WORDS], &words, &words_size);
    if (st == MNP_OK)
        st = mnp__jit_compile_error(compiler->path, spec, words, source);
    free(words);
    return st;
}

/* Append the pairs of a name expression and the name that mnp__jit_rewrite_for_host() gave it. */
static mnp_status append_names(const mnp__kernel_spec *spec, mnp__binary *binary)
{
    mnp__text names = MNP__TEXT_EMPTY;
    for (int i = 0; spec->name_expressions && spec->name_expressions[i]; i++) {
        const char *expression = spec->name_expressions[i];
        mnp__text_add_bytes(&names, expression, strlen(expression) + 1);
        mnp__text_add(&names, "mnp_expression_%d", i);
        mnp__text_add_bytes(&names, "", 1);
    }
    binary->names = names.data;
    binary->names_size = names.length;
    return mnp__text_status(&names);
}

static mnp_status compile(const mnp__compiler *self, const mnp__kernel_spec *spec, const char *source,
                          mnp__binary *binary)
{
    workplace work;
    mnp__binary made = {NULL, 0, NULL, 0};
    MNP_TRY(make_workplace(spec, &work));
    mnp_status st = compile_in((const struct host_compiler *)self, &work, spec, source, &made);
    remove_workplace(&work);
    if (st == MNP_OK)
        st = append_names(spec, &made);
    if (st == MNP_OK)
        *binary = made;
    else
        mnp__binary_free(&made);
    return st;
}

mnp_status mnp__host_compiler_new(const mnp__config *config, mnp__compiler **compiler_p)
{
    struct host_compiler *compiler;
    mnp__text options = MNP__TEXT_EMPTY;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *compiler, &compiler));
    MNP_TRY_OR(find_executable(strcmp(config->cxx, "auto") == 0 ? MNP_HOST_CXX : config->cxx, &compiler->path), st,
               fail);
    mnp__text_add(&options, FIXED_OPTIONS CHECK_OPTIONS " %s", config->cxxflags);
    MNP_TRY_OR(mnp__text_status(&options), st, fail);
    compiler->options = options.data;
    MNP_TRY_OR(describe(compiler, &compiler->identity), st, fail);
    const char *slash = strrchr(compiler->path, '/');
    snprintf(compiler->target, sizeof compiler->target, "%s", slash ? slash + 1 : compiler->path);
    compiler->base = (mnp__compiler){.name = "host",
                                     .target = compiler->target,
                                     .identity = compiler->identity,
                                     .config = config,
                                     .compile = compile,
                                     .rewrite = mnp__jit_rewrite_for_host};
    mnp__leftovers_expect(); /* of threads that compile */
    *compiler_p = &compiler->base;
    return MNP_OK;
fail:
    mnp__host_compiler_free(&compiler->base);
    return st;
}

void mnp__host_compiler_free(mnp__compiler *self)
{
    struct host_compiler *compiler = (struct host_compiler *)self;
    if (!compiler)
        return;
    mnp__ahead_free(self->ahead);
    free(compiler->path);
    free(compiler->options);
    free(compiler->identity);
    free(compiler);
}
