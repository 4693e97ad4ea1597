/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel cache: hits, damage of every kind, a folder that cannot be used, several processes at once, what it lists
 * and what it removes, and the places of errors.  And the host's compiler: what it links kernels with.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "base/status.h"
#include "jit/jit.h"

static char folder[] = "/tmp/maniple-cache-test-XXXXXX";
static useconds_t compilation = 1000; /* how long it takes */
static mnp__config config;

/* A compiler that counts its runs in a file, as other processes run it too, and whose code is its source's length. */
static mnp_status count_and_measure(const mnp__compiler *self, const mnp__kernel_spec *what, const char *source,
                                    mnp__binary *binary)
{
    char path[128];
    (void)self;
    snprintf(path, sizeof path, "%s.runs", folder);
    FILE *runs = fopen(path, "a");
    fputc('x', runs);
    fclose(runs);
    usleep(compilation);
    char *code = malloc(32);
    *binary = (mnp__binary){.code = code, .size = (size_t)snprintf(code, 32, "length %zu", strlen(source))};
    if (what->name_expressions) {
        static const char names[] = "f<int>\0_Z1fIiE\0f<float>\0_Z1fIfE";
        binary->names = malloc(sizeof names);
        binary->names_size = sizeof names;
        memcpy(binary->names, names, sizeof names);
    }
    return MNP_OK;
}

static const mnp__compiler compiler = {
    .name = "test", .target = "paper", .identity = "identity 1", .config = &config, .compile = count_and_measure};
static const mnp__kernel_spec spec = {
    .file = "array/copy_boxes.cu", .function = "copy_boxes", .defines = "#define MNP_SRC int\n"};

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
    mnp__binary binary = {NULL, 0, NULL, 0};
    char *source = NULL, expected[32];
    int before = runs_so_far();
    mnp_status st = mnp__jit_binary(by, what, &binary);
    mnp__jit_source(what, false, &source);
    snprintf(expected, sizeof expected, "length %zu", strlen(source));
    const char *name = mnp__binary_name(&binary, "f<float>");
    bool right = st == MNP_OK && binary.size == strlen(expected) && memcmp(binary.code, expected, binary.size) == 0 &&
                 (what->name_expressions ? name && strcmp(name, "_Z1fIfE") == 0 : !name) &&
                 runs_so_far() == before + compilations;
    free(source);
    mnp__binary_free(&binary);
    return right;
}

/* The one file of the cache. */
static void cache_file(char *path, size_t room)
{
    char command[256];
    snprintf(command, sizeof command, "ls -d %s/*.kernel | head -n 1", folder);
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
    for (long at = 0; at < info.st_size;
         at += at < 40 || at > info.st_size - 20 ? 1 : 97) { /* everywhere that counts */
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

/* Put something else in the place of the cache's file, by a command of the shell, and ask again. */
static bool survives(const char *command, const char *path)
{
    char line[1024];
    snprintf(line, sizeof line, command, path);
    return system(line) == 0 && gives(&compiler, &spec, 1) && gives(&compiler, &spec, 0);
}

static void check_replaced(void)
{
    char path[256], lock[300], command[1280];
    cache_file(path, sizeof path);
    ok(survives("rm '%1$s' && mkdir '%1$s'", path), "an empty folder in its place goes");
    ok(survives("rm '%1$s' && mkfifo '%1$s'", path), "a pipe in its place does not keep us waiting");
    ok(survives("rm '%1$s' && ln -s /nowhere/at/all '%1$s'", path), "nor does a link to nothing");
    ok(survives("chmod 000 '%1$s' && test ! -r '%1$s' || echo x > '%1$s'", path),
       "a file that cannot be read is made anew");
    ok(survives("cat '%1$s' '%1$s' > '%1$s'.x && mv '%1$s'.x '%1$s'", path), "so is one that is too long");

    mnp__kernel_spec other = spec;
    other.defines = "#define MNP_SRC char\n";
    ok(gives(&compiler, &other, 1) &&
           survives("for f in $(dirname '%1$s')/*.kernel; do test $f = '%1$s' || mv $f '%1$s'; done", path),
       "so is another kernel's file under this one's name");

    snprintf(lock, sizeof lock, "%s.lock", path);
    pid_t child = fork();
    if (child == 0) { /* a process that dies with the lock in its hands, and half a file */
        struct flock request = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int fd = open(lock, O_RDWR | O_CREAT, 0600);
        _exit(fd < 0 || fcntl(fd, F_SETLK, &request) != 0);
    }
    int state;
    waitpid(child, &state, 0);
    ok(state == 0 && access(lock, F_OK) == 0 && survives("echo half > '%1$s'.mnp1-2-3.aB3dE6; rm '%1$s'", path),
       "a lock that nobody holds any more keeps nobody waiting");

    snprintf(command, sizeof command, "rm '%s' && mkdir '%s' && touch '%s/x'", path, path, path);
    bool blocked = system(command) == 0 && gives(&compiler, &spec, 1) && gives(&compiler, &spec, 1);
    snprintf(command, sizeof command, "rm -r '%s'", path);
    ok(blocked && system(command) == 0 && gives(&compiler, &spec, 1) && gives(&compiler, &spec, 0),
       "a folder with something in it stays, and costs a compilation each time");
}

static void check_names(void)
{
    mnp__kernel_spec named = spec;
    named.name_expressions = (const char *const[]){"f<int>", "f<float>", NULL};
    ok(gives(&compiler, &named, 1) && gives(&compiler, &named, 0),
       "the names of name expressions are cached with the code");
    named.nvrtc_options = "-DX=1";
    ok(gives(&compiler, &named, 1) && gives(&compiler, &named, 0), "other options, another file");
}

static void check_list_and_clear(void)
{
    char command[512];
    mnp_cache_entry *entries = NULL;
    int64_t count = 0, files = 0, bytes = 0, left = -1, left_bytes;
    snprintf(command, sizeof command,
             "cd '%s' && touch keep.kernel my-kernel-notes.txt && mkdir -p d-0123456789abcdef.kernel && "
             "echo x > ../%s.outside && "
             "ln -s ../%s.outside host-link-0123456789abcdef.kernel && echo y > host-bad-0123456789abcdef.kernel",
             folder, strrchr(folder, '/') + 1, strrchr(folder, '/') + 1);
    bool ready = system(command) == 0 && mnp__jit_cache_list(folder, &entries, &count) == MNP_OK;
    int ours = 0, unknown = 0;
    for (int64_t k = 0; k < count; k++) {
        ours += strcmp(entries[k].kernel, "copy_boxes") == 0 && strcmp(entries[k].compiler, "test") == 0 &&
                strcmp(entries[k].target, "paper") == 0 && entries[k].bytes > 0 && entries[k].modified > 1500000000;
        unknown += strcmp(entries[k].kernel, "?") == 0;
    }
    ok(ready && ours >= 4 && unknown == 3 && ours + unknown == count,
       "%d kernels and %d things that are none are listed", ours, unknown);
    free(entries);
    bool cleared = mnp__jit_cache_clear(folder, &files, &bytes) == MNP_OK &&
                   mnp__jit_cache_usage(folder, &left, &left_bytes) == MNP_OK;
    snprintf(command, sizeof command,
             "cd '%s' && test -e keep.kernel && test -e my-kernel-notes.txt && test -s ../%s.outside && "
             "test $(ls | wc -l) = 3 && rm -r keep.kernel my-kernel-notes.txt d-* ../%s.outside",
             folder, strrchr(folder, '/') + 1, strrchr(folder, '/') + 1);
    ok(cleared && files == ours + 2 && left == 1 && bytes > 0 && system(command) == 0,
       "they are cleared, and nothing else is");
    ok(mnp__jit_cache_clear("/nowhere/at/all", &files, &bytes) == MNP_OK && files == 0 && bytes == 0,
       "a cache that is not there is clear");
    ok(mnp__jit_cache_clear("/dev/null", &files, &bytes) == MNP_ERR_IO, "what is no folder is an error: %s",
       mnp_error_message());
}

static void check_settings(void)
{
    mnp__config odd;
    mnp__compiler other = compiler;
    char path[128], command[256];
    other.config = &odd;
    setenv("MANIPLE_CACHE_DIR", "/dev/null/cache", 1);
    setenv("MANIPLE_DUMP_KERNELS", "/dev/null/dump", 1);
    ok(mnp__config_read("log=error", 0, &odd) == MNP_OK && gives(&other, &spec, 1) && gives(&other, &spec, 1),
       "folders that cannot be made cost compilations, and are no errors");
    mnp__config_free(&odd);
    snprintf(path, sizeof path, "%s/a/b c", folder);
    setenv("MANIPLE_CACHE_DIR", path, 1);
    setenv("MANIPLE_DUMP_KERNELS", path, 1);
    snprintf(command, sizeof command,
             "cd '%s' && test $(ls *.kernel | wc -l) = 1 && grep -q 'define MNP_SRC int' test-copy_boxes-*.cu && "
             "cd ../.. && rm -r a",
             path);
    ok(mnp__config_read("log=error", 0, &odd) == MNP_OK && gives(&other, &spec, 1) && gives(&other, &spec, 0) &&
           system(command) == 0,
       "folders are made; MANIPLE_DUMP_KERNELS keeps the source");
    mnp__config_free(&odd);
    unsetenv("MANIPLE_DUMP_KERNELS");
    setenv("MANIPLE_CACHE_DIR", folder, 1);
}

static void check_error(const char *words, const char *expected)
{
    static const char source[] =
        "one\ntwo\n#line 1 \"user's own\"\nfirst\nsecond\n#line 8 \"other.h\"\neighth\nninth\n";
    mnp_status st = mnp__jit_compile_error("cc", &(mnp__kernel_spec){.file = "file.cu"}, words, source);
    bool found = strstr(mnp_error_message(), expected) != NULL;
    ok(st == MNP_ERR_COMPILE && found, "the place of an error: %.*s", (int)strcspn(words, "\n"), words);
}

static void check_errors(void)
{
    check_error("/tmp/x/file.cu:2:7: error: no",
                "kernel file.cu does not compile with cc:\n/tmp/x/file.cu:2:7: error: no\n     1 | one\n>    2 | two");
    check_error(
        "user's own:2:1: error: no",
        "kernel user's own does not compile with cc:\nuser's own:2:1: error: no\n     1 | first\n>    2 | second");
    check_error("user's own(1): error: no", "\n>    1 | first\n     2 | second");
    check_error("other.h:9: error", "\n     8 | eighth\n>    9 | ninth");
    check_error("file.cu:1: note: so\nuser's own:1: error", ">    1 | first");
    check_error("another.h:9: error", "kernel file.cu does not compile with cc:\nanother.h:9: error");
    check_error("file.cu:77: error", "file.cu:77: error");
}

static void check_processes(void)
{
    mnp__kernel_spec other = spec;
    other.defines = "#define MNP_SRC long\n";
    int before = runs_so_far();
    compilation = 200 * 1000;
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            mnp__binary binary;
            _exit(mnp__jit_binary(&compiler, &other, &binary) != MNP_OK);
        }
    }
    int state, failures = 0;
    while (wait(&state) > 0)
        failures += state != 0;
    compilation = 1000;
    ok(failures == 0 && runs_so_far() == before + 1, "four processes at once compile a kernel once");
}

/* What the function of compiled code gives for 7, or -1 if it cannot be called. */
static long call(const mnp__binary *binary)
{
    char path[128];
    long (*function)(long) = NULL, result = -1;
    snprintf(path, sizeof path, "%s.so", folder);
    FILE *file = fopen(path, "wb");
    if (!file)
        return -1;
    bool written = fwrite(binary->code, 1, binary->size, file) == binary->size;
    written = fclose(file) == 0 && written;
    void *library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *address = library ? dlsym(library, "function") : NULL;
    memcpy(&function, &address, sizeof function); /* ISO C has no cast from object to function pointers */
    if (function)
        result = function(7);
    else
        printf("# %s\n", dlerror());
    if (library)
        dlclose(library);
    unlink(path);
    return result;
}

static void check_compiled(const mnp__compiler *host, bool users, const char *source, const char *what)
{
    const mnp__kernel_spec any = {.file = "any.cu", .function = "function", .defines = "", .users = users};
    mnp__binary binary = {NULL, 0, NULL, 0};
    mnp_status st = host->compile(host, &any, source, &binary);
    if (!ok(st == MNP_OK && call(&binary) == 14, "the host's compiler: %s", what) && st != MNP_OK)
        printf("# %s\n", mnp_error_message());
    mnp__binary_free(&binary);
}

static void check_host_compiler(void)
{
    mnp__config odd = config;
    mnp__compiler *host = NULL;
    odd.cxx = (char[]){"no-such-compiler"};
    ok(mnp__host_compiler_new(&odd, &host) == MNP_ERR_UNSUPPORTED && !host &&
           strstr(mnp_error_message(), "no 'no-such-compiler' on this machine"),
       "a compiler that is not there: %s", mnp_error_message());
    if (!ok(mnp__host_compiler_new(&config, &host) == MNP_OK, "the host's compiler"))
        return;
    for (int users = 0; users < 2; users++) {
        printf("# %s\n", users ? "a user's text" : "a kernel of Maniple's");
        check_compiled(host, users, "extern \"C\" long function(long x) { return 2 * x; }", "arithmetic");
        check_compiled(host, users,
                       "extern \"C\" double hypot(double, double);\n"
                       "extern \"C\" long function(long x) { return (long)hypot(0, 2.0 * x); }",
                       "a function of the mathematical library");
        check_compiled(host, users,
                       "extern \"C\" void *memchr(const void *, int, unsigned long);\n"
                       "extern \"C\" long function(long x)\n"
                       "{ char text[99] = {}; text[2 * x] = 1; return (char *)memchr(text, 1, 99) - text; }",
                       "a function of the C library");
        check_compiled(host, users,
                       "extern \"C\" long function(long x)\n"
                       "{ volatile unsigned __int128 y = 28 * x; return (long)(y / x * x / 14); }",
                       "a function of the compiler's own library");
    }
    check_compiled(host, true,
                   "#include <string>\n"
                   "extern \"C\" long function(long x) { std::string s(x, ' '); s += s; return (long)s.size(); }",
                   "functions of C++'s library");
    mnp__host_compiler_free(host);
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
    check_replaced();

    mnp__compiler newer = compiler;
    newer.identity = "identity 2";
    ok(gives(&newer, &spec, 1) && gives(&compiler, &spec, 0), "another compiler has files of its own");
    mnp__kernel_spec defined = spec;
    defined.defines = "#define MNP_SRC short\n";
    ok(gives(&compiler, &defined, 1), "other definitions, another file");
    check_processes();
    ok(mnp__jit_cache_usage(folder, &files, &bytes) == MNP_OK && files == 4 && bytes > 0, "four files are counted");
    check_names();
    check_list_and_clear();
    ok(gives(&compiler, &spec, 1) && gives(&compiler, &spec, 0), "the cache works on");
    check_settings();
    check_errors();
    check_host_compiler();

    chmod(folder, 0777);
    ok(gives(&compiler, &spec, 1) && gives(&compiler, &spec, 1), "a folder that others may write in is not trusted");
    chmod(folder, 0700);
    snprintf(command, sizeof command, "rm -r %s %s.runs", folder, folder);
    int removed = system(command);
    mnp__config_free(&config);
    ok(removed == 0, "nothing else was left behind");
    return done_testing();
}
