/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conditions in a kernel's text: branches that the definitions leave out are not there, what cannot be decided is left
 * to the compiler, and the compiler's own preprocessor takes the same lines of both texts.
 */
#include "jit/conditions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

static const char defines[] = "#define MNP_T float\n"
                              "#define MNP_TASK 2\n"
                              "#define MNP_NONE 0\n"
                              "#define MNP_WIDE 1 /* a comment */\n"
                              "#define MNP_CHANGED 1\n";

/* Each line is named by its number: an unknown name is MNP_OTHER. */
static const char text[] = "a1\n"
                           "#if MNP_CUDA\n"
                           "a2\n"
                           "#if MNP_OTHER\n"
                           "a3\n"
                           "#elif MNP_TASK == 2\n"
                           "a4\n"
                           "#else\n"
                           "a5\n"
                           "#endif\n"
                           "#else\n"
                           "a6\n"
                           "#endif\n"
                           "#if !MNP_CUDA && MNP_OTHER /* a comment */\n"
                           "a7\n"
                           "#elif MNP_NONE || (MNP_TASK > 1 && MNP_TASK != 3)\n"
                           "a8\n"
                           "#elif MNP_OTHER\n"
                           "a9\n"
                           "#else\n"
                           "a10\n"
                           "#endif\n"
                           "#if MNP_NONE\n"
                           "#define MNP_TASK 1\n"
                           "#if MNP_OTHER\n"
                           "a11\n"
                           "#elif MNP_TASK\n"
                           "a12\n"
                           "#else\n"
                           "a13\n"
                           "#endif\n"
                           "#elif MNP_OTHER == 1\n"
                           "a14\n"
                           "#elif MNP_NONE\n"
                           "a15\n"
                           "#else\n"
                           "a16\n"
                           "#endif\n"
                           "#ifdef MNP_TASK\n"
                           "a17\n"
                           "#endif\n"
                           "#ifndef MNP_TASK\n"
                           "a18\n"
                           "#else\n"
                           "a19\n"
                           "#endif\n"
                           "#ifdef MNP_OTHER\n"
                           "a20\n"
                           "#endif\n"
                           "#if defined(MNP_NONE) && !defined MNP_OTHER\n"
                           "a21\n"
                           "#endif\n"
                           "#undef MNP_CHANGED\n"
                           "#if MNP_CHANGED\n"
                           "a22\n"
                           "#endif\n"
                           "#if MNP_TASK + 1 == 3\n"
                           "a23\n"
                           "#endif\n"
                           "#if MNP_WIDE == 1\n"
                           "a24\n"
                           "#endif\n"
                           "#if MNP_TASK < 2 || MNP_TASK >= 3 || MNP_TASK <= 1\n"
                           "a25\n"
                           "#endif\n"
                           "a26\n";

/* The text without what is left out, to be freed. */
static char *decided(bool cuda)
{
    mnp__conditions c;
    mnp__text out = MNP__TEXT_EMPTY;
    mnp__conditions_begin(&c, defines, cuda);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        if (mnp__conditions_line(&c, line, &out))
            mnp__text_add_bytes(&out, line, strcspn(line, "\n") + 1);
    }
    ok(c.depth == 0, "all conditions are closed");
    return out.data;
}

/* What the preprocessor leaves of a text after the definitions, to be freed. */
static char *preprocessed(const char *of, bool cuda, bool other)
{
    static const size_t room = 1 << 14;
    char *result = calloc(1, room), command[160];
    char name[] = "/tmp/maniple-conditions-XXXXXX";
    const int file = mkstemp(name);
    FILE *to = fdopen(file, "w");
    fprintf(to, "%s#define MNP_CUDA %d\n%s%s", defines, cuda, other ? "#define MNP_OTHER 1\n" : "", of);
    fclose(to);
    snprintf(command, sizeof command, "${CXX:-g++} -E -P -x c++ %s", name);
    FILE *from = popen(command, "r");
    const size_t length = fread(result, 1, room - 1, from);
    result[length] = '\0';
    pclose(from);
    unlink(name);
    return result;
}

int main(void)
{
    for (int cuda = 0; cuda < 2; cuda++) {
        char *shorter = decided(cuda);
        for (int other = 0; other < 2; other++) {
            char *whole_lines = preprocessed(text, cuda, other), *lines = preprocessed(shorter, cuda, other);
            ok(strstr(lines, "a26") && strcmp(lines, whole_lines) == 0,
               "the same lines are compiled, for %s, with another name %s", cuda ? "a GPU" : "the host",
               other ? "defined" : "not defined");
            free(lines);
            free(whole_lines);
        }
        ok(!strstr(shorter, cuda ? "a6\n" : "a2\n"), "what is for the other device is left out");
        ok(!strstr(shorter, "a9\n") && !strstr(shorter, "a10\n") && !strstr(shorter, "a25\n"),
           "so is what is after a branch that is taken, and what numbers refuse");
        ok(!strstr(shorter, "a11\n") && !strstr(shorter, "a12\n") && !strstr(shorter, "a13\n") &&
               !strstr(shorter, "a15\n"),
           "and what is inside of it");
        ok(strstr(shorter, "#if MNP_OTHER == 1\n") && strstr(shorter, "a16\n"),
           "an #elif is the first #if that is left");
        ok(strstr(shorter, "#if MNP_TASK + 1 == 3\n") && strstr(shorter, "#ifdef MNP_OTHER\n") &&
               strstr(shorter, "#if MNP_CHANGED\n"),
           "what is not known is the compiler's");
        free(shorter);
    }
    return done_testing();
}
