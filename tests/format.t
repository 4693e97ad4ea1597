#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every source begins with the licence's SPDX line, and the C sources are formatted as .clang-format says.  Versions of
# clang-format differ in small things, so the check runs with version 14 alone.  Lines that users
# read have at most 120 columns.

. "${srcdir:-.}/tests/tap.sh"
cd "$srcdir" || exit 1

# a build in the source's folder makes one file of its own
sources=$(find lib include kernels apps bench docs tests \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cc' -o -name '*.hpp' \) ! -name kernel_sources.c)

# shellcheck disable=SC2086  # many names, none with a space
check "$(echo $sources | wc -w | awk '{ print $1 < 300 }')" "there are sources to look at"
# shellcheck disable=SC2086
without=$(awk 'FNR == 1 && !/SPDX-License-Identifier: BSD-3-Clause/ { print FILENAME }' $sources)
check "${#without}" "every C and CUDA source begins with the SPDX line" "$without"
others=$(find . -path ./build\* -prune -o \( -name '*.t' -o -name '*.py' -o -name '*.sh' -o -name '*.am' -o -name '*.m4' -o -name '*.sbatch' \) \
    -print | while read -r file; do
        case $file in ./aclocal.m4 | ./autom4te.cache/* | ./m4/lt*.m4 | ./m4/libtool.m4 | *-[ngo][0-9].t) continue ;; esac
        head -n 2 "$file" | LC_ALL=C grep -aq -e 'SPDX-License-Identifier: BSD-3-Clause' -e '^.ELF' -e 'temporary wrapper script for' || echo "$file"
    done)
check "${#others}" "so does every script and fragment of the build" "$others"

clang=
for name in clang-format-14 clang-format; do
    if command -v "$name" >/dev/null && "$name" --version | grep -q 'version 14\.'; then
        clang=$name
        break
    fi
done
if [ -z "$clang" ]; then
    skip "the sources are formatted as .clang-format says" "there is no clang-format 14"
else
    # shellcheck disable=SC2086
    wrong=$("$clang" --dry-run $sources 2>&1 | sed -n 's/:.*warning:.*//p' | sort | uniq -c)
    check "${#wrong}" "the sources are formatted as .clang-format says" "$wrong"
fi

# clang-format leaves comments and documents as they are
wide=$(find include CHANGELOG.md \( -name '*.h' -o -name '*.hpp' -o -name '*.md' \) -exec awk 'length > 120 { print FILENAME ":" FNR }' {} +)
check "${#wide}" "lines of the public headers and of the changelog have at most 120 columns" "$wide"

done_testing
