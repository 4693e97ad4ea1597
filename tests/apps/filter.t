#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple filter and maniple label: results are scipy.ndimage's on any number of ranks, every filter of --help runs and is
# in the manual page, and mistakes are reported in one sentence.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

for command in filter label; do
    run "help of $command" "$MANIPLE" "$command" --help
    [ "$("$MANIPLE" "$command" --help | awk 'length > 100' | wc -l)" -eq 0 ]
    check $? "it is at most 100 columns wide"
done
"$MANIPLE" filter --help | sed -n '/^Filters,/,/^Parameters:/s/^  \([a-z][a-z_]*\) .*/\1/p' >help.txt
sed -n 's/^\.It Cm \([a-z]*_[a-z_]*\|[a-z]*\)$/\1/p' "$srcdir/docs/man/maniple-filter.1" >page.txt
run "maniple-filter.1 has the filters of --help" diff help.txt page.txt

[ -n "$PYTHON" ] || {
    skip "results" "$(without_python)"
    done_testing
}
check_points "$PYTHON" "$srcdir/tests/apps/checks/filter.py"

filter_alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" "$@")
    check $? "$*" "$details"
}
fails 2 'size has 3 numbers, and INPUT' "$MANIPLE" filter median_filter in.h5:/image -o y.h5:/y size=3,3,3
fails 2 'size has 2 numbers, and axes has 1' "$MANIPLE" filter median_filter in.h5:/image -o y.h5:/y size=3,3 axes=0
filter_alone 2 "float31" filter median_filter in.h5:/image -o y.h5:/y size=3 dtype=float31
filter_alone 2 "did you mean 'median_filter'" filter medianfilter in.h5:/image -o y.h5:/y
filter_alone 2 'needs size=VALUE' filter median_filter in.h5:/image -o y.h5:/y
filter_alone 2 'takes no sigma' filter median_filter in.h5:/image -o y.h5:/y sigma=3
filter_alone 2 'no parameter of median_filter' filter median_filter in.h5:/image -o y.h5:/y size
filter_alone 2 'it has size, .*mode' filter median_filter in.h5:/image -o y.h5:/y siz=3
filter_alone 2 'must be a number' filter median_filter in.h5:/image -o y.h5:/y size=large
filter_alone 2 'needs a place' filter median_filter in.h5:/image size=3
filter_alone 2 'rotate needs two' filter rotate in.h5:/image -o y.h5:/y angle=3 axes=0
filter_alone 2 'no plan of zoom' filter zoom in.h5:/image -o y.h5:/y zoom=2 --plan
filter_alone 2 'OUTPUT .* is INPUT itself' filter median_filter in.h5:/image -o in.h5:/image size=3
filter_alone 2 'label needs INPUT' label -o y.h5:/y
done_testing
