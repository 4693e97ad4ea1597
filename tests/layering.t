#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What each folder may include, as docs/architecture.md has it: a layer knows the layers below it and no other, and the
# headers of vendors' libraries stay where those libraries are wrapped.

. "${srcdir:-.}/tests/tap.sh"
cd "$srcdir" || exit 1

# layers FOLDER: the folders of lib/ whose headers FOLDER may include besides its own; of device/ only device.h, launch.h, blas.h and
# lapack.h, but NCCL needs the CUDA stream.  The parameter structs of kernels/ are for all.
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
        ndimage) echo base layout jit device comm context array ops signal ;;
        *) return 1 ;;
    esac
}

# rooms FOLDER: its subfolders from the lowest layer up; each may include those before it, and FOLDER's own files if "."
# is before it
rooms()
{
    case $1 in
        base) echo . process ;;
        comm) echo . collectives ;;
        array) echo . move text ;;
        ops) echo common elementwise reduction scan creation manipulation sort indexing expression statistics sets random custom ;;
        sparse) echo step matrix rows assembly product operator precond krylov eigen ;;
        device) echo . host cuda ;;
        io) echo . hdf5 market numpy tiff fits ;;
        signal) echo . deconvolution design filters spectral ;;
        ndimage) echo . parts ;;
        linalg) echo products dense cpu panels tall factors svd functions ;;
        *) echo . ;;
    esac
}

# includes_of FOLDER PATTERN...: lines "FILE:LINE HEADER" for the files of those names below, the header in its quotes or angles
includes_of()
{
    tree=$1
    shift
    for pattern in "$@"; do
        find "$tree" -name "$pattern" -exec awk '/^[ \t]*#[ \t]*include/ {
        sub(/^[ \t]*#[ \t]*include[ \t]*/, "")
        match($0, /^("[^"]*"|<[^>]*>)/)
        print FILENAME ":" FNR, substr($0, 1, RLENGTH)
    }' {} +
    done
}

# includes FOLDER...: the same for the C files below
includes()
{
    for below in "$@"; do
        includes_of "$below" '*.[ch]'
    done
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
            "$1"/* | device/device.h | device/launch.h | device/blas.h | device/lapack.h) ;;
            device/cuda/stream.h) [ "$1" = comm ] || folder=private ;;
            device/*) folder=private ;;
            */*) ;;
            *) beside "$where" "$header" && continue ;;
        esac
        case " $1 $2 " in *" $folder "*) continue ;; esac
        echo "$where includes $header"
    done
}

# wrong_rooms FOLDER: the includes between the folders of lib/FOLDER that their order forbids
wrong_rooms()
{
    before=' '
    for room in $(rooms "$1"); do
        before="$before$room "
        { [ "$room" = . ] || includes "lib/$1/$room"; } | tr -d '"' | while read -r where header; do
            case $header in
                "$1"/*/*) other=${header#*/} other=${other%%/*} ;;
                "$1"/*) other=. ;;
                *) continue ;;
            esac
            case $before in *" $other "*) ;; *) echo "$where includes $header" ;; esac
        done
    done
    find "lib/$1" -mindepth 1 -maxdepth 1 -type d ! -name ".*" | while read -r path; do
        case $before in *" ${path##*/} "*) ;; *) echo "$path has no place in the order" ;; esac
    done
    # files in the folder itself are below its subfolders
    case $before in
        ' . '*)
            find "lib/$1" -maxdepth 1 -name '*.[ch]' -exec grep -nHE "^#include \"$1/[a-z0-9_]+/" {} +
            ;;
    esac
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
        none "the folders of lib/$folder include only those before them" "$(wrong_rooms "$folder")"
    else
        check 1 "lib/$folder is in the table of layers"
    fi
done

# wrong_device_headers: what kernels/ includes besides the language (the files of kernels/ itself), the file's own folder,
# and the few headers that one folder has for others
wrong_device_headers()
{
    includes_of kernels '*.cu' '*.h' | grep -F '"' | tr -d '"' | while read -r where header; do
        case $header in
            generated) continue ;;
            kernels/*/*) ;;
            kernels/*) continue ;;
        esac
        [ "$(dirname "${where%:*}")" = "$(dirname "$header")" ] && continue
        case $header in
            kernels/comm/p2p_cuda.h | kernels/comm/p2p_params.h | kernels/comm/p2p_small_params.h) continue ;;
            kernels/custom/custom.h | kernels/fft/radix.h | kernels/sparse/step/step_params.h) continue ;;
            kernels/reduction/*) case $where in kernels/scan/*) continue ;; esac ;;
        esac
        echo "$where includes $header"
    done
}
none "device sources include the language, their own folder, and what folders have for others" "$(wrong_device_headers)"

none "no folder of lib/, kernels/ or apps/ holds more than 26 files" \
    "$(find lib kernels apps -name '*.[ch]' -o -name '*.cu' | sed 's#/[^/]*$##' | sort | uniq -c | awk '$1 > 26 { print $2 ": " $1 }')"

# folders_of_sources: folders of lib/, kernels/ and apps/ with sources, and how many they hold
folders_of_sources()
{
    find lib kernels apps \( -name '*.[ch]' -o -name '*.cu' \) ! -name kernel_sources.c | sed 's#/[^/]*$##' | sort | uniq -c
}

none "each folder of lib/, kernels/ or apps/ with more than three files has a README" \
    "$(folders_of_sources | while read -r files folder; do
        [ "$files" -le 3 ] || [ -e "$folder/README.md" ] || echo "$folder"
    done)"

none "the README of a folder of lib/, kernels/ or apps/ has at most 41 lines" \
    "$(find lib kernels apps -name README.md -exec awk 'FNR == 42 { print FILENAME }' {} +)"

vendor='[<"](cu[a-zA-Z_0-9]+|nvrtc|nccl|nvml|hdf5|H5[A-Za-z]*|tiffio|fitsio|zlib|fftw3[a-z-]*|lapacke?|cblas|openblas[a-z_]*)\.h[>"]'
none "vendors' headers only in device/cuda, device/host, jit, comm, io and programs of peers" \
    "$(includes include lib apps bench tests | grep -E "$vendor" |
        grep -vE '^(lib/(device/(cuda|host)|jit|comm|io)|tests/(device|jit|comm|io)|bench/peers)/')"

none "libpng only in apps" "$(includes include lib bench tests | grep -F 'png.h')"

none "public headers include public, MPI's and standard headers only" \
    "$(includes include | grep -vE '["<]((maniple/[a-z0-9_]+|mpi|std[a-z]+|inttypes|complex|string)\.h|complex|initializer_list|type_traits)[">]$')"

none "apps and bench use <maniple.h> and headers of their own only" \
    "$(find apps bench -name '*.[ch]' -exec grep -nHE '\bmnp__' {} +
    includes apps bench | grep -F '"' | tr -d '"' | while read -r where header; do
        [ "$header" = config.h ] || beside "$where" "$header" || [ -e "apps/$header" ] || echo "$where includes $header"
    done)"

# they follow the locale that a program has set; mnp__parse_number() does not
none "lib reads numbers with points by lib/base/text.c alone" \
    "$(find lib -name '*.c' -exec grep -nHE '\b(strto(d|f|ld)|atof|wcstod)\(' {} +)"

done_testing
