#!/bin/sh
# What each folder may include, as docs/architecture.md has it: a layer knows the layers below it and no other, and the
# headers of vendors' libraries stay where those libraries are wrapped.

. "${srcdir:-.}/tests/tap.sh"
cd "$srcdir" || exit 1

# layers FOLDER: the folders of lib/ whose headers FOLDER may include besides its own; of device/ only device.h, but NCCL
# needs the CUDA stream.  The parameter structs of kernels/ are for all.
layers()
{
    case $1 in
        base) ;;
        layout | jit) echo base ;;
        device) echo base jit ;;
        comm) echo base layout device ;;
        context) echo base layout jit device comm ;;
        array) echo base layout jit device comm context ;;
        ops | io) echo base layout jit device comm context array ;;
        fft | linalg | sparse | signal) echo base layout jit device comm context array ops ;;
        *) return 1 ;;
    esac
}

# includes FOLDER...: lines "FILE:LINE HEADER" for the C files below, the header in its quotes or angles
includes()
{
    find "$@" -name '*.[ch]' -exec awk '/^[ \t]*#[ \t]*include/ {
        sub(/^[ \t]*#[ \t]*include[ \t]*/, "")
        match($0, /^("[^"]*"|<[^>]*>)/)
        print FILENAME ":" FNR, substr($0, 1, RLENGTH)
    }' {} +
}

# beside FILE:LINE HEADER: whether the header lies in the file's own folder
beside()
{
    [ -e "${1%/*}/$2" ]
}

# wrong_layers FOLDER LAYERS: the includes of private headers that the table forbids
wrong_layers()
{
    includes "lib/$1" | tr -d '"' | while read -r where header; do
        folder=${header%%/*}
        case $header in
            \<* | config.h | maniple.h | maniple/* | kernels/*) continue ;;
            "$1"/* | device/device.h) ;;
            device/cuda/stream.h) [ "$1" = comm ] || folder=private ;;
            device/*) folder=private ;;
            */*) ;;
            *) beside "$where" "$header" && continue ;;
        esac
        case " $1 $2 " in *" $folder "*) continue ;; esac
        echo "$where includes $header"
    done
}

# none DESCRIPTION WRONG: a point that holds if nothing is wrong
none()
{
    check "${#2}" "$1" "$2"
}

for path in lib/*/; do
    folder=$(basename "$path")
    if allowed=$(layers "$folder"); then
        none "lib/$folder includes of lib/ only itself${allowed:+, }$allowed" "$(wrong_layers "$folder" "$allowed")"
    else
        check 1 "lib/$folder is in the table of layers"
    fi
done

vendor='[<"](cu[a-zA-Z_0-9]+|nvrtc|nccl|nvml|hdf5|H5[A-Za-z]*|fftw3[a-z-]*|lapacke?|cblas|openblas[a-z_]*)\.h[>"]'
none "vendors' headers only in device/cuda, device/host, jit, comm and io" \
    "$(includes include lib apps bench tests | grep -E "$vendor" |
        grep -vE '^(lib/(device/(cuda|host)|jit|comm|io)|tests/(device|jit|comm|io))/')"

none "libpng only in apps" "$(includes include lib bench tests | grep -F 'png.h')"

none "public headers include public, MPI's and standard headers only" \
    "$(includes include | grep -vE '["<](maniple/[a-z0-9_]+|mpi|std[a-z]+|inttypes|complex|string)\.h[">]$')"

none "apps and bench use <maniple.h> and headers of their own only" \
    "$(find apps bench -name '*.[ch]' -exec grep -nHE '\bmnp__' {} +
    includes apps bench | grep -F '"' | tr -d '"' | while read -r where header; do
        [ "$header" = config.h ] || beside "$where" "$header" || echo "$where includes $header"
    done)"

# they follow the locale that a program has set; mnp__parse_number() does not
none "lib reads numbers with points by lib/base/text.c alone" \
    "$(find lib -name '*.c' -exec grep -nHE '\b(strto(d|f|ld)|atof|wcstod)\(' {} +)"

done_testing
