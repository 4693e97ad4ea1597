/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk: a stack of the groups that lead to where it is, each with the names that it holds.
 */
#include "io/hdf5/h5_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"

/* A group and its links. */
struct level {
    hid_t group;
    size_t path_length; /* of the group's path; 0 for the root */
    char **names;
    int64_t count, capacity, next;
    const char *const *left_out;
};

/* An object that has been visited. */
struct seen {
    mnp__h5_identity identity;
    char *path; /* NULL: an empty place of the table */
};

struct walk {
    const char *name;
    mnp__h5_visitor *visitor;
    void *argument;
    mnp__text path;
    struct level *levels;
    int64_t depth, room;
    struct seen *seen; /* a hash table, at most half full */
    int64_t nseen, places;
    bool ends;
};

/* ---- what has been seen ---- */

static struct seen *find_seen(struct seen *table, int64_t places, const mnp__h5_identity *identity)
{
    uint64_t at = mnp__hash(MNP__HASH_START, identity->object, sizeof identity->object) % (uint64_t)places;
    while (table[at].path && memcmp(&table[at].identity, identity, sizeof *identity) != 0)
        at = (at + 1) % (uint64_t)places;
    return &table[at];
}

static mnp_status enlarge(struct walk *walk)
{
    const int64_t places = walk->places > 0 ? 2 * walk->places : 64;
    struct seen *table;
    MNP_TRY(mnp__calloc((size_t)places, sizeof *table, &table));
    for (int64_t i = 0; i < walk->places; i++)
        if (walk->seen[i].path)
            *find_seen(table, places, &walk->seen[i].identity) = walk->seen[i];
    free(walk->seen);
    walk->seen = table;
    walk->places = places;
    return MNP_OK;
}

/* The number of hard links to an object; 2 if it cannot be found out. */
static unsigned count_links(hid_t object)
{
    H5O_info_t info;
#if H5_VERSION_GE(1, 12, 0)
    return H5Oget_info3(object, &info, H5O_INFO_BASIC) >= 0 ? info.rc : 2;
#else
    return H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0 ? info.rc : 2;
#endif
}

/*
 * The path under which the object was visited before, or NULL; then it is remembered under its present path.  An object
 * with one link cannot be met again, unless the file is damaged; of these no paths are kept.
 */
static mnp_status remember(struct walk *walk, hid_t object, const char **before_p)
{
    mnp__h5_identity identity;
    *before_p = NULL;
    if (!mnp__h5_identify(object, &identity))
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' in '%s' cannot be read: %s", mnp__text_string(&walk->path), walk->name,
                        mnp__h5_reason());
    if (2 * walk->nseen >= walk->places)
        MNP_TRY(enlarge(walk));
    struct seen *seen = find_seen(walk->seen, walk->places, &identity);
    *before_p = seen->path;
    if (seen->path && !*seen->path)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: '%s' is an object that has another place", walk->name,
                        mnp__text_string(&walk->path));
    if (seen->path)
        return MNP_OK;
    MNP_TRY(mnp__strdup(walk->depth == 0          ? "/"
                        : count_links(object) > 1 ? mnp__text_string(&walk->path)
                                                  : "",
                        &seen->path));
    seen->identity = identity;
    walk->nseen++;
    return MNP_OK;
}

/* ---- groups ---- */

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group;
    (void)info;
    struct level *level = context;
    if (level->count == level->capacity) {
        const int64_t capacity = level->capacity > 0 ? 2 * level->capacity : 8;
        char **names = realloc(level->names, (size_t)capacity * sizeof *names);
        if (!names)
            return -1;
        level->names = names;
        level->capacity = capacity;
    }
    level->names[level->count] = strdup(name);
    return level->names[level->count++] ? 0 : -1;
}

static void leave(struct walk *walk)
{
    struct level *level = &walk->levels[--walk->depth];
    for (int64_t i = 0; i < level->count; i++)
        free(level->names[i]);
    free(level->names);
    H5Oclose(level->group);
}

/* Go into a group, which is closed when it is left, or on failure. */
static mnp_status enter(struct walk *walk, hid_t group, const char *const *left_out)
{
    if (walk->depth == walk->room) {
        const int64_t room = walk->room > 0 ? 2 * walk->room : 16;
        struct level *levels = realloc(walk->levels, (size_t)room * sizeof *levels);
        if (!levels) {
            H5Oclose(group);
            return MNP_FAIL(MNP_ERR_MEMORY, "no memory for the groups of '%s'", walk->name);
        }
        walk->levels = levels;
        walk->room = room;
    }
    struct level *level = &walk->levels[walk->depth++];
    *level = (struct level){.group = group, .path_length = walk->path.length, .left_out = left_out};
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, level) < 0)
        return MNP_FAIL(MNP_ERR_FORMAT, "the group '%s' in '%s' cannot be read: %s",
                        walk->depth > 1 ? mnp__text_string(&walk->path) : "/", walk->name, mnp__h5_reason());
    return MNP_OK;
}

/* ---- links ---- */

static mnp_status call(struct walk *walk, mnp__h5_visit *visit)
{
    visit->path = walk->path.length > 0 ? mnp__text_string(&walk->path) : "/";
    mnp_status st = walk->visitor(visit, walk->argument);
    walk->ends = walk->ends || visit->ends;
    return st;
}

/* Visit an object, and go into it if it is a group; it is closed in any case. */
static mnp_status visit_object(struct walk *walk, hid_t object)
{
    const char *before;
    mnp__h5_visit visit = {.object = object, .type = H5Iget_type(object)};
    mnp_status st = remember(walk, object, &before);
    if (st == MNP_OK && before) {
        visit = (mnp__h5_visit){.object = H5I_INVALID_HID, .type = H5I_BADID, .target = before};
        st = call(walk, &visit);
    } else if (st == MNP_OK) {
        st = call(walk, &visit);
        if (st == MNP_OK && visit.type == H5I_GROUP)
            return enter(walk, object, visit.left_out);
    }
    H5Oclose(object);
    return st;
}

/* Visit a soft, external or user-defined link. */
static mnp_status visit_link(struct walk *walk, hid_t group, const char *name, const H5L_info_t *info)
{
    const char *file = "", *path = "";
    char *value = NULL;
    mnp__text target = MNP__TEXT_EMPTY;
    MNP_TRY(mnp__calloc(1, info->u.val_size + 1, &value));
    if (H5Lget_val(group, name, value, info->u.val_size, H5P_DEFAULT) >= 0) {
        if (info->type == H5L_TYPE_SOFT)
            mnp__text_add(&target, "%s", value);
        else if (H5Lunpack_elink_val(value, info->u.val_size, NULL, &file, &path) >= 0)
            mnp__text_add(&target, "%s:%s", file, path);
    }
    free(value);
    mnp__h5_visit visit = {.object = H5I_INVALID_HID, .type = H5I_BADID, .target = mnp__text_string(&target)};
    mnp_status st = mnp__text_status(&target);
    if (st == MNP_OK)
        st = call(walk, &visit);
    mnp__text_free(&target);
    return st;
}

static mnp_status visit_name(struct walk *walk, hid_t group, const char *name)
{
    H5L_info_t info;
    if (H5Lget_info(group, name, &info, H5P_DEFAULT) < 0)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' in '%s' cannot be read: %s", mnp__text_string(&walk->path), walk->name,
                        mnp__h5_reason());
    if (info.type != H5L_TYPE_HARD)
        return visit_link(walk, group, name, &info);
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' in '%s' cannot be read: %s", mnp__text_string(&walk->path), walk->name,
                        mnp__h5_reason());
    return visit_object(walk, object);
}

static bool is_left_out(const struct level *level, const char *name)
{
    for (const char *const *left_out = level->left_out; left_out && *left_out; left_out++)
        if (strcmp(*left_out, name) == 0)
            return true;
    return false;
}

static mnp_status run(struct walk *walk, hid_t root)
{
    MNP_TRY(visit_object(walk, root));
    while (walk->depth > 0 && !walk->ends) {
        struct level *level = &walk->levels[walk->depth - 1];
        walk->path.length = level->path_length;
        if (level->next == level->count) {
            leave(walk);
            continue;
        }
        const char *name = level->names[level->next++];
        if (is_left_out(level, name))
            continue;
        mnp__text_add(&walk->path, "/%s", name);
        MNP_TRY(mnp__text_status(&walk->path));
        MNP_TRY(visit_name(walk, level->group, name));
    }
    return MNP_OK;
}

mnp_status mnp__h5_walk(hid_t file, const char *name, mnp__h5_visitor *visitor, void *argument)
{
    struct walk walk = {.name = name, .visitor = visitor, .argument = argument, .path = MNP__TEXT_EMPTY};
    hid_t root = H5Oopen(file, "/", H5P_DEFAULT);
    if (root < 0)
        return MNP_FAIL(MNP_ERR_FORMAT, "the root group of '%s' cannot be read: %s", name, mnp__h5_reason());
    mnp_status st = run(&walk, root);
    while (walk.depth > 0)
        leave(&walk);
    for (int64_t i = 0; i < walk.places; i++)
        free(walk.seen[i].path);
    free(walk.seen);
    free(walk.levels);
    mnp__text_free(&walk.path);
    return st;
}
