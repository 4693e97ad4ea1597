/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pruning a kernel's text: functions and structures that nothing uses are left out, and all else stays.
 */
#include "jit/prune.h"

#include <string.h>

#include "tests/tap.h"

static const char before[] = "template <typename T> MNP_INLINE T mnp_called(T x)\n"
                             "{\n"
                             "    return mnp_by_another(x);\n"
                             "}\n"
                             "MNP_INLINE int mnp_by_another(int x)\n"
                             "{\n"
                             "    return x;\n"
                             "}\n"
                             "MNP_INLINE int mnp_forgotten(int x)\n"
                             "{\n"
                             "    return mnp_by_the_forgotten(x);\n"
                             "}\n"
                             "static int mnp_by_the_forgotten(int x)\n"
                             "{\n"
                             "    return x;\n"
                             "}\n"
                             "template <typename T> MNP_INLINE decltype(T() + 1) mnp_typed(T x)\n"
                             "{\n"
                             "    return x;\n"
                             "}\n"
                             "template <typename T> MNP_INLINE decltype(T() + 1) mnp_typed_forgotten(T x)\n"
                             "{\n"
                             "    return x;\n"
                             "}\n"
                             "static __attribute__((noinline)) void mnp_apart(int x)\n"
                             "{\n"
                             "}\n"
                             "static __attribute__((noinline)) void mnp_apart_forgotten(int x)\n"
                             "{\n"
                             "}\n"
                             "template <typename T, typename = void> constexpr bool mnp_merges = false;\n"
                             "template <typename T> constexpr bool mnp_merges<T, decltype((void)&T::merge)> = true;\n"
                             "struct mnp_pair {\n"
                             "    int x;\n"
                             "};\n"
                             "struct mnp_forgotten_pair {\n"
                             "    int x;\n"
                             "};\n"
                             "template <typename T, bool wide = false> struct mnp_traits {\n"
                             "    typedef T type;\n"
                             "};\n"
                             "template <> struct mnp_traits<int, true> : mnp_traits<long> {\n"
                             "};\n"
                             "template <typename T> struct mnp_forgotten_traits;\n"
                             "template <typename T, int n = 2> MNP_INLINE T mnp_times(T x)\n"
                             "{\n"
                             "    return n * x;\n"
                             "}\n"
                             "template <typename T, int n = 2> MNP_INLINE T mnp_forgotten_times(T x)\n"
                             "{\n"
                             "    return n * x;\n"
                             "}\n"
                             "struct alignas(16) mnp_aligned {\n"
                             "    int x;\n"
                             "};\n"
                             "struct {\n"
                             "    int x;\n"
                             "} mnp_one;\n"
                             "MNP_INLINE int mnp_forgotten_with_macro(int x)\n"
                             "{\n"
                             "#define MNP_TWICE(x) (2 * (x))\n"
                             "    return x;\n"
                             "}\n"
                             "#define MNP_DEFINE_TWICE(name) MNP_INLINE int name(int x) { return 2 * x; }\n"
                             "MNP_DEFINE_TWICE(mnp_made)\n"
                             "MNP_DEFINE_TWICE(mnp_made_forgotten)\n";
static const char generated[] = "typedef int mnp_value;\n"
                                "MNP_INLINE int mnp_generated_forgotten(int x)\n"
                                "{\n"
                                "    return x;\n"
                                "}\n";
static const char after[] = "MNP_KERNEL(name, params)\n"
                            "{\n"
                            "    mnp_pair p;\n"
                            "    called(typed(mnp_made(1))), apart(2), mnp_times(mnp_traits<int, true>::type(1));\n"
                            "}\n";

static const char *const kept[] = {"T mnp_called(",
                                   "int mnp_by_another(",
                                   "mnp_typed(T",
                                   "void mnp_apart(int",
                                   "constexpr bool mnp_merges = false",
                                   "constexpr bool mnp_merges<T, decltype((void)&T::merge)> = true",
                                   "struct mnp_pair",
                                   "bool wide = false> struct mnp_traits {",
                                   "struct mnp_traits<int, true>",
                                   "T mnp_times(",
                                   "mnp_aligned",
                                   "} mnp_one",
                                   "MNP_TWICE",
                                   "TWICE(mnp_made)\n",
                                   "mnp_generated_forgotten(",
                                   "MNP_KERNEL(name"};
static const char *const left_out[] = {"int mnp_forgotten(",   "int mnp_by_the_forgotten(", "mnp_typed_forgotten(",
                                       "mnp_apart_forgotten(", "TWICE(mnp_made_forgotten)", "mnp_forgotten_pair",
                                       "mnp_forgotten_traits", "mnp_forgotten_times"};

int main(void)
{
    mnp__text text = {.data = NULL};
    mnp__text_add(&text, "%s", before);
    const size_t begin = text.length;
    mnp__text_add(&text, "%s", generated);
    const size_t end = text.length;
    mnp__text_add(&text, "%s", after);
    ok(mnp__jit_prune(&text, begin, end) == MNP_OK, "a text is pruned");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        ok(strstr(mnp__text_string(&text), kept[i]), "it has %.*s", (int)strcspn(kept[i], "\n"), kept[i]);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        ok(!strstr(mnp__text_string(&text), left_out[i]), "and not %s", left_out[i]);
    mnp__text_free(&text);
    return done_testing();
}
