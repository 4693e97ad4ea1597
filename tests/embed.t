#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A kernel source that build-aux/embed turns into a C string is unchanged in the compiled program.

. "${srcdir:-.}/tests/tap.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/kernels" "$work/jit"
cd "$work" || exit 1

printf '%s\n' '#include "a.h" // "quoted"' '' '    printf("%d\t\\ \"?\"\n", ??(x ??= y???));' "'\\0' \\" 'end' >kernels/odd.cu
: >kernels/empty.h
cat >jit/jit.h <<'END'
struct mnp__kernel_source {
    const char *name, *text;
};
extern const struct mnp__kernel_source mnp__kernel_sources[];
END
: >config.h
cat >show.c <<'END'
#include <stdio.h>
#include "jit/jit.h"
int main(void)
{
    for (const struct mnp__kernel_source *source = mnp__kernel_sources; source->name; source++)
        printf("== %s\n%s", source->name, source->text);
    return 0;
}
END
{
    echo '== odd.cu'
    cat kernels/odd.cu
    echo '== empty.h'
} >expected

sh "$srcdir/build-aux/embed" kernels/odd.cu kernels/empty.h >sources.c
check "$?" "embed ends well"
# shellcheck disable=SC2086  # a compiler's name and flags may be several words
run "what it writes compiles, by the standard" \
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -Wno-trigraphs -I. -o show show.c sources.c ${LDFLAGS-}
./show >shown
run "the sources are as they were" diff expected shown
done_testing
