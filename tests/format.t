#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every source begins with the licence's SPDX line, and the C sources are formatted as .clang-format says.  Versions of
# clang-format differ in small things, so the check runs with version 14 alone.

. "${srcdir:-.}/tests/tap.sh"
cd "$srcdir" || exit 1

sources=$(find lib include kernels apps bench docs tests -name '*.[ch]' -o -name '*.cu')

# shellcheck disable=SC2086  # many names, none with a space
check "$(echo $sources | wc -w | awk '{ print $1 < 300 }')" "there are sources to look at"
# shellcheck disable=SC2086
without=$(awk 'FNR == 1 && !/SPDX-License-Identifier: BSD-3-Clause/ { print FILENAME }' $sources)
check "${#without}" "every C and CUDA source begins with the SPDX line" "$without"
others=$(find . -path ./build\* -prune -o \( -name '*.t' -o -name '*.py' -o -name '*.sh' -o -name '*.am' -o -name '*.m4' -o -name '*.sbatch' \) \
    -print | while read -r file; do head -n 2 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || echo "$file"; done |
    grep -v -e aclocal -e '-n[0-9]*\.t$' -e '^\./m4/l\?t' -e '^\./m4/libtool')
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

done_testing
