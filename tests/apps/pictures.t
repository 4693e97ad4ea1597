#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pictures of the command, as PNG and as SVG: their contents, as far as these can be known, are what the numbers are;
# they are drawn with cairo and without; and what cannot be drawn is refused.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

[ -n "$PYTHON" ] || skip_all "$(without_python)"
has_png || skip_all "there is no libpng"

"$PYTHON" - <<'END'
import h5py, numpy
random = numpy.random.default_rng(7)
long = "x" * 250
with h5py.File("data.h5", "w") as file:
    file["integers"] = numpy.round(random.normal(-3, 2.5, 5000)).astype("i4")
    file["reals"] = random.exponential(2, 3000)
    file["colour"] = random.integers(0, 256, (24, 31, 3), dtype="u1")
    file["large"] = random.normal(0, 1, (7, 2040))
    file["square"] = random.normal(0, 1, (400, 2040))
    file["small"] = random.normal(0, 1, (5, 6)).astype("f4")
    file["odd/a<b>&\"'\u00e9"] = numpy.arange(10)
    file["odd/" + long] = numpy.arange(10)
    file[b"odd/\xff\x01"] = numpy.arange(10)
    file["rhs"] = random.normal(0, 1, (400, 3))
    file["vector"] = numpy.arange(9.0)
    file["nothing"] = numpy.full(4, numpy.nan)
END
check $? "the data of this test"

# made FILE ARGUMENT...: the command draws FILE, and says so
made()
{
    file=$1
    shift
    details=$("$MANIPLE" "$@" --picture "$file" 2>&1) && printf '%s\n' "$details" | grep -q "^picture   $file: [0-9.]* x "
    check $? "maniple $* --picture $file" "$details"
}

# right NAME: what was drawn is right, which is looked at when all is drawn
right()
{
    later "$1"
}

made solve.svg solve poisson:20x20 -o solve.h5:/x --method cg --rtol 1e-8
right solve
made systems.svg solve poisson:20x20 data.h5:/rhs -o systems.h5:/x --method cg
right systems
made integers.svg stats data.h5:/integers
made reals.svg stats data.h5:/reals
right histogram
made colour.svg stats data.h5:/colour
made conv.svg conv data.h5:/colour hanning:3x3 --axes 0,1 -o out.h5:/same # a window of 3 is a one between zeros
made conv.png conv data.h5:/colour hanning:3x3 --axes 0,1 -o out.h5:/same
right colours
made large.svg conv data.h5:/large hanning:3x3 -o out.h5:/large
made square.svg eval x x=data.h5:/square
"$MANIPLE" eval x x=data.h5:/square --picture coarse.png --picture-size 2x2@72 | grep -q '^picture .*, a dot is the mean of 15x15 elements'
check $? "a small size is reduced more"
right means
made vector.svg eval 'y = sqrt(x); y + 1' x=data.h5:/reals
made array.svg eval x x=data.h5:/small
details=$("$MANIPLE" eval 'y = -x; 2*y' x=data.h5:/small -o eval.h5:/last --picture y=named.svg 2>&1) &&
    printf '%s\n' "$details" | grep -q '^picture   named.svg: '
check $? "a variable that is drawn, and another value that is written" "$details"
right eval
made map.svg conv data.h5:/small hanning:3x3 -o out.h5:/small --picture-map
right map
made spy.svg spinfo poisson:12x12
right spy
made solve.png solve poisson:20x20 -o solve.h5:/x --method cg --rtol 1e-8
made print.png solve poisson:20x20 -o solve.h5:/x --method cg --rtol 1e-8 --picture-size 3.5x2.5@300
made size.svg solve poisson:20x20 -o solve.h5:/x --method cg --rtol 1e-8 --picture-size 3.5x2.5
# A library of that name that is none stands for a machine without cairo
mkdir fake && : >fake/libcairo.so.2
LD_LIBRARY_PATH=$PWD/fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
made own.png solve poisson:20x20 -o solve.h5:/x --method cg --rtol 1e-8
"$MANIPLE" info | grep -q '^  cairo *not found'
check $? "info says that cairo is not there"
LD_LIBRARY_PATH=${LD_LIBRARY_PATH#"$PWD/fake"}
LD_LIBRARY_PATH=${LD_LIBRARY_PATH#:}
right sizes
made odd.svg stats "data.h5:/odd/a<b>&\"'é"
made long.svg stats "data.h5:/odd/$(printf 'x%.0s' $(seq 250))"
made bytes.svg stats "data.h5:/odd/$(printf '\377\001')"
right odd
check_later "$PYTHON" "$srcdir/tests/apps/checks/pictures.py"
"$MANIPLE" stats data.h5:/reals --png old.png >/dev/null && [ "$(head -c 4 old.png | tail -c 3)" = PNG ]
check $? "--png is the old name of --picture"

# refused STATUS PATTERN ARGUMENT...
refused()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" "$@")
    check $? "maniple $*" "$details"
}

ln -s data.h5 link.svg
refused 2 'ends neither in .png nor in .svg' stats data.h5:/reals --picture new.jpg
refused 2 'ends neither in .png nor in .svg' spinfo poisson:9 --picture png
refused 2 'empty name' stats data.h5:/reals --picture ''
refused 2 'given twice' stats data.h5:/reals --picture a.png --png b.png
refused 2 'is for a picture' stats data.h5:/reals --picture-size 3x3
refused 2 'is for a picture' conv data.h5:/small hanning:3x3 -o new.h5:/y --picture-map
for size in 3 3x 3x3@ x3 3x3x3 0.5x3 3x-3 3x3@1e9 infx3 nanx3 41x3 '3x3 ' 3x3@10; do
    refused 2 'is not WIDTHxHEIGHT' stats data.h5:/reals --picture new.png --picture-size "$size"
done
refused 2 'million pixels' stats data.h5:/reals --picture new.png --picture-size 40x40@1200
refused 2 'a number is not drawn' eval 'sum(x)' x=data.h5:/small --picture new.png
refused 2 'never assigned' eval 'y = x' x=data.h5:/small --picture z=new.png
refused 2 'is the file of operand x' eval 'x + 1' x=data.h5:/small --picture link.svg
refused 1 'no elements to draw' eval x x='data.h5:/small[:0]' -q --picture new.png
refused 1 'no/such' spinfo poisson:9 --picture no/such/new.svg
mkdir folder.png
refused 1 'is a folder' stats data.h5:/reals --picture folder.png
refused 2 'is the file of INPUT' stats data.h5:/reals --picture link.svg
refused 2 '2 dimensions or more' conv data.h5:/vector hanning:3 -o new.h5:/y --picture new.png
if [ "$(id -u)" != 0 ]; then
    mkdir closed && chmod a-w closed
    refused 1 'files cannot be made' stats data.h5:/reals --picture closed/new.png
fi
done_testing
