#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The documents hold together: links between files of the tree resolve, with their anchors; the programs that the guide
# shows are lines of docs/examples, which are tested; and make docs makes the site without a warning.

. "${srcdir:-.}/tests/tap.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$srcdir" || exit 1
pages=$(find . -name '*.md' ! -path './build*' ! -path './.git/*' ! -path './maniple-[0-9]*' | sort)

# ---- links ----

# The anchors of a page as GitHub makes them of headings: small letters, no punctuation, hyphens for spaces
# shellcheck disable=SC2086  # several names
wrong=$(awk '
    function anchor(text) {
        gsub(/`|\[|\]\([^)]*\)/, "", text)
        text = tolower(text)
        gsub(/[^a-z0-9 _-]/, "", text)
        gsub(/ /, "-", text)
        return text (seen[page, text]++ > 0 ? "-" (seen[page, text] - 1) : "")
    }
    # a/b/../c is a/c
    function simplified(path,    part, n, i, kept, out) {
        n = split(path, part, "/")
        for (i = 1; i <= n; i++)
            if (part[i] == ".." && kept > 0 && stack[kept] != "..")
                kept--
            else if (part[i] != "." && part[i] != "")
                stack[++kept] = part[i]
        for (i = 1; i <= kept; i++)
            out = out (i > 1 ? "/" : "") stack[i]
        return out
    }
    FNR == 1 { inside = 0; page = simplified(FILENAME); folder = page; if (!sub(/\/[^\/]*$/, "/", folder)) folder = "" }
    /^ *```/ { inside = !inside; next }
    inside { next }
    /^#+ / { text = $0; sub(/^#+ /, "", text); anchors[page "#" anchor(text)] = 1 }
    {
        line = $0
        gsub(/`[^`]*`/, "", line)
        while (match(line, /\]\([^) ]*\)/)) {
            target = substr(line, RSTART + 2, RLENGTH - 3)
            line = substr(line, RSTART + RLENGTH)
            if (target !~ /^[a-z]+:/)
                links[++count] = page ":" FNR "\t" (target ~ /^#/ ? page : simplified(folder substr(target, 1, \
                    index(target "#", "#") - 1))) "\t" (index(target, "#") ? substr(target, index(target, "#")) : "")
        }
    }
    END {
        for (i = 1; i <= count; i++) {
            split(links[i], field, "\t")
            if (system("test -e \"" field[2] "\"") != 0)
                print field[1] ": there is no " field[2]
            else if (field[3] != "" && field[2] ~ /\.md$/ && !((field[2] field[3]) in anchors))
                print field[1] ": " field[2] " has no heading " field[3]
        }
        print count >counted
    }' counted="$work/count" $pages)
links=$(cat "$work/count")
check "$([ "${links:-0}" -gt 0 ] && [ -z "$wrong" ]; echo $?)" "all $links links between documents resolve" "$wrong"

# ---- programs ----

# shellcheck disable=SC2016  # awk's
wrong=$(awk '
    { line = $0; gsub(/^ +| +$/, "", line) }
    FILENAME ~ /\.c$/ { examples = examples (FNR == 1 ? "\n\n" : "") line "\n"; next }
    /^```c$/ { inside = 1; text = "\n"; first = FNR; next }
    /^```/ && inside {
        inside = 0
        blocks++
        if (index(examples, text) == 0)
            print FILENAME ":" first ": these lines are in no program of docs/examples"
        next
    }
    inside { text = text line "\n" }
    END { if (blocks == 0) print "the guide shows no programs" }' docs/examples/*.c docs/guide/*.md)
check "$([ -z "$wrong" ]; echo $?)" "the programs of the guide are those of docs/examples" "$wrong"

# ---- the site ----

if command -v doxygen >/dev/null; then
    rm -rf "$builddir/docs/html"
    run "make docs makes the site without a warning" "${MAKE:-make}" -C "$builddir" docs
    check "$(grep -q 'each &gt;= 1' "$builddir/docs/html/layout_8h.html"; echo $?)" "it has the headers' texts"
else
    skip "make docs makes the site without a warning" "there is no doxygen"
fi
done_testing
