#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# docs/tutorial.md holds: its programs compile without warnings, its commands succeed, and both print what it shows.
#
# The fenced blocks of the page are taken in their order, in one folder:
#
#   c, bash    a file, which the comment in the first two lines names:  /* NAME: ... */  or  # NAME: ...
#   sh         commands
#   text       what the commands of the block before print on standard output.  "..." in a line stands for any
#              characters, and a line that is "..." for any lines
#
# Others, such as console, are not run.  For Slurm's commands and for the compiler there are stand-ins.

. "${srcdir:-.}/tests/tap.sh"

[ -e "$builddir/.libs/libmaniple.so" ] || skip_all "no shared library was built"
grep -q '^#define HAVE_PNG 1' "$builddir/config.h" || skip_all "this build draws no pictures"
[ -n "${MPIRUN-}" ] || skip_all "there is no mpirun"
"${PKG_CONFIG:-pkg-config}" --version >/dev/null 2>&1 || skip_all "there is no pkg-config"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/blocks" "$work/tutorial" "$work/apps"
ln -s "$srcdir/apps/data" "$work/apps/data"

# stand_in NAME: a command, by the lines on standard input
stand_in()
{
    { echo '#!/bin/sh' && cat; } >"$work/bin/$1" && chmod +x "$work/bin/$1"
}

stand_in cc <<END
exec ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror "\$@" ${LDFLAGS-}
END
stand_in mpirun <<END
exec "$MPIRUN" "\$@"
END
stand_in pkg-config <<END
exec "${PKG_CONFIG:-pkg-config}" "\$@"
END
stand_in module <<'END'
exit 0
END
stand_in srun <<'END'
[ "$1" = --mpi=pmix ] || exit 1 # else Slurm may start programs of one rank each
shift
exec mpirun -n "$SLURM_NTASKS" "$@"
END
stand_in sbatch <<'END'
SLURM_NTASKS=$(sed -n 's/^#SBATCH --ntasks=//p' "$1")
export SLURM_NTASKS
export MANIPLE_LOG=error # ranks that share a GPU are worth a warning, but not here
echo "Submitted batch job 1"
bash "$1" >"$(sed -n 's/^#SBATCH --output=//p' "$1" | sed 's/%j/1/')" 2>&1
END
sed "s,^libdir=.*,libdir=$builddir/.libs,; s,^includedir=.*,includedir=$srcdir/include," "$builddir/maniple.pc" \
    >"$work/maniple.pc"
PKG_CONFIG_PATH=$work
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PATH=$work/bin:$(dirname "$MANIPLE"):$PATH
export PKG_CONFIG_PATH LD_LIBRARY_PATH PATH

# The blocks, as files NUMBER.LANGUAGE; NUMBER.LANGUAGE.line has the line where it begins
awk -v folder="$work/blocks" '
    /^```/ && !inside {
        inside = 1
        file = sprintf("%s/%03d.%s", folder, ++count, substr($0, 4))
        printf "" >file
        print NR >(file ".line")
        next
    }
    /^```/ { inside = 0; close(file); close(file ".line"); next }
    inside { print >file }' "$srcdir/docs/tutorial.md"

# matches EXPECTED: whether standard input is what that file says; if not, the first difference is printed
matches()
{
    awk -v expected="$1" '
        function literal(text,    out, i, c) {
            for (i = 1; i <= length(text); i++) {
                c = substr(text, i, 1)
                out = out (index("\\^$.[]|()*+?{}", c) > 0 ? "\\" c : c)
            }
            return out
        }
        function pattern(line,    out, i) {
            while ((i = index(line, "...")) > 0) {
                out = out literal(substr(line, 1, i - 1)) ".*"
                line = substr(line, i + 3)
            }
            return "^" out literal(line) "$"
        }
        BEGIN {
            count = k = 0
            while ((getline line <expected) > 0)
                want[count++] = line
        }
        {
            for (; k < count && want[k] == "..."; k++)
                any = 1
            if (k < count && $0 ~ pattern(want[k])) {
                any = 0
                k++
            } else if (!any) {
                print "it prints:  " $0
                print "and not:    " (k < count ? want[k] : "nothing more")
                exit failed = 1
            }
        }
        END {
            for (; k < count && want[k] == "..."; k++)
                ;
            if (!failed && k < count) {
                print "this is missing:  " want[k]
                failed = 1
            }
            exit failed
        }'
}

cd "$work/tutorial" || exit 1
for block in "$work"/blocks/*; do
    line=$(cat "$block.line" 2>/dev/null)
    case $block in
        *.c | *.bash)
            name=$(sed -n '1,2s/^\(# \|\/\* \)\([a-z0-9_.]*\): .*/\2/p' "$block")
            check "$([ -n "$name" ]; echo $?)" "line $line: a file, ${name:-which has no name}"
            cp "$block" "${name:-nameless}"
            ;;
        *.sh)
            sh -eu "$block" >"$work/out" 2>"$work/err"
            check $? "line $line: $(sed -n '$p' "$block" | tr -d '#')" "$(cat "$work/out" "$work/err")"
            ;;
        *.text)
            difference=$(matches "$block" <"$work/out")
            check $? "line $line: what that prints" "$difference"
            ;;
    esac
done

check "$([ "$tap_count" -gt 30 ]; echo $?)" "the page has its blocks"
done_testing
