/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The beginning of a public function: it says its name, and refuses pointers that cannot be right.
 *
 *   mnp_status mnp_sum(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p)
 *   {
 *       MNP_ENTER(x, out_p);
 *
 * After this line x is an array, and out_p points to an array or to NULL; otherwise the function has returned
 * MNP_ERR_ARG with "mnp_sum: x is NULL".  Every kind of object begins with a tag, which is cleared when the object is
 * freed, so that most pointers which were freed or never set are told too.
 *
 * The name of the outermost public function on this thread begins all messages until it returns (status.c), and what it
 * makes remembers it.  Cost: a few instructions for the name, and two to four for each pointer.
 */
#ifndef MNP__BASE_CALL_H
#define MNP__BASE_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <maniple/base.h>

/* ---- objects ---- */

/* X(type, what it is called) */
#define MNP__OBJECTS(X)                                                                                                \
    X(array, "array")                                                                                                  \
    X(comm, "communicator")                                                                                            \
    X(conv_plan, "plan of a convolution")                                                                              \
    X(ctx, "context")                                                                                                  \
    X(elementwise, "element-wise kernel")                                                                              \
    X(event, "event")                                                                                                  \
    X(fft_plan, "plan of a Fourier transform")                                                                         \
    X(graph, "graph")                                                                                                  \
    X(h5_file, "open file")                                                                                            \
    X(halo, "halo")                                                                                                    \
    X(layout, "layout")                                                                                                \
    X(mesh, "mesh")                                                                                                    \
    X(operator, "operator")                                                                                            \
    X(plan, "plan")                                                                                                    \
    X(precond, "preconditioner")                                                                                       \
    X(raw_kernel, "kernel")                                                                                            \
    X(raw_module, "module")                                                                                            \
    X(reduction, "reduction")                                                                                          \
    X(rng, "random number generator")                                                                                  \
    X(sparse, "sparse matrix")                                                                                         \
    X(triangular, "plan of triangular solves")

/* The tags.  An object begins with its own, as `unsigned tag`; the two others are kinds of pointers. */
#define MNP__DEFINE_TAG(type, name) MNP__TAG_##type,
enum mnp__tags {
    MNP__TAG_NONE,   /* of a pointer to anything else */
    MNP__TAG_OUTPUT, /* of a pointer to an array or NULL */
    MNP__TAG_BASE = 0x4d4e5000,
    MNP__OBJECTS(MNP__DEFINE_TAG)
};

#define MNP__DECLARE_OBJECT(type, name) struct mnp_##type;
MNP__OBJECTS(MNP__DECLARE_OBJECT)

#define MNP__TAG_CASE(type, name) struct mnp_##type * : MNP__TAG_##type, const struct mnp_##type * : MNP__TAG_##type,
#define MNP__TAG_OF(pointer)                                                                                           \
    _Generic((pointer), MNP__OBJECTS(MNP__TAG_CASE) struct mnp_array * * : MNP__TAG_OUTPUT, default : MNP__TAG_NONE)

static inline bool mnp__is_object(const void *pointer, unsigned tag)
{
    return pointer && *(const unsigned *)pointer == tag;
}

static inline bool mnp__is_usable(const void *pointer, unsigned tag)
{
    if (tag == MNP__TAG_OUTPUT)
        return pointer && (!*(void *const *)pointer || **(const unsigned *const *)pointer == (unsigned)MNP__TAG_array);
    return tag == MNP__TAG_NONE ? pointer != NULL : mnp__is_object(pointer, tag);
}

/* Clear the tag of an object, and free its memory.  NULL is accepted. */
void mnp__object_free(void *object);

/* What an object with that tag is called. */
const char *mnp__object_name(unsigned tag);

/* ---- objects that the program has to free (objects.c) ---- */

/*
 * In checking mode (MANIPLE_CHECK=1): which objects the program has not freed, and which of its lines made them.
 *
 * A list of the process holds an object from the call that makes it until it is freed, with the public function that
 * the program called and the address to which that call returned.  mnp_finalize() writes what is left of its context.
 * Only then addresses become lines: addr2line, of the GNU binutils, finds them in a program that has debug information
 * (-g); without it the message has the function, or the program's file, and an offset in it.
 *
 * Layouts belong to no context, and arrays, plans and matrices share them.  So only those are in the list that a
 * function whose purpose is to make a layout has given to the program, each with the number of references that the
 * program owns: calls of mnp_layout_retain() and mnp_layout_free() count where no other public function is running.
 * They are reported by the last mnp_finalize() of the process.
 *
 * Cost: nothing but a test of a flag where no context checks; otherwise some microseconds for an object.
 */
struct mnp__log;

/* How many contexts check; see mnp__objects_are_listed(). */
extern atomic_int mnp__objects_listeners;

static inline bool mnp__objects_are_listed(void)
{
    return __builtin_expect(atomic_load_explicit(&mnp__objects_listeners, memory_order_relaxed) > 0, 0);
}

/* A context that checks begins; and ends: what is left of it is written to the log, and forgotten. */
void mnp__objects_begin(void);
void mnp__objects_end(const void *owner, const struct mnp__log *log);

/*
 * add: the running public function has made an object, which begins with its tag.  remove: it is freed; what is not in
 * the list is accepted.  owner: its context, or NULL for a layout.
 */
void mnp__objects_add(const void *object, const void *owner);
void mnp__objects_remove(const void *object);

/*
 * For layouts: one was made, one reference more, one less.  Nothing happens unless the program itself, and not another
 * function of the library, owns the reference.
 */
void mnp__objects_add_layout(const void *layout);
void mnp__objects_retain_layout(const void *layout);
void mnp__objects_release_layout(const void *layout);

/* ---- pointers ---- */

/* Record why a pointer is refused: "mnp_sum: x is NULL".  MNP_ERR_ARG. */
mnp_status mnp__refuse_pointer(const char *file, int line, const char *function, const char *name, const void *pointer,
                               unsigned tag) __attribute__((cold));
mnp_status mnp__refuse_element(const char *file, int line, const char *function, const char *list, int i,
                               const void *pointer, unsigned tag) __attribute__((cold));
#define MNP__REFUSE(pointer)                                                                                           \
    mnp__refuse_pointer(__FILE__, __LINE__, __func__, #pointer, (pointer), MNP__TAG_OF(pointer))
#define MNP__IS_WRONG(pointer) __builtin_expect(!mnp__is_usable((pointer), MNP__TAG_OF(pointer)), 0)

/* Return MNP_ERR_ARG, or `value`, unless the pointer can be used; if a condition is given, only where that holds. */
#define MNP_NEED(pointer)                                                                                              \
    do {                                                                                                               \
        if (MNP__IS_WRONG(pointer))                                                                                    \
            return MNP__REFUSE(pointer);                                                                               \
    } while (0)
#define MNP_NEED_IF(condition, pointer)                                                                                \
    do {                                                                                                               \
        if ((condition) && MNP__IS_WRONG(pointer))                                                                     \
            return MNP__REFUSE(pointer);                                                                               \
    } while (0)
#define MNP_NEED_OR(value, pointer)                                                                                    \
    do {                                                                                                               \
        if (MNP__IS_WRONG(pointer)) {                                                                                  \
            (void)MNP__REFUSE(pointer);                                                                                \
            return value;                                                                                              \
        }                                                                                                              \
    } while (0)

/* A list of so many objects. */
#define MNP_NEED_ALL(count, list)                                                                                      \
    do {                                                                                                               \
        MNP_NEED_IF((count) > 0, list);                                                                                \
        for (int mnp_i_ = 0; mnp_i_ < (count); mnp_i_++) {                                                             \
            if (!mnp__is_object((list)[mnp_i_], MNP__TAG_OF((list)[mnp_i_])))                                          \
                return mnp__refuse_element(__FILE__, __LINE__, __func__, #list, mnp_i_, (list)[mnp_i_],                \
                                           MNP__TAG_OF((list)[mnp_i_]));                                               \
        }                                                                                                              \
    } while (0)

/* A place for an array, which is made in any case; what it holds before does not matter. */
#define MNP_NEED_PLACE(pointer)                                                                                        \
    do {                                                                                                               \
        if (__builtin_expect(!(pointer), 0))                                                                           \
            return MNP__REFUSE(pointer);                                                                               \
    } while (0)

/* An object that may be NULL. */
#define MNP_NEED_OR_NULL(pointer) MNP_NEED_IF((pointer) != NULL, pointer)

/* ---- listening ---- */

/*
 * What a profile is told of a thread's outermost calls (context/profile.h): that one begins, the arrays and outputs
 * among the pointers that it checks first, and that it ends.  Cost without a listener: two branches a call, and one for
 * each of these pointers, always the same way.
 */
typedef struct mnp__call_listener {
    void (*begin)(const char *function);
    void (*see)(const void *pointer, unsigned tag);
    void (*end)(void);
} mnp__call_listener;

/* ---- the call ---- */

/* The outermost public function that runs on this thread, or NULL; where it was called; and who listens, or NULL. */
typedef struct mnp__call {
    const char *function;
    const void *caller;
    const mnp__call_listener *listener;
} mnp__call;
extern _Thread_local mnp__call mnp__current;

static inline bool mnp__call_is_heard(const mnp__call *call)
{
    return __builtin_expect(call->listener != NULL, 0);
}

#define MNP__SEE(pointer)                                                                                              \
    do {                                                                                                               \
        if (mnp__begun && mnp__call_is_heard(mnp__begun))                                                              \
            mnp__begun->listener->see((pointer), MNP__TAG_OF(pointer));                                                \
    } while (0)

/* The record of a call that has begun; NULL if it lies inside another one. */
static inline mnp__call *mnp__call_begin(const char *function, const void *caller)
{
    mnp__call *current = &mnp__current; /* found once, as that takes a call */
    if (current->function)
        return NULL;
    current->function = function;
    current->caller = caller;
    if (mnp__call_is_heard(current))
        current->listener->begin(function);
    return current;
}

static inline void mnp__call_end(mnp__call *const *begun)
{
    if (!*begun)
        return;
    if (mnp__call_is_heard(*begun))
        (*begun)->listener->end();
    (*begun)->function = NULL;
}

#define MNP__BEGIN_CALL()                                                                                              \
    mnp__call *const mnp__begun __attribute__((cleanup(mnp__call_end), unused)) =                                      \
        mnp__call_begin(__func__, __builtin_return_address(0))

/*
 * The first line of a public function that returns a status, with pointers that must not be NULL.  ENTER_NAME: without
 * pointers.
 */
#define MNP_ENTER_NAME() MNP__BEGIN_CALL()
#define MNP_ENTER(...)                                                                                                 \
    MNP__BEGIN_CALL();                                                                                                 \
    MNP__PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1)(__VA_ARGS__)

#define MNP__PICK(a, b, c, d, e, f, g, h, n, ...) MNP__NEED_##n
#define MNP__NEED_1(a)                                                                                                 \
    MNP_NEED(a);                                                                                                       \
    MNP__SEE(a)
#define MNP__NEED_2(a, ...)                                                                                            \
    MNP__NEED_1(a);                                                                                                    \
    MNP__NEED_1(__VA_ARGS__)
#define MNP__NEED_3(a, ...)                                                                                            \
    MNP__NEED_1(a);                                                                                                    \
    MNP__NEED_2(__VA_ARGS__)
#define MNP__NEED_4(a, ...)                                                                                            \
    MNP__NEED_1(a);                                                                                                    \
    MNP__NEED_3(__VA_ARGS__)
#define MNP__NEED_5(a, ...)                                                                                            \
    MNP__NEED_1(a);                                                                                                    \
    MNP__NEED_4(__VA_ARGS__)
#define MNP__NEED_6(a, ...)                                                                                            \
    MNP__NEED_1(a);                                                                                                    \
    MNP__NEED_5(__VA_ARGS__)
#define MNP__NEED_7(a, ...)                                                                                            \
    MNP__NEED_1(a);                                                                                                    \
    MNP__NEED_6(__VA_ARGS__)
#define MNP__NEED_8(a, ...)                                                                                            \
    MNP__NEED_1(a);                                                                                                    \
    MNP__NEED_7(__VA_ARGS__)

#endif
