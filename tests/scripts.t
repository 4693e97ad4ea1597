#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The project's shell scripts pass shellcheck.

. "${srcdir:-.}/tests/tap.sh"

command -v shellcheck >/dev/null || skip_all "there is no shellcheck"
cd "$srcdir" || exit 1

# Scripts are known by their first line, so that none is forgotten; autoreconf's copies in build-aux are not ours
for path in quickstart .ci/run build-aux/embed build-aux/release jobs/* $(find packages tests docs bench -type f | sort); do
    case $(head -n 1 "$path" 2>/dev/null | tr -d '\0') in
        '#!'*sh | '# shellcheck shell='*) run "$path" shellcheck -x "$path" ;;
    esac
done
run "tests/tap.sh" shellcheck tests/tap.sh
done_testing
