#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files whose paths are long: as long as the system takes them they are written and read; beyond that there is a sentence.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

# path LENGTH: an absolute path of so many characters, whose folders exist
# shellcheck disable=SC2317  # it is called, by way of run
path()
{
    folder=$PWD/long
    while [ $(($1 - ${#folder})) -gt 200 ]; do
        folder=$folder/$(printf '%0*d' 98 0)
    done
    mkdir -p "$folder"
    printf '%s/%0*d.h5' "$folder" $(($1 - ${#folder} - 4)) 0
}

# written_and_read LENGTH RANKS: values and a matrix, by all ways to open a file
# shellcheck disable=SC2317  # it is called, by way of run
written_and_read()
{
    name=$(path "$1")
    on "$2" "$MANIPLE" random uniform 10 -s 1 -o "$name:/x" -q &&
        on "$2" "$MANIPLE" random uniform 7 -s 1 -o "$name:/more" --append 0 -q &&
        on "$2" "$MANIPLE" eval 'y = x[:7] + z' "x=$name:/x" "z=$name:/more" -o "y=${name%.h5}.npy" -q &&
        rm "$name" "${name%.h5}.npy"
}

for length in 200 230 240 250 260 4000; do
    run "a path of $length characters" written_and_read "$length" 1
done
if [ -n "$MPIRUN" ]; then
    run "a path of 250 characters, on 2 ranks" written_and_read 250 2
fi
check "$([ -z "$(find long -type f)" ]; echo $?)" "no file is left" "$(find long -type f)"

for length in 253 300; do
    conv_alone 1 'File name too long' in.h5:/x hanning:3 -o "$(printf '%0*d.h5' "$length" 0):/y"
done
conv_alone 1 'File name too long' "$(printf '%0*d.h5' 5000 0):/x" hanning:3 -o out.h5:/y
conv_alone 1 'File name too long' "$(printf '%0*d.h5' 50000 0):/x" hanning:3 -o out.h5:/y
conv_alone 1 'is too long' in.h5:/x hanning:3 -o "$(printf './%5998s' '' | sed 's, ,/,g')out.h5:/y"
run "a short path, and then a long one" "$MANIPLE" conv in.h5:/x hanning:3 -o "$(path 260):/y" -q
done_testing
