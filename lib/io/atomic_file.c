/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replacing a file atomically: the temporary file, and the final rename.
 */
#include <config.h> /* first: it makes fallocate(), copy_file_range() and memfd_create() known */

#include "io/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/process/leftovers.h"
#include "base/status.h"

enum { PIECE = 16 << 20 }; /* bytes that the kernel copies or stores at a time, before it looks for signals */

/* Copy the folder of `path` to `folder`, with its slash; "" for the current one. */
static void folder_of(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    memcpy(folder, path, length);
    folder[length] = '\0';
}

/* Follow symbolic links to where the file lies or will lie; realpath() cannot, as it requires that the file exists. */
static mnp_status follow_links(const char *file, char *target)
{
    char link[PATH_MAX], folder[PATH_MAX];
    if (strlen(file) >= PATH_MAX)
        return MNP_FAIL(MNP_ERR_IO, "the file name '%.60s...' is too long", file);
    strcpy(target, file);
    for (int links = 0; links < 40; links++) {
        ssize_t length = readlink(target, link, sizeof link - 1);
        if (length < 0)
            return MNP_OK;
        link[length] = '\0';
        folder_of(target, folder);
        if (snprintf(target, PATH_MAX, "%s%s", link[0] == '/' ? "" : folder, link) >= PATH_MAX)
            break;
    }
    return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': its symbolic links lead nowhere", file);
}

static mnp_status check_folder(const char *file, const char *target)
{
    char folder[PATH_MAX];
    struct stat status;
    folder_of(target, folder);
    const char *name = *folder ? folder : ".";
    if (target[strlen(folder)] == '\0')
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': it names a folder, not a file", file);
    if (stat(name, &status) != 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': the folder '%s' cannot be reached (%s)", file, name,
                        strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': '%s' is not a folder", file, name);
    if (access(name, W_OK | X_OK) != 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': no files can be made in the folder '%s' (%s)", file, name,
                        strerror(errno));
    return MNP_OK;
}

mnp_status mnp__atomic_file_find(const char *file, mnp__atomic_file *output)
{
    *output = (mnp__atomic_file){.file = file, .descriptor = -1};
    MNP_TRY(follow_links(file, output->target));
    MNP_TRY(check_folder(file, output->target));
    if (stat(output->target, &output->replaced) != 0) {
        if (errno == ENOENT)
            return MNP_OK;
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", file, strerror(errno));
    }
    if (!S_ISREG(output->replaced.st_mode))
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': it is a %s, not a file", file,
                        S_ISDIR(output->replaced.st_mode) ? "folder" : "device or pipe");
    if (access(output->target, R_OK | W_OK) != 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot replace '%s': %s", file, strerror(errno));
    output->exists = true;
    return MNP_OK;
}

static mnp_status fail_copy(const mnp__atomic_file *output)
{
    return MNP_FAIL(MNP_ERR_IO, "cannot copy '%s' to a temporary file beside it: %s", output->file, strerror(errno));
}

/* Copy by reading and writing, beginning at the current positions of both descriptors. */
static mnp_status copy_through_memory(const mnp__atomic_file *output, int source)
{
    const size_t size = (size_t)4 << 20;
    ssize_t got;
    char *buffer;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__malloc(size, &buffer));
    while (st == MNP_OK && (got = read(source, buffer, size)) != 0) {
        for (ssize_t done = 0, put; st == MNP_OK && done < got; done += put) {
            put = write(output->descriptor, buffer + done, (size_t)(got - done));
            if (put < 0)
                st = fail_copy(output);
        }
        if (got < 0)
            st = fail_copy(output);
    }
    free(buffer);
    return st;
}

static mnp_status copy_target(const mnp__atomic_file *output)
{
    int source = open(output->target, O_RDONLY | O_CLOEXEC);
    if (source < 0)
        return fail_copy(output);
    /* the operating system copies as much as it can, and shares blocks where the file system supports it */
    while (copy_file_range(source, NULL, output->descriptor, NULL, PIECE, 0) > 0)
        ;
    mnp_status st = copy_through_memory(output, source);
    close(source);
    return st;
}

/* Make and guard a file under a name that does not exist yet; -1 on failure, with errno set. */
static int make_unique(const char *target, char *path)
{
    char folder[PATH_MAX], owner[MNP__OWNER_ROOM];
    int descriptor = -1;
    folder_of(target, folder);
    mnp__owner_mark(owner);
    for (int i = 0; i < 1000; i++) {
        const char *name = target + strlen(folder);
        if (snprintf(path, PATH_MAX, "%s.%.180s%s.%d.tmp", folder, name, owner, i) >= PATH_MAX)
            errno = ENAMETOOLONG;
        else
            descriptor = mnp__leftover_make_file(path);
        if (descriptor >= 0 || errno != EEXIST)
            break;
    }
    return descriptor;
}

/* Remove what processes that were killed have left in the folder; a second file in the same one need not look again. */
static void sweep(const char *target)
{
    static atomic_uint_least64_t last;
    char folder[PATH_MAX];
    folder_of(target, folder);
    const uint64_t hash = mnp__hash(MNP__HASH_START, folder, strlen(folder));
    if (atomic_exchange(&last, hash) != hash)
        mnp__leftovers_sweep(folder);
}

static mnp_status check_limit(const mnp__atomic_file *output)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (uint64_t)output->bytes > limit.rlim_cur)
        return MNP_FAIL(MNP_ERR_IO,
                        "no space for '%s': it takes %" PRId64 " bytes, and the limit for a file is %" PRIu64
                        " (ulimit -f)",
                        output->file, output->bytes, (uint64_t)limit.rlim_cur);
    return MNP_OK;
}

static mnp_status check_room(const mnp__atomic_file *output)
{
    struct statvfs system;
    if (fstatvfs(output->descriptor, &system) != 0 || system.f_bavail >= (uint64_t)output->bytes / system.f_frsize)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_IO,
                    "no space for '%s': it takes %" PRId64 " bytes, and its file system has %" PRIu64 " left",
                    output->file, output->bytes, (uint64_t)system.f_bavail * system.f_frsize);
}

mnp_status mnp__atomic_file_make(mnp__atomic_file *output, int64_t bytes, bool copy)
{
    output->bytes = bytes;
    MNP_TRY(check_limit(output));
    sweep(output->target);
    output->descriptor = make_unique(output->target, output->path);
    if (output->descriptor < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': no temporary file can be made beside it (%s)", output->file,
                        strerror(errno));
    output->mine = true;
    MNP_TRY(check_room(output));
    return copy ? copy_target(output) : MNP_OK;
}

mnp_status mnp__atomic_file_reserve(const mnp__atomic_file *output, int64_t bytes)
{
    if (fallocate(output->descriptor, FALLOC_FL_KEEP_SIZE, 0, bytes) == 0 || errno == EOPNOTSUPP || errno == ENOSYS)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_IO, "no space for '%s', which takes %" PRId64 " bytes: %s", output->file, bytes,
                    strerror(errno));
}

bool mnp__atomic_file_is_full(const mnp__atomic_file *output)
{
    struct statvfs system;
    return fstatvfs(output->descriptor, &system) == 0 && system.f_bavail * system.f_frsize < 1 << 16;
}

mnp_status mnp__atomic_file_share(mnp__comm *comm, mnp__atomic_file *output)
{
    struct {
        char path[PATH_MAX];
        int64_t bytes;
    } made = {.bytes = output->bytes};
    strcpy(made.path, output->path);
    MNP_TRY(mnp__broadcast(comm, &made, sizeof made, 0));
    mnp_status st = MNP_OK;
    if (comm->rank != 0) {
        strcpy(output->path, made.path);
        output->bytes = made.bytes;
        mnp__leftover_guard(output->path); /* mpirun may kill rank 0 as soon as a signal has ended another rank */
        output->descriptor = open(output->path, O_RDWR | O_CLOEXEC);
        st = output->descriptor >= 0
                 ? check_limit(output)
                 : MNP_FAIL(MNP_ERR_IO,
                            "rank 0 can write '%s' but rank %d cannot: %s; the folder must be one that all "
                            "ranks share",
                            output->file, comm->rank, strerror(errno));
    }
    return mnp__agree(comm, st);
}

/*
 * The kernel leaves fsync() for no signal, and it may last minutes.  So the file is brought to disk in pieces first,
 * two at a time, and what is left to fsync() is little.  Errors are its to report.
 */
static void sync_pieces(const mnp__atomic_file *output)
{
    const unsigned start = SYNC_FILE_RANGE_WRITE,
                   wait = SYNC_FILE_RANGE_WAIT_BEFORE | start | SYNC_FILE_RANGE_WAIT_AFTER;
    struct stat status;
    if (fstat(output->descriptor, &status) != 0)
        return;
    for (off_t at = 0; at < status.st_size; at += PIECE) {
        if (sync_file_range(output->descriptor, at + PIECE, PIECE, start) != 0 ||
            sync_file_range(output->descriptor, at, PIECE, wait) != 0)
            return;
    }
}

mnp_status mnp__atomic_file_sync(const mnp__atomic_file *output)
{
    sync_pieces(output);
    if (fsync(output->descriptor) != 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s' to disk: %s", output->file, strerror(errno));
    return MNP_OK;
}

void mnp__atomic_file_detach(mnp__atomic_file *output)
{
    struct stat ours, other;
    DIR *descriptors = opendir("/proc/self/fd");
    int memory = memfd_create("maniple", MFD_CLOEXEC);
    if (descriptors && memory >= 0 && fstat(output->descriptor, &ours) == 0 && ftruncate(memory, ours.st_size) == 0) {
        for (struct dirent *entry; (entry = readdir(descriptors));) {
            int descriptor = atoi(entry->d_name);
            if (*entry->d_name != '.' && descriptor != output->descriptor && fstat(descriptor, &other) == 0 &&
                other.st_dev == ours.st_dev && other.st_ino == ours.st_ino)
                dup2(memory, descriptor);
        }
    }
    if (memory >= 0)
        close(memory);
    if (descriptors)
        closedir(descriptors);
}

/* Copy the permissions and, where this process is allowed to, the owner of the file that is replaced. */
static bool take_permissions(const mnp__atomic_file *output)
{
    const struct stat *old = &output->replaced;
    mode_t mode = old->st_mode & 0777;
    if (!output->exists)
        return true;
    if (fchown(output->descriptor, old->st_uid, old->st_gid) != 0 &&
        fchown(output->descriptor, (uid_t)-1, old->st_gid) != 0)
        mode &= ~(mode_t)070; /* the new file has another group, which must not inherit these rights */
    return fchmod(output->descriptor, mode) == 0;
}

/* Whether the target is unchanged since mnp__atomic_file_find(). */
static bool is_untouched(const mnp__atomic_file *output)
{
    const struct stat *old = &output->replaced;
    struct stat now;
    if (stat(output->target, &now) != 0)
        return !output->exists;
    return output->exists && now.st_dev == old->st_dev && now.st_ino == old->st_ino && now.st_size == old->st_size &&
           now.st_mtim.tv_sec == old->st_mtim.tv_sec && now.st_mtim.tv_nsec == old->st_mtim.tv_nsec;
}

mnp_status mnp__atomic_file_commit(mnp__atomic_file *output)
{
    struct stat status;
    /* A change between this check and the rename is not noticed; the usual case, two jobs that write one file, is. */
    if (!is_untouched(output))
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': another program has changed it meanwhile; run this again",
                        output->file);
    /* ftruncate() to the current size returns the space that was reserved beyond the end */
    if (fstat(output->descriptor, &status) != 0 || ftruncate(output->descriptor, status.st_size) != 0 ||
        !take_permissions(output) || rename(output->path, output->target) != 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot finish '%s': %s", output->file, strerror(errno));
    mnp__leftover_release(output->path);
    output->mine = false;
    return MNP_OK;
}

void mnp__atomic_file_close(mnp__atomic_file *output)
{
    if (output->mine)
        unlink(output->path);
    mnp__leftover_release(output->path); /* which does nothing where it is not guarded */
    output->mine = false;
    if (output->descriptor >= 0)
        close(output->descriptor);
    output->descriptor = -1;
}
