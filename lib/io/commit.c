/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The journal and its steps.
 *
 * The journal is, for each patch, its offset and its size in 8 bytes each and its bytes; then the footer, with which
 * the file ends.  Numbers are little-endian, as all machines are that Maniple runs on.
 */
#include <config.h> /* first: it makes F_OFD_SETLK known */

#include "io/commit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/integer.h"
#include "base/status.h"

enum { SIGNATURE = 8 };
static const unsigned char mark[SIGNATURE] = {0x89, 'M', 'N', 'P', '\r', '\n', 0x1a, '\n'};

typedef struct footer {
    char magic[8]; /* "MNPREDO1" */
    unsigned char signature[SIGNATURE];
    int64_t end;             /* of the file without the journal, which begins there */
    int64_t bytes, count;    /* of the patches, and their number */
    uint64_t hash, own_hash; /* of the patches; of the footer before this member */
} footer;

static const char magic[] = "MNPREDO1";

/* ---- bytes ---- */

static mnp_status fail(const char *name, const char *what)
{
    return MNP_FAIL(MNP_ERR_IO, "cannot %s '%s': %s", what, name, strerror(errno));
}

/* Read bytes; false if the file has fewer. */
static bool read_bytes(const mnp__plain_file *file, int64_t from, size_t size, void *bytes)
{
    return mnp__plain_file_read(file, from, size, bytes) == MNP_OK;
}

/* ---- locks ---- */

static bool uses_locks(void)
{
    const char *setting = getenv("HDF5_USE_FILE_LOCKING");
    return !setting || (strcmp(setting, "FALSE") != 0 && strcmp(setting, "0") != 0);
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
}

enum { TRIES = 500 /* of 20 ms */ };

mnp_status mnp__commit_lock(const mnp__plain_file *file, bool exclusive)
{
    if (!uses_locks())
        return MNP_OK;
    for (int i = 0; i < TRIES; i++) {
        if (flock(file->descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
            return MNP_OK;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return MNP_OK; /* this file system has no locks */
        pause_briefly();
    }
    return MNP_FAIL(MNP_ERR_IO, "another program has '%s' open%s", file->name, exclusive ? "" : " for writing");
}

void mnp__commit_unlock(const mnp__plain_file *file)
{
    if (uses_locks())
        flock(file->descriptor, LOCK_UN);
}

mnp_status mnp__commit_claim(const mnp__plain_file *file)
{
#ifdef F_OFD_SETLK
    /* A byte that no file has: of those who grow a file, and not in the way of HDF5's locks */
    struct flock claim = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1};
    for (int i = 0; uses_locks() && i < TRIES; i++) {
        if (fcntl(file->descriptor, F_OFD_SETLK, &claim) == 0 || (errno != EAGAIN && errno != EACCES && errno != EINTR))
            return MNP_OK;
        pause_briefly();
    }
    if (uses_locks())
        return MNP_FAIL(MNP_ERR_IO, "another program is writing to '%s'", file->name);
#else
    (void)file;
#endif
    return MNP_OK;
}

/* ---- the steps ---- */

int64_t mnp__commit_bytes(int64_t new_end)
{
    return mnp__round_up(new_end, 8);
}

/* Bring the journal behind the new end, and write the patches that lie beyond the old end, where nobody sees them. */
static mnp_status write_journal(const mnp__commit *commit, const unsigned char signature[SIGNATURE])
{
    footer last = {.end = mnp__commit_bytes(commit->new_end), .hash = MNP__HASH_START};
    size_t size = 0;
    unsigned char *journal, *at;
    for (int64_t i = 0; i < commit->count; i++) {
        const mnp__patch *patch = &commit->patches[i];
        if (patch->offset >= commit->old_end)
            MNP_TRY(mnp__plain_file_write(commit->file, patch->offset, patch->size, patch->after));
        else
            size += 2 * sizeof(int64_t) + patch->size;
    }
    MNP_TRY(mnp__malloc(size + sizeof last, &journal));
    at = journal;
    for (int64_t i = 0; i < commit->count; i++) {
        const mnp__patch *patch = &commit->patches[i];
        const int64_t place[2] = {patch->offset, (int64_t)patch->size};
        if (patch->offset >= commit->old_end)
            continue;
        memcpy(at, place, sizeof place);
        memcpy(at + sizeof place, patch->after, patch->size);
        at += sizeof place + patch->size;
        last.count++;
    }
    memcpy(last.magic, magic, sizeof last.magic);
    memcpy(last.signature, signature, SIGNATURE);
    last.bytes = (int64_t)size;
    last.hash = mnp__hash(last.hash, journal, size);
    last.own_hash = mnp__hash(MNP__HASH_START, &last, offsetof(footer, own_hash));
    memcpy(journal + size, &last, sizeof last);
    mnp_status st = mnp__plain_file_write(commit->file, last.end, size + sizeof last, journal);
    if (st == MNP_OK && ftruncate(commit->file->descriptor, (off_t)(last.end + (int64_t)(size + sizeof last))) != 0)
        st = fail(commit->file->name, "write");
    free(journal);
    return st == MNP_OK ? mnp__plain_file_sync(commit->file) : st;
}

/* MNP_ERR_IO unless the file still has the bytes that are going to be changed. */
static mnp_status check_untouched(const mnp__commit *commit)
{
    unsigned char bytes[4096];
    for (int64_t i = 0; i < commit->count; i++) {
        const mnp__patch *patch = &commit->patches[i];
        for (size_t done = 0; patch->offset < commit->old_end && done < patch->size; done += sizeof bytes) {
            const size_t left = patch->size - done, size = left < sizeof bytes ? left : sizeof bytes;
            if (!read_bytes(commit->file, patch->offset + (int64_t)done, size, bytes) ||
                memcmp(bytes, patch->before + done, size) != 0)
                return MNP_FAIL(MNP_ERR_IO,
                                "cannot write '%s': another program has changed it meanwhile; run this again",
                                commit->file->name);
        }
    }
    return MNP_OK;
}

/* Steps 3: do what the journal of a marked file says.  `journal` has the patches. */
static mnp_status replay(const mnp__plain_file *file, const footer *last, const unsigned char *journal)
{
    const unsigned char *at = journal;
    for (int64_t i = 0; i < last->count; i++) {
        int64_t place[2];
        memcpy(place, at, sizeof place);
        MNP_TRY(mnp__plain_file_write(file, place[0], (size_t)place[1], at + sizeof place));
        at += sizeof place + (size_t)place[1];
    }
    MNP_TRY(mnp__plain_file_sync(file));
    MNP_TRY(mnp__plain_file_write(file, 0, SIGNATURE, last->signature));
    MNP_TRY(mnp__plain_file_sync(file));
    return ftruncate(file->descriptor, (off_t)last->end) == 0 ? MNP_OK : fail(file->name, "shorten");
}

/* Read the journal with which the file ends.  The caller frees it. */
static mnp_status read_journal(const mnp__plain_file *file, footer *last, unsigned char **journal_p)
{
    struct stat status;
    if (fstat(file->descriptor, &status) != 0)
        return fail(file->name, "read");
    const int64_t begin = (int64_t)status.st_size - (int64_t)sizeof *last;
    if (begin < 0 || !read_bytes(file, begin, sizeof *last, last) ||
        memcmp(last->magic, magic, sizeof last->magic) != 0 ||
        last->own_hash != mnp__hash(MNP__HASH_START, last, offsetof(footer, own_hash)) ||
        last->end + last->bytes != begin)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: a change of it was not completed, and its journal is missing",
                        file->name);
    MNP_TRY(mnp__malloc((size_t)last->bytes, journal_p));
    if (read_bytes(file, last->end, (size_t)last->bytes, *journal_p) &&
        last->hash == mnp__hash(MNP__HASH_START, *journal_p, (size_t)last->bytes))
        return MNP_OK;
    free(*journal_p);
    return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: a change of it was not completed, and its journal is damaged",
                    file->name);
}

static mnp_status replay_file(const mnp__plain_file *file)
{
    footer last;
    unsigned char *journal;
    MNP_TRY(read_journal(file, &last, &journal));
    mnp_status st = replay(file, &last, journal);
    free(journal);
    return st;
}

static mnp_status run_locked(const mnp__commit *commit)
{
    MNP_TRY(check_untouched(commit));
    MNP_TRY(mnp__plain_file_write(commit->file, 0, SIGNATURE, mark));
    MNP_TRY(mnp__plain_file_sync(commit->file));
    return replay_file(commit->file);
}

mnp_status mnp__commit_run(const mnp__commit *commit)
{
    unsigned char signature[SIGNATURE];
    if (commit->count == 0 && commit->new_end == commit->old_end)
        return MNP_OK; /* elements that exist were written, and nothing else */
    if (!read_bytes(commit->file, 0, SIGNATURE, signature))
        return fail(commit->file->name, "read");
    MNP_TRY(write_journal(commit, signature));
    MNP_TRY(mnp__commit_lock(commit->file, true));
    mnp_status st = run_locked(commit);
    mnp__commit_unlock(commit->file);
    return st;
}

/* ---- completing ---- */

static bool is_marked(const mnp__plain_file *file)
{
    unsigned char bytes[SIGNATURE];
    return read_bytes(file, 0, SIGNATURE, bytes) && memcmp(bytes, mark, SIGNATURE) == 0;
}

bool mnp__commit_is_open(const char *path)
{
    mnp__plain_file file = {.name = path, .descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    const bool marked = file.descriptor >= 0 && is_marked(&file);
    mnp__plain_file_close(&file);
    return marked;
}

mnp_status mnp__commit_complete(const char *path)
{
    if (!mnp__commit_is_open(path))
        return MNP_OK;
    mnp__plain_file file = {.name = path, .descriptor = open(path, O_RDWR | O_CLOEXEC)};
    if (file.descriptor < 0)
        return MNP_FAIL(
            MNP_ERR_IO,
            "a change of '%s' was not completed, as the process was killed; any command that reads the file "
            "with permission to write to it completes it (%s)",
            path, strerror(errno));
    mnp_status st = mnp__commit_lock(&file, true); /* a process that is alive may be doing it */
    if (st == MNP_OK && is_marked(&file))
        st = replay_file(&file);
    mnp__plain_file_close(&file);
    return st;
}
