/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The folder of the kernel cache: where it is, what it contains, and how it is cleared.
 *
 * A kernel's file is COMPILER-FUNCTION-HASH.kernel; its lock has the suffix .lock, and a file that is being written has
 * the mark of its owner (base/process/leftovers.h) and six letters of mkstemp() as its suffix.  What was measured of
 * transforms is in fft.choices (fft/choices.c) and fftw-HASH.wisdom or fftwf-HASH.wisdom (device/host/fftw.c), which are
 * cleared with the kernels.  Other files in the folder are ignored, and links are removed, never followed.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process/leftovers.h"
#include "base/status.h"
#include "base/text.h"
#include "jit/cache.h"
#include "jit/jit.h"

static const char ending[] = ".kernel";

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

/*
 * The suffix of a cache file's name after .kernel: "" for a complete kernel; NULL if it is not a name of a cache file.
 */
static const char *rest_of_name(const char *name)
{
    enum { HASH_DIGITS = 16 };
    const char *at = strstr(name, ending);
    if (!at || at - name < HASH_DIGITS + 1 || at[-HASH_DIGITS - 1] != '-')
        return NULL;
    for (const char *digit = at - HASH_DIGITS; digit < at; digit++) {
        if (!isxdigit((unsigned char)*digit))
            return NULL;
    }
    return at + sizeof ending - 1;
}

static bool is_kernel(const char *name)
{
    const char *rest = rest_of_name(name);
    return rest && *rest == '\0';
}

static bool is_lock(const char *name)
{
    const char *rest = rest_of_name(name);
    return rest && strcmp(rest, ".lock") == 0;
}

/* Whether a file has what was measured of transforms, by Maniple or by FFTW. */
static bool is_measured(const char *name)
{
    const char *hash = strncmp(name, "fftw-", 5) == 0 ? name + 5 : strncmp(name, "fftwf-", 6) == 0 ? name + 6 : "";
    return strcmp(name, "fft.choices") == 0 ||
           (strspn(hash, "0123456789abcdef") == 16 && strcmp(hash + 16, ".wisdom") == 0);
}

/* Whether a file is a kernel, a lock, a kernel that was not completed, or what was measured. */
static bool is_ours(const char *name)
{
    const char *rest = rest_of_name(name);
    return rest ? *rest == '\0' || strcmp(rest, ".lock") == 0 || mnp__owner_is_marked(rest) : is_measured(name);
}

/* Open the folder; *directory_p is NULL if it does not exist yet. */
static mnp_status open_cache(const char *path, DIR **directory_p)
{
    *directory_p = opendir(path);
    if (!*directory_p && errno != ENOENT)
        return MNP_FAIL(MNP_ERR_IO, "cannot read the kernel cache %s: %s", path, strerror(errno));
    return MNP_OK;
}

/* The next existing file whose name `accepts` accepts, with its properties; NULL at the end. */
static const char *next_file(DIR *directory, bool (*accepts)(const char *name), struct stat *info)
{
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (accepts(entry->d_name) && fstatat(dirfd(directory), entry->d_name, info, AT_SYMLINK_NOFOLLOW) == 0)
            return entry->d_name;
    }
    return NULL;
}

mnp_status mnp__jit_cache_usage(const char *path, int64_t *files_p, int64_t *bytes_p)
{
    int64_t files = 0, bytes = 0;
    struct stat info;
    DIR *directory;
    MNP_TRY(open_cache(path, &directory));
    while (next_file(directory, is_kernel, &info)) {
        files++;
        bytes += info.st_size;
    }
    if (directory)
        closedir(directory);
    *files_p = files;
    *bytes_p = bytes;
    return MNP_OK;
}

/* Copy a line that ends before `end` to `field`, truncated to its size; returns the begin of the next line. */
static const char *copy_line(const char *line, const char *end, char *field, size_t room)
{
    size_t length = strcspn(line, "\n");
    snprintf(field, room, "%.*s", (int)length, line);
    return line + length < end ? line + length + 1 : end;
}

/* Fill in an entry from the first lines of a file's key; fields are "?" if the file cannot be read. */
static void describe(DIR *directory, const char *name, const struct stat *info, mnp_cache_entry *entry)
{
    char start[sizeof(mnp__cache_header) + 512] = "";
    *entry = (mnp_cache_entry){"?", "?", "?", info->st_size, info->st_mtime};
    int fd = S_ISREG(info->st_mode) ? openat(dirfd(directory), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    ssize_t size = read(fd, start, sizeof start - 1);
    close(fd);
    if (size <= (ssize_t)sizeof(mnp__cache_header) || memcmp(start, MNP__CACHE_MAGIC, strlen(MNP__CACHE_MAGIC)) != 0)
        return;
    const char *line = start + sizeof(mnp__cache_header), *end = start + size;
    line = copy_line(line, end, entry->compiler, sizeof entry->compiler);
    line = copy_line(line, end, entry->kernel, sizeof entry->kernel);
    copy_line(line, end, entry->target, sizeof entry->target);
}

static int compare_entries(const void *a, const void *b)
{
    const mnp_cache_entry *first = a, *second = b;
    int order = strcmp(first->kernel, second->kernel);
    if (order == 0)
        order = strcmp(first->compiler, second->compiler);
    return order != 0 ? order : (first->modified > second->modified) - (first->modified < second->modified);
}

mnp_status mnp__jit_cache_list(const char *path, mnp_cache_entry **entries_p, int64_t *count_p)
{
    size_t count = 0, room = 64;
    mnp_cache_entry *entries = NULL;
    struct stat info;
    DIR *directory;
    MNP_TRY(open_cache(path, &directory));
    mnp_status st = mnp__malloc(room * sizeof *entries, &entries);
    for (const char *name; st == MNP_OK && (name = next_file(directory, is_kernel, &info));) {
        if (count == room) {
            mnp_cache_entry *more = realloc(entries, 2 * room * sizeof *entries);
            if (!more) {
                st = MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host to list more than %zu kernels", room);
                break;
            }
            entries = more;
            room *= 2;
        }
        describe(directory, name, &info, &entries[count++]);
    }
    if (directory)
        closedir(directory);
    if (st != MNP_OK) {
        free(entries);
        return st;
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    *entries_p = entries;
    *count_p = (int64_t)count;
    return MNP_OK;
}

mnp_status mnp__jit_cache_clear(const char *path, int64_t *files_p, int64_t *bytes_p)
{
    int64_t files = 0, bytes = 0;
    struct stat info;
    DIR *directory;
    mnp_status st = MNP_OK;
    MNP_TRY(open_cache(path, &directory));
    for (const char *name; (name = next_file(directory, is_ours, &info));) {
        if (S_ISDIR(info.st_mode))
            continue;
        if (unlinkat(dirfd(directory), name, 0) == 0) {
            files += is_kernel(name);
            bytes += info.st_size;
        } else if (errno != ENOENT && st == MNP_OK) {
            st = MNP_FAIL(MNP_ERR_IO, "cannot remove %s from the kernel cache %s: %s", name, path, strerror(errno));
        }
    }
    if (directory)
        closedir(directory);
    *files_p = files;
    *bytes_p = bytes;
    return st;
}

/* Remove a lock that no process holds.  One that takes it at this moment may compile what another compiles too. */
static void remove_free_lock(DIR *directory, const char *name)
{
    struct flock request = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = openat(dirfd(directory), name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fcntl(fd, F_SETLK, &request) == 0)
        unlinkat(dirfd(directory), name, 0);
    close(fd);
}

void mnp__jit_cache_sweep(const char *path)
{
    struct stat info;
    DIR *directory = opendir(path);
    mnp__leftovers_sweep(path);
    for (const char *name; (name = next_file(directory, is_lock, &info));)
        remove_free_lock(directory, name);
    if (directory)
        closedir(directory);
}
