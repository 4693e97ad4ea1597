/*
 * The kernel cache: compiled code on disk, one file a kernel.
 *
 * A file holds the whole key (compiler, options, source) and the code with its checksum; both are compared when it is
 * loaded, so a file that is damaged, cut short or somebody else's is noticed and made anew.  It is written aside and
 * renamed.  A lock beside it lets one of several processes compile while the others wait for its result.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "jit/jit.h"

static const char magic[8] = {'M', 'N', 'P', 'K', 'E', 'R', 'N', '1'};

struct header {
    char magic[sizeof magic];
    uint64_t key_size, code_size, code_hash;
};

mnp_status mnp__jit_cache_path(const mnp__config *config, char **path_p)
{
    mnp__text text = MNP__TEXT_EMPTY;
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (*config->cache_dir && strcmp(config->cache_dir, "auto") != 0)
        mnp__text_add(&text, "%s", config->cache_dir);
    else if (xdg && *xdg)
        mnp__text_add(&text, "%s/maniple", xdg);
    else if (home && *home)
        mnp__text_add(&text, "%s/.cache/maniple", home);
    else
        mnp__text_add(&text, "/tmp/maniple-%ld", (long)geteuid());
    MNP_TRY(mnp__text_status(&text));
    *path_p = text.data;
    return MNP_OK;
}

static bool is_cache_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".kernel") == 0;
}

mnp_status mnp__jit_cache_usage(const char *path, int64_t *files_p, int64_t *bytes_p)
{
    int64_t files = 0, bytes = 0;
    DIR *directory = opendir(path);
    if (!directory && errno != ENOENT)
        return MNP_FAIL(MNP_ERR_IO, "cannot read the kernel cache %s: %s", path, strerror(errno));
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        struct stat info;
        if (is_cache_file(entry->d_name) && fstatat(dirfd(directory), entry->d_name, &info, 0) == 0) {
            files++;
            bytes += info.st_size;
        }
    }
    if (directory)
        closedir(directory);
    *files_p = files;
    *bytes_p = bytes;
    return MNP_OK;
}

/* mkdir -p; false if the folder is not there afterwards, or if others may write in it: code is loaded from it. */
static bool make_folder(const char *path)
{
    char partial[4096];
    struct stat info;
    if (strlen(path) >= sizeof partial)
        return false;
    strcpy(partial, path);
    for (char *slash = strchr(partial + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(partial, 0700); /* failures show below */
        *slash = '/';
    }
    mkdir(path, 0700);
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The code in a cache file, or NULL if there is none that this key made. */
static void *load(const char *path, const mnp__text *key, const mnp__log *log, size_t *size_p)
{
    struct header header;
    char *content = NULL, *code = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    struct stat info;
    bool good = fstat(fileno(file), &info) == 0 && fread(&header, sizeof header, 1, file) == 1 &&
                memcmp(header.magic, magic, sizeof magic) == 0 && header.key_size == key->length &&
                header.code_size <= (uint64_t)info.st_size &&
                sizeof header + header.key_size + header.code_size == (uint64_t)info.st_size;
    if (good) {
        content = malloc((size_t)info.st_size);
        size_t size = (size_t)(header.key_size + header.code_size);
        good = content && fread(content, 1, size, file) == size && memcmp(content, key->data, key->length) == 0 &&
               mnp__hash(MNP__HASH_START, content + key->length, (size_t)header.code_size) == header.code_hash;
    }
    if (good) {
        code = malloc((size_t)header.code_size);
        if (code)
            memcpy(code, content + key->length, (size_t)header.code_size);
        *size_p = (size_t)header.code_size;
    } else {
        MNP_LOG(log, MNP_LOG_WARN, "%s in the kernel cache is damaged; compiling again", path);
    }
    free(content);
    fclose(file);
    return code;
}

/* Write a cache file's content and close it; false, with errno, if that failed. */
static bool write_content(int fd, const mnp__text *key, const void *code, size_t size)
{
    struct header header = {.key_size = key->length, .code_size = size, .code_hash = mnp__hash(MNP__HASH_START, code, size)};
    memcpy(header.magic, magic, sizeof magic);
    FILE *file = fdopen(fd, "wb");
    if (!file) {
        close(fd);
        return false;
    }
    bool good = fwrite(&header, sizeof header, 1, file) == 1 && fwrite(key->data, 1, key->length, file) == key->length &&
                fwrite(code, 1, size, file) == size && fflush(file) == 0;
    int error = errno;
    if (fclose(file) != 0 && good)
        return false;
    errno = error;
    return good;
}

static void store(const char *path, const mnp__text *key, const void *code, size_t size, const mnp__log *log)
{
    mnp__text aside = MNP__TEXT_EMPTY;
    mnp__text_add(&aside, "%s.XXXXXX", path);
    int fd = aside.failed ? -1 : mkstemp(aside.data);
    if (fd < 0 || !write_content(fd, key, code, size) || rename(aside.data, path) != 0) {
        MNP_LOG(log, MNP_LOG_WARN, "cannot write %s in the kernel cache: %s", path, strerror(errno));
        if (fd >= 0)
            unlink(aside.data);
    }
    mnp__text_free(&aside);
}

/* Take the lock of a cache file, waiting for whoever holds it at most the deadline; -1 without it: then compile anyway. */
static int lock(const char *path, double seconds)
{
    struct flock request = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    for (int tries = 0; tries < 100 * seconds; tries++) {
        if (fcntl(fd, F_SETLK, &request) == 0)
            return fd;
        if (errno != EACCES && errno != EAGAIN)
            break; /* a file system without locks */
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
    close(fd);
    return -1;
}

static void unlock(int fd, const char *path)
{
    if (fd >= 0) {
        unlink(path);
        close(fd);
    }
}

static void dump_source(const mnp__compiler *compiler, const mnp__kernel_spec *spec, const char *source, uint64_t key)
{
    const char *folder = compiler->config->dump_kernels;
    mnp__text path = MNP__TEXT_EMPTY;
    if (!*folder)
        return;
    mkdir(folder, 0777);
    mnp__text_add(&path, "%s/%s-%s-%016" PRIx64 ".cu", folder, compiler->name, spec->function, key);
    FILE *file = path.failed ? NULL : fopen(path.data, "w");
    if (!file || fputs(source, file) < 0)
        MNP_LOG(&compiler->config->logger, MNP_LOG_WARN, "cannot write %s: %s", mnp__text_string(&path),
                strerror(errno));
    if (file)
        fclose(file);
    mnp__text_free(&path);
}

static mnp_status compile_into_cache(const mnp__compiler *compiler, const mnp__kernel_spec *spec, const char *source,
                                     const mnp__text *key, const char *path, void **binary_p, size_t *size_p)
{
    const mnp__log *log = &compiler->config->logger;
    mnp__text lock_path = MNP__TEXT_EMPTY;
    mnp_status st = MNP_OK;
    mnp__text_add(&lock_path, "%s.lock", path);
    MNP_TRY(mnp__text_status(&lock_path));
    int held = lock(lock_path.data, compiler->config->deadline_seconds);
    void *code = load(path, key, log, size_p); /* another process may have made it while this one waited */
    if (code) {
        *binary_p = code;
    } else {
        MNP_LOG(log, MNP_LOG_DEBUG, "compiling %s with %s", spec->function, compiler->name);
        st = compiler->compile(compiler, spec->file, source, binary_p, size_p);
        if (st == MNP_OK)
            store(path, key, *binary_p, *size_p, log);
    }
    unlock(held, lock_path.data);
    mnp__text_free(&lock_path);
    return st;
}

mnp_status mnp__jit_binary(const mnp__compiler *compiler, const mnp__kernel_spec *spec, void **binary_p, size_t *size_p)
{
    const mnp__log *log = &compiler->config->logger;
    char *source = NULL, *folder = NULL;
    mnp__text key = MNP__TEXT_EMPTY, path = MNP__TEXT_EMPTY;
    mnp_status st;
    MNP_TRY_OR(mnp__jit_source(spec, &source), st, done);
    MNP_TRY_OR(mnp__jit_cache_path(compiler->config, &folder), st, done);
    mnp__text_add(&key, "%s\n%s\n%s", compiler->name, compiler->identity, source);
    uint64_t key_hash = mnp__hash(MNP__HASH_START, key.data, key.length);
    mnp__text_add(&path, "%s/%s-%s-%016" PRIx64 ".kernel", folder, compiler->name, spec->function, key_hash);
    MNP_TRY_OR(mnp__text_status(&key), st, done);
    MNP_TRY_OR(mnp__text_status(&path), st, done);
    dump_source(compiler, spec, source, key_hash);
    if (!make_folder(folder)) {
        static atomic_bool warned; /* once is enough for all kernels of a process */
        if (!atomic_exchange(&warned, true))
            MNP_LOG(log, MNP_LOG_WARN, "the kernel cache %s cannot be used (it must be a folder of yours that others cannot "
                    "write in); kernels are compiled on every start", folder);
        st = compiler->compile(compiler, spec->file, source, binary_p, size_p);
        goto done;
    }
    void *code = access(path.data, F_OK) == 0 ? load(path.data, &key, log, size_p) : NULL;
    if (code)
        *binary_p = code;
    else
        st = compile_into_cache(compiler, spec, source, &key, path.data, binary_p, size_p);
done:
    mnp__text_free(&path);
    mnp__text_free(&key);
    free(folder);
    free(source);
    return st;
}
