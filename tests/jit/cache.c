/*
 * The kernel cache: hits, damage of every kind, a folder that cannot be used, and several processes at once.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"
#include "base/status.h"
#include "jit/jit.h"

static char folder[] = "/tmp/maniple-cache-test-XXXXXX";
static mnp__config config;

/* A compiler that counts its runs in a file, as other processes run it too, and whose code is its source's length. */
static mnp_status count_and_measure(const mnp__compiler *self, const char *name, const char *source, void **binary_p,
                                    size_t *size_p)
{
    char path[128];
    (void)self;
    (void)name;
    snprintf(path, sizeof path, "%s.runs", folder);
    FILE *runs = fopen(path, "a");
    fputc('x', runs);
    fclose(runs);
    usleep(100 * 1000);
    char *code = malloc(32);
    *size_p = (size_t)snprintf(code, 32, "length %zu", strlen(source));
    *binary_p = code;
    return MNP_OK;
}

static const mnp__compiler compiler = {"test", "identity 1", &config, count_and_measure};
static const mnp__kernel_spec spec = {"copy_boxes.cu", "copy_boxes", "#define MNP_SRC int\n", 0};

static int runs_so_far(void)
{
    char path[128];
    struct stat info;
    snprintf(path, sizeof path, "%s.runs", folder);
    return stat(path, &info) == 0 ? (int)info.st_size : 0;
}

/* Whether a request gives the right code, after that many further compilations. */
static bool gives(const mnp__compiler *by, const mnp__kernel_spec *what, int compilations)
{
    void *binary = NULL;
    size_t size = 0;
    char *source = NULL, expected[32];
    int before = runs_so_far();
    mnp_status st = mnp__jit_binary(by, what, &binary, &size);
    mnp__jit_source(what, &source);
    snprintf(expected, sizeof expected, "length %zu", strlen(source));
    bool right = st == MNP_OK && size == strlen(expected) && memcmp(binary, expected, size) == 0 &&
                 runs_so_far() == before + compilations;
    free(source);
    free(binary);
    return right;
}

/* The one file of the cache. */
static void cache_file(char *path, size_t room)
{
    char command[256];
    snprintf(command, sizeof command, "ls %s/*.kernel | head -n 1", folder);
    FILE *list = popen(command, "r");
    if (!list || !fgets(path, (int)room, list))
        *path = '\0';
    path[strcspn(path, "\n")] = '\0';
    if (list)
        pclose(list);
}

static void check_damage(void)
{
    char path[256];
    struct stat info;
    cache_file(path, sizeof path);
    stat(path, &info);
    ok(truncate(path, info.st_size - 1) == 0 && gives(&compiler, &spec, 1) && gives(&compiler, &spec, 0),
       "a file cut short is made anew");
    ok(truncate(path, 0) == 0 && gives(&compiler, &spec, 1), "an empty file is made anew");
    bool noticed = true;
    for (long at = 0; at < info.st_size; at += at < 40 || at > info.st_size - 20 ? 1 : 97) { /* everywhere that counts */
        FILE *file = fopen(path, "r+b");
        fseek(file, at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 0x40, file);
        fclose(file);
        noticed = noticed && gives(&compiler, &spec, 1);
    }
    ok(noticed, "a file with one bit flipped is made anew");
}

static void check_processes(void)
{
    mnp__kernel_spec other = spec;
    other.defines = "#define MNP_SRC long\n";
    int before = runs_so_far();
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            void *binary;
            size_t size;
            _exit(mnp__jit_binary(&compiler, &other, &binary, &size) != MNP_OK);
        }
    }
    int state, failures = 0;
    while (wait(&state) > 0)
        failures += state != 0;
    ok(failures == 0 && runs_so_far() == before + 1, "four processes at once compile a kernel once");
}

int main(void)
{
    char command[128];
    int64_t files, bytes;
    if (!mkdtemp(folder) || rmdir(folder) != 0)
        return skip_all("no temporary folder can be made");
    setenv("MANIPLE_CACHE_DIR", folder, 1);
    unsetenv("MANIPLE_DUMP_KERNELS");
    if (mnp__config_read("log=error", 0, &config) != MNP_OK)
        return 1;
    ok(mnp__jit_cache_usage(folder, &files, &bytes) == MNP_OK && files == 0 && bytes == 0,
       "a cache that is not there yet is empty");
    ok(gives(&compiler, &spec, 1), "the first request compiles");
    ok(gives(&compiler, &spec, 0), "the second does not");
    check_damage();

    mnp__compiler newer = compiler;
    newer.identity = "identity 2";
    ok(gives(&newer, &spec, 1) && gives(&compiler, &spec, 0), "another compiler has files of its own");
    mnp__kernel_spec defined = spec;
    defined.defines = "#define MNP_SRC short\n";
    ok(gives(&compiler, &defined, 1), "other definitions, another file");
    check_processes();
    ok(mnp__jit_cache_usage(folder, &files, &bytes) == MNP_OK && files == 4 && bytes > 0, "four files are counted");

    chmod(folder, 0777);
    ok(gives(&compiler, &spec, 1) && gives(&compiler, &spec, 1), "a folder that others may write in is not trusted");
    chmod(folder, 0700);
    snprintf(command, sizeof command, "rm -r %s %s.runs", folder, folder);
    int removed = system(command);
    mnp__config_free(&config);
    ok(removed == 0, "nothing else was left behind");
    return done_testing();
}
