#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the command takes as operands and outputs: parts of datasets, NumPy's files and pictures, compared with NumPy and
# h5py on any number of ranks (operands.py); and operands that are not as they should be, which are told in one sentence.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

: "${PYTHON=$("$srcdir/tests/find-python")}" "${MANIPLE:=$builddir/apps/maniple}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
has_png=$(grep -c '^#define HAVE_PNG 1' "$builddir/config.h")
has_tiff=$(grep -c '^#define HAVE_TIFF 1' "$builddir/config.h")
has_fits=$(grep -c '^#define HAVE_CFITSIO 1' "$builddir/config.h")
export MANIPLE has_png has_tiff has_fits

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

check_points "$PYTHON" "$srcdir/tests/apps/checks/operands.py"

# wrong PATTERN ARGUMENT...: a mistake of the command line, on 1 rank and on 3
wrong()
{
    pattern=$1
    shift
    fails 2 "$pattern" "$MANIPLE" "$@"
}

# wrong_alone PATTERN ARGUMENT...: on one rank
wrong_alone()
{
    pattern=$1
    shift
    details=$(fails_on 1 2 "$pattern" "$MANIPLE" "$@")
    check $? "$*" "$details"
}

# check_info FILE LINE: what maniple info prints
check_info()
{
    printed=$("$MANIPLE" info "$1" 2>&1)
    [ "$printed" = "$2" ]
    check $? "info $1" "$printed"
}

wrong "operand x 'in.h5:/x\[30\]': index 30 is out of bounds" eval 'x' 'x=in.h5:/x[30]' -o out.npy
wrong_alone "operand x 'in.npy\[0, 0, 0\]': 3 indices are too many" eval 'x' 'x=in.npy[0, 0, 0]' -o out.npy
wrong_alone "operand x 'in.npy\[1:a\]': cannot read the subscripts" eval 'x' 'x=in.npy[1:a]' -o out.npy
wrong_alone "the step of the slice" eval 'x' 'x=in.npy[::0]' -o out.npy
wrong_alone "is the file of operand x, and operands are not overwritten" eval 'x + 1' x=in.npy -o in.npy
wrong_alone "is the file of operand x, and operands are not overwritten" eval 'x + 1' x=in.npy -o link.npy
wrong_alone "is operand x itself" eval 'x + 1' 'x=in.h5:/x[0]' -o in.h5:/x
wrong_alone "OUTPUT and OUTPUT are\|is the file of OUTPUT" eval 'a = 1; b = 2; a' -o a=out.npy -o b=out.npy
wrong_alone "is written as a whole: leave out \[0\]" eval '1' -o 'out.h5:/x[0]'
wrong_alone "is a picture; write FILE:/DATASET, FILE.npy, FILE.tif or FILE.fits" random normal 3 -s 1 -o out.png
wrong_alone "names a page, and a TIFF file is written as a whole" random normal 3x4 -s 1 -o out.tif:0
wrong_alone "this array has 1 dimension" random normal 3 -s 1 -o out.tif
wrong_alone "cannot be the EXTNAME" random normal 3 -s 1 -o out.fits:1
wrong_alone "does not grow" random normal 3 -s 1 -o out.fits --append new
details=$(fails_on 1 1 "FITS has no images of complex128" "$MANIPLE" fft in.h5:/x -o out.fits)
check $? "complex numbers have no place in a FITS file" "$details"
fails 1 "cannot grow along dimension 0: it was made for 30" "$MANIPLE" eval 'x + 0' x=in.npy -o in.h5:/x --append new
details=$(fails_on 1 1 "is compressed" "$MANIPLE" eval 'x + 0' x=in.npy -o in.h5:/packed --append 0)
check $? "a compressed dataset does not grow" "$details"
wrong_alone "does not grow: --append is for datasets" eval 'x + 0' x=in.npy -o out.npy --append new
wrong_alone "has 0 dimensions, and --append 0 is not one of them" eval '1 + 1' -o out.h5:/x --append 0
wrong_alone "it can be new, or the number of a dimension" random normal 3 -s 1 -o out.h5:/x --append last
wrong_alone "INPUT 'in.npy\[:0\]' is empty" conv 'in.npy[:0]' hanning:3 -o out.npy
wrong_alone "is taken as a whole: leave out" spinfo 'in.h5:/x[0]'
wrong "'text.npy' is not a .npy file" stats text.npy
if [ "$has_png" -gt 0 ]; then
    wrong "'text.png' is not a PNG file" stats text.png
    wrong_alone "the picture 'cut.png' is damaged" eval 'sum(x)' x=cut.png
fi
if [ "$has_tiff" -gt 0 ]; then
    wrong "'cut.tif' is damaged" stats cut.tif
    wrong_alone "the page 'x' is not a number" stats pages.tif:x
    wrong_alone "'pages.tif' has no page 3: it has 3" stats pages.tif:3
    check_info pages.tif "pages.tif: TIFF, 3x20x31 uint16, tiles of 16x16, deflate, 3 pages"
    check_info one.TIFF "one.TIFF: TIFF, 20x31 uint16, strips of 7x31"
fi
if [ "$has_fits" -gt 0 ]; then
    wrong "'cut.fits' is truncated" stats cut.fits
    wrong_alone "'two.fits' has no HDU that is called 'ERR'" stats two.fits:ERR
    wrong_alone "HDU 0 of 'two.fits' is a header without an image" stats two.fits:0
    check_info two.fits "two.fits: FITS, 30x17 float64, HDU 1 SCI"
    check_info two.fits:2 "two.fits:2: FITS, 20x31 float32, HDU 2"
    printed=$("$MANIPLE" info two.fits --json)
    case $printed in *'"hdu": 1'*'"name": "SCI"'*'"bitpix": -64'*) true ;; *) false ;; esac
    check $? "info --json of a FITS file" "$printed"
fi
[ ! -e out.npy ] && [ ! -e out.h5 ]
check $? "no output was left"

done_testing
