/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headers of the user's: every file that a source includes, except Maniple's own, becomes part of the cache's key.
 *
 * They are searched where compilers search first, in the working folder and the folders of -I options.  The headers of
 * the system and of the CUDA toolkit are assumed to change with the compiler, whose version is in the key.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "jit/jit.h"

enum { MAX_FOLDERS = 64, MAX_HEADERS = 256 };

typedef struct search {
    char *options; /* a copy; the folders point into it */
    const char *folders[MAX_FOLDERS];
    int nfolders;
    char *seen[MAX_HEADERS];
    int nseen;
    mnp__text *key;
} search;

static void add_folder(search *s, const char *folder)
{
    if (s->nfolders < MAX_FOLDERS)
        s->folders[s->nfolders++] = folder;
}

/* The folder of a -I option, or NULL; `next` is the option after it. */
static const char *folder_of(const char *option, const char *next)
{
    static const char *const joined[] = {"-I", "--include-path="};
    if (strcmp(option, "-I") == 0 || strcmp(option, "--include-path") == 0)
        return next;
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        if (mnp__text_begins(option, joined[i]))
            return option + strlen(joined[i]);
    }
    return NULL;
}

static void list_folders(search *s)
{
    char *state = NULL;
    add_folder(s, ".");
    for (char *option = strtok_r(s->options, " \t\n", &state); option;) {
        char *next = strtok_r(NULL, " \t\n", &state);
        const char *folder = folder_of(option, next);
        if (folder)
            add_folder(s, folder);
        option = next;
    }
}

/* Read a regular file as a string; NULL if that fails. */
static char *read_text(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return NULL;
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc((size_t)info.st_size + 1) : NULL;
    if (text)
        text[fread(text, 1, (size_t)info.st_size, file)] = '\0';
    if (file)
        fclose(file);
    return text;
}

static bool is_seen(const search *s, const char *path)
{
    for (int i = 0; i < s->nseen; i++) {
        if (strcmp(s->seen[i], path) == 0)
            return true;
    }
    return false;
}

static mnp_status append_included(search *s, const char *source, const char *own_folder);

/* Append a header that was found, and the headers that it includes. */
static mnp_status append_header(search *s, const char *path, const char *content)
{
    char *folder;
    if (s->nseen == MAX_HEADERS)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "a kernel includes more than %d headers, the last one %s", MAX_HEADERS,
                        path);
    MNP_TRY(mnp__strdup(path, &s->seen[s->nseen]));
    s->nseen++;
    mnp__text_add(s->key, "%s %016" PRIx64 "\n", path, mnp__hash(MNP__HASH_START, content, strlen(content)));
    MNP_TRY(mnp__strdup(path, &folder));
    *strrchr(folder, '/') = '\0';
    mnp_status st = append_included(s, content, folder);
    free(folder);
    return st;
}

/* Append the header `name` of an #include directive if the folder contains it, which *found_p tells. */
static mnp_status try_folder(search *s, const char *folder, const char *name, size_t length, bool *found_p)
{
    mnp__text path = MNP__TEXT_EMPTY;
    mnp_status st;
    mnp__text_add(&path, "%s/%.*s", name[0] == '/' ? "" : folder, (int)length, name);
    MNP_TRY_OR(mnp__text_status(&path), st, done);
    *found_p = is_seen(s, path.data);
    char *content = *found_p ? NULL : read_text(path.data);
    if (content) {
        *found_p = true;
        st = append_header(s, path.data, content);
    }
    free(content);
done:
    mnp__text_free(&path);
    return st;
}

/* The file name in an #include directive, as in # include <name>; NULL if the line is something else. */
static const char *included_name(const char *line, size_t *length_p)
{
    line += strspn(line, " \t");
    if (*line++ != '#')
        return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0)
        return NULL;
    line += 7 + strspn(line + 7, " \t");
    if (*line != '"' && *line != '<')
        return NULL;
    *length_p = strcspn(line + 1, "\">\n");
    return line + 1;
}

static mnp_status append_included(search *s, const char *source, const char *own_folder)
{
    for (const char *line = source; *line; line += line[strcspn(line, "\n")] ? strcspn(line, "\n") + 1 : strlen(line)) {
        size_t length;
        const char *name = included_name(line, &length);
        bool found = false;
        if (!name)
            continue;
        if (own_folder)
            MNP_TRY(try_folder(s, own_folder, name, length, &found));
        for (int i = 0; i < s->nfolders && !found; i++)
            MNP_TRY(try_folder(s, s->folders[i], name, length, &found));
    }
    return mnp__text_status(s->key);
}

mnp_status mnp__jit_append_headers(mnp__text *key, const char *source, const char *options)
{
    search s = {.key = key};
    MNP_TRY(mnp__strdup(options, &s.options));
    list_folders(&s);
    mnp_status st = append_included(&s, source, NULL);
    for (int i = 0; i < s.nseen; i++)
        free(s.seen[i]);
    free(s.options);
    return st;
}

/* Whether an option is one of -D, -U, -I and --std, and whether its argument is the next word. */
static bool is_common(const char *option, bool *separate_p)
{
    static const char *const joined[] = {"-D", "-U", "-I", "-std=", "--std="};
    *separate_p = false;
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        size_t length = strlen(joined[i]);
        if (strncmp(option, joined[i], length) == 0) {
            *separate_p = i < 3 && option[length] == '\0';
            return true;
        }
    }
    return false;
}

mnp_status mnp__jit_common_options(const char *options, char **common_p)
{
    mnp__text text = MNP__TEXT_EMPTY;
    char *copy, *state = NULL;
    MNP_TRY(mnp__strdup(options, &copy));
    mnp__text_add(&text, " ");
    for (char *word = strtok_r(copy, " \t\n", &state); word; word = strtok_r(NULL, " \t\n", &state)) {
        bool separate;
        if (!is_common(word, &separate))
            continue;
        mnp__text_add(&text, "%s ", strncmp(word, "--std", 5) == 0 ? word + 1 : word);
        char *argument = separate ? strtok_r(NULL, " \t\n", &state) : NULL;
        if (argument)
            mnp__text_add(&text, "%s ", argument);
    }
    free(copy);
    MNP_TRY(mnp__text_status(&text));
    *common_p = text.data;
    return MNP_OK;
}
