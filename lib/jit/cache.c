/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel cache: compiled code on disk, one file for each kernel.
 *
 * A file contains the whole key (compiler, options, headers, source), the names that name expressions have in the code,
 * and the code, with a checksum.  All of these are verified when the file is loaded, so a file that is damaged,
 * truncated or from another program is noticed and replaced.  A new file is written under a temporary name and renamed
 * when it is complete.  A lock file lets one of several processes compile while the others wait for its result.
 */
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
#include "base/process/leftovers.h"
#include "base/status.h"
#include "base/text.h"
#include "jit/cache.h"
#include "jit/jit.h"

void mnp__binary_free(mnp__binary *binary)
{
    free(binary->code);
    free(binary->names);
    *binary = (mnp__binary){NULL, 0, NULL, 0};
}

const char *mnp__binary_name(const mnp__binary *binary, const char *expression)
{
    for (size_t at = 0; at < binary->names_size;) {
        const char *first = binary->names + at, *second = first + strlen(first) + 1;
        if (strcmp(first, expression) == 0)
            return second;
        at = (size_t)(second - binary->names) + strlen(second) + 1;
    }
    return NULL;
}

/*
 * mkdir -p.  False if the folder does not exist afterwards, or if other users may write to it: its files are executed.
 */
static bool make_folder(const char *path)
{
    char partial[4096];
    struct stat info;
    if (strlen(path) >= sizeof partial)
        return false;
    strcpy(partial, path);
    for (char *slash = strchr(partial + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(partial, 0700); /* stat() below finds a failure */
        *slash = '/';
    }
    mkdir(path, 0700);
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

#define UNUSABLE "the kernel cache %s cannot be used (it must be a folder of yours that others cannot write in)"

mnp_status mnp__jit_cache_check(const char *path)
{
    if (make_folder(path) && access(path, W_OK) == 0)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_IO, UNUSABLE "; no kernel can be kept there", path);
}

/* Read the parts of a cache file after its header, malloc'ed; NULL if they do not belong to this key. */
static char *read_parts(int fd, const mnp__text *key, mnp__cache_header *header)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || read(fd, header, sizeof *header) != (ssize_t)sizeof *header)
        return NULL;
    uint64_t size = (uint64_t)info.st_size - sizeof *header;
    if (memcmp(header->magic, MNP__CACHE_MAGIC, sizeof header->magic) != 0 || header->key_size != key->length ||
        header->names_size > size || header->code_size > size ||
        header->key_size + header->names_size + header->code_size != size)
        return NULL;
    char *parts = malloc((size_t)size);
    size_t rest = (size_t)(size - header->key_size);
    if (parts && read(fd, parts, (size_t)size) == (ssize_t)size && memcmp(parts, key->data, key->length) == 0 &&
        mnp__hash(MNP__HASH_START, parts + key->length, rest) == header->hash)
        return parts;
    free(parts);
    return NULL;
}

/* Load a cache file; false if there is none for this key. */
static bool load(const char *path, const mnp__text *key, const mnp__log *log, mnp__binary *binary)
{
    mnp__cache_header header;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe of this name must not block the process */
    if (fd < 0 && errno == ENOENT)
        return false;
    char *parts = fd >= 0 ? read_parts(fd, key, &header) : NULL;
    if (fd >= 0)
        close(fd);
    mnp__binary found = {NULL, 0, NULL, 0};
    if (parts) {
        found = (mnp__binary){malloc((size_t)header.code_size + 1), (size_t)header.code_size,
                              malloc((size_t)header.names_size + 1), (size_t)header.names_size};
        if (found.code && found.names) {
            memcpy(found.names, parts + key->length, found.names_size);
            memcpy(found.code, parts + key->length + found.names_size, found.size);
            *binary = found;
            free(parts);
            return true;
        }
        mnp__binary_free(&found);
        free(parts);
    }
    MNP_LOG(log, MNP_LOG_WARN, "%s in the kernel cache is damaged; compiling again", path);
    return false;
}

/* Write a cache file and close it; false, with errno set, if that fails. */
static bool write_content(int fd, const mnp__text *key, const mnp__binary *binary)
{
    mnp__cache_header header = {.key_size = key->length, .names_size = binary->names_size, .code_size = binary->size};
    memcpy(header.magic, MNP__CACHE_MAGIC, sizeof header.magic);
    header.hash = mnp__hash(MNP__HASH_START, binary->names, binary->names_size);
    header.hash = mnp__hash(header.hash, binary->code, binary->size);
    FILE *file = fdopen(fd, "wb");
    if (!file) {
        close(fd);
        return false;
    }
    bool good = fwrite(&header, sizeof header, 1, file) == 1 &&
                fwrite(key->data, 1, key->length, file) == key->length &&
                (binary->names_size == 0 || /* names is NULL then */
                 fwrite(binary->names, 1, binary->names_size, file) == binary->names_size) &&
                fwrite(binary->code, 1, binary->size, file) == binary->size && fflush(file) == 0;
    int error = errno;
    if (fclose(file) != 0 && good)
        return false;
    errno = error;
    return good;
}

/* Replace a file by another.  An empty folder of the name, which rename() does not replace, is removed first. */
static bool replace(const char *from, const char *to)
{
    return rename(from, to) == 0 || (errno == EISDIR && rmdir(to) == 0 && rename(from, to) == 0);
}

static atomic_llong added_files, added_bytes; /* by this process */

static void store(const char *path, const mnp__text *key, const mnp__binary *binary, const mnp__log *log)
{
    char owner[MNP__OWNER_ROOM];
    mnp__text aside = MNP__TEXT_EMPTY;
    mnp__owner_mark(owner);
    mnp__text_add(&aside, "%s%s.XXXXXX", path, owner);
    int fd = aside.failed ? -1 : mkstemp(aside.data);
    if (fd < 0 || !write_content(fd, key, binary) || !replace(aside.data, path)) {
        MNP_LOG(log, MNP_LOG_WARN, "cannot write %s in the kernel cache: %s", path, strerror(errno));
        if (fd >= 0)
            unlink(aside.data);
    } else {
        atomic_fetch_add(&added_files, 1);
        atomic_fetch_add(&added_bytes,
                         (long long)(sizeof(mnp__cache_header) + key->length + binary->names_size + binary->size));
    }
    mnp__text_free(&aside);
}

void mnp__jit_cache_added(int64_t *files_p, int64_t *bytes_p)
{
    *files_p = atomic_load(&added_files);
    *bytes_p = atomic_load(&added_bytes);
}

/* Whether a file is still the one of that path: who held its lock before, or swept the folder, may have removed it. */
static bool is_at(int fd, const char *path)
{
    struct stat own, there;
    return fstat(fd, &own) == 0 && stat(path, &there) == 0 && own.st_ino == there.st_ino && own.st_dev == there.st_dev;
}

/*
 * Take the lock of a cache file; wait for its holder for so many seconds at most, and *busy_p says whether there still
 * is one.  -1 without the lock: the caller then compiles without it.
 */
static int lock(const char *path, double seconds, bool *busy_p)
{
    struct flock request = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = -1;
    *busy_p = false;
    for (int tries = 0;; tries++) {
        if (fd < 0 && (fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0)
            return -1;
        const bool locked = fcntl(fd, F_SETLK, &request) == 0;
        *busy_p = !locked && (errno == EACCES || errno == EAGAIN);
        if (locked && is_at(fd, path))
            return fd;
        /* or the file system has no locks, or no inodes */
        if (locked ? tries >= 1000 : !*busy_p || tries >= 100 * seconds)
            break;
        if (locked) {
            close(fd);
            fd = -1;
        } else {
            nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
        }
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
    mnp__text_add(&path, "%s/%s-%.64s-%016" PRIx64 ".cu", folder, compiler->name, spec->function, key);
    FILE *file = path.failed ? NULL : fopen(path.data, "w");
    bool good = file && fputs(source, file) >= 0;
    if (file && fclose(file) != 0)
        good = false;
    if (!good)
        MNP_LOG(&compiler->config->logger, MNP_LOG_WARN, "cannot write %s (MANIPLE_DUMP_KERNELS): %s",
                mnp__text_string(&path), strerror(errno));
    mnp__text_free(&path);
}

/* Make the text that is compiled. */
static mnp_status make_source(const mnp__compiler *compiler, const mnp__kernel_spec *spec, char **source_p)
{
    char *source;
    MNP_TRY(mnp__jit_source(spec, compiler->cuda, &source));
    if (!spec->raw || !compiler->rewrite) {
        *source_p = source;
        return MNP_OK;
    }
    mnp_status st = compiler->rewrite(spec, source, source_p);
    free(source);
    return st;
}

/* Append everything that the code depends on.  `maniple cache` shows the first four lines. */
static mnp_status append_key(mnp__text *key, const mnp__compiler *compiler, const mnp__kernel_spec *spec,
                             const char *source)
{
    const char *options[] = {compiler->config->nvrtc_options, spec->nvrtc_options ? spec->nvrtc_options : "",
                             spec->host_options ? spec->host_options : ""};
    mnp__text all = MNP__TEXT_EMPTY;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        mnp__text_add(&all, "%s ", options[i]);
    mnp_status st = mnp__text_status(&all);
    if (st == MNP_OK) {
        mnp__text_add(key, "%s\n%s\n%s\n\n%s\n%s\n", compiler->name, spec->function, compiler->target,
                      compiler->identity, all.data);
        st = mnp__jit_append_headers(key, source, all.data);
    }
    for (const char *const *name = spec->name_expressions; name && *name; name++)
        mnp__text_add(key, "%s\n", *name);
    mnp__text_add_bytes(key, source, strlen(source));
    mnp__text_free(&all);
    return st == MNP_OK ? mnp__text_status(key) : st;
}

/* ---- requests ---- */

mnp_status mnp__request_open(mnp__request *request)
{
    const mnp__compiler *compiler = request->compiler;
    const mnp__kernel_spec *spec = request->spec;
    char *folder = NULL;
    mnp_status st;
    MNP_TRY_OR(make_source(compiler, spec, &request->source), st, done);
    MNP_TRY_OR(mnp__jit_cache_path(compiler->config, &folder), st, done);
    MNP_TRY_OR(append_key(&request->key, compiler, spec, request->source), st, done);
    request->hash = mnp__hash(MNP__HASH_START, request->key.data, request->key.length);
    mnp__text_add(&request->path, "%s/%s-%.64s-%016" PRIx64 ".kernel", folder, compiler->name, spec->function,
                  request->hash);
    MNP_TRY_OR(mnp__text_status(&request->path), st, done);
    request->cached = make_folder(folder);
    if (!request->cached) {
        static atomic_bool warned; /* one warning is enough for a process */
        if (!atomic_exchange(&warned, true))
            MNP_LOG(&compiler->config->logger, MNP_LOG_WARN, UNUSABLE "; kernels are compiled on every start", folder);
    }
done:
    free(folder);
    return st;
}

void mnp__request_close(mnp__request *request)
{
    mnp__text_free(&request->path);
    mnp__text_free(&request->key);
    free(request->source);
    request->source = NULL;
}

/* Load a request's file from the cache; false if there is none. */
static bool load_request(const mnp__request *request, mnp__binary *binary)
{
    return request->cached && load(request->path.data, &request->key, &request->compiler->config->logger, binary);
}

/* Remove what killed processes have left, once in a process. */
static void sweep_folder(const char *path)
{
    static atomic_bool swept;
    char *folder;
    if (atomic_exchange(&swept, true) || mnp__strdup(path, &folder) != MNP_OK)
        return;
    *strrchr(folder, '/') = '\0';
    mnp__jit_cache_sweep(folder);
    free(folder);
}

static mnp_status compile(const mnp__request *request, bool ahead, mnp__binary *binary)
{
    const mnp__compiler *compiler = request->compiler;
    MNP_LOG(&compiler->config->logger, MNP_LOG_DEBUG, "compiling %s with %s%s", request->spec->function, compiler->name,
            ahead ? ", ahead" : "");
    MNP_TRY(compiler->compile(compiler, request->spec, request->source, binary));
    if (request->cached)
        store(request->path.data, &request->key, binary, &compiler->config->logger);
    return MNP_OK;
}

mnp_status mnp__request_compile(const mnp__request *request, bool waits, bool *left_p, mnp__binary *binary)
{
    mnp__text lock_path = MNP__TEXT_EMPTY;
    mnp_status st = MNP_OK;
    bool busy;
    *left_p = false;
    if (!request->cached)
        return compile(request, !waits, binary);
    sweep_folder(request->path.data);
    mnp__text_add(&lock_path, "%s.lock", request->path.data);
    MNP_TRY(mnp__text_status(&lock_path));
    int held = lock(lock_path.data, waits ? request->compiler->config->deadline_seconds : 0, &busy);
    if (held >= 0)
        mnp__leftover_guard(lock_path.data);
    *left_p = busy && !waits;
    if (!*left_p && !load_request(request, binary)) /* no other process has compiled it while this one waited */
        st = compile(request, !waits, binary);
    mnp__leftover_release(lock_path.data);
    unlock(held, lock_path.data);
    mnp__text_free(&lock_path);
    return st;
}

mnp_status mnp__jit_binary(const mnp__compiler *compiler, const mnp__kernel_spec *spec, mnp__binary *binary)
{
    mnp__request request = {.compiler = compiler, .spec = spec};
    bool left;
    mnp_status st = mnp__request_open(&request);
    if (st == MNP_OK) {
        dump_source(compiler, spec, request.source, request.hash);
        if (!mnp__ahead_take(compiler->ahead, &request, binary) && !load_request(&request, binary))
            st = mnp__request_compile(&request, true, &left, binary);
    }
    mnp__request_close(&request);
    return st;
}
