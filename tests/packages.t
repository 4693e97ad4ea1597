#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The recipes of packages/ fit: all name the version of configure, use options that it has, and are read without an error
# by the tools that are installed, Spack, EasyBuild, Singularity Python, Lmod and dpkg.  build-aux/release writes a new
# version everywhere.  The tarball has every file of a clone.  tests/debian.t builds the Debian packages.

. "${srcdir:-.}/tests/tap.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
packages=$srcdir/packages
python=$(command -v python3) || skip_all "there is no python3"
export PYTHONDONTWRITEBYTECODE=1

version=$("$srcdir/build-aux/release" --check 2>&1)
check $? "all files name the same version" "$version"
made=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' "$builddir/config.h")
check "$([ "$made" = "$version" ]; echo $?)" "configure has that version" "configure: $made, files: $version"
check_points "$python" "$srcdir/tests/packages.py" "$srcdir"

# ---- a release ----

mkdir -p "$work/source/docs/guide" "$work/source/include/maniple"
for name in build-aux CITATION.cff CHANGELOG.md packages docs/guide/python.md include/maniple/base.h; do
    cp -R "$srcdir/$name" "$work/source/$name"
done
chmod -R u+w "$work/source"
release=$work/source/build-aux/release
grep -qx '## Unreleased' "$work/source/CHANGELOG.md" || sed -i '1a ## Unreleased' "$work/source/CHANGELOG.md"
run "release --set writes a version" env SOURCE_DATE_EPOCH=4070908800 "$release" --set 12.34.56
said=$("$release" --check 2>&1)
check "$([ "$said" = 12.34.56 ]; echo $?)" "which is that of all files then" "$said"
check "$(grep -qx '## 12.34.56, 2099-01-01' "$work/source/CHANGELOG.md" && grep -qx 'date-released: 2099-01-01' \
    "$work/source/CITATION.cff" && grep -q ' Thu, 01 Jan 2099 00:00:00 +0000' "$work/source/packages/debian/changelog"
echo $?)" "with the date"
sed -i 's/12\.34\.56/12.34.57/' "$work/source/CITATION.cff"
said=$("$release" --check 2>&1)
case $? in 0) false ;; *) echo "$said" | grep -q 'CITATION.cff: 12.34.57' ;; esac
check $? "a file that names another version is found" "$said"

# ---- the tarball ----

if [ -e "$srcdir/.git" ] && git -C "$srcdir" ls-files >"$work/files" 2>/dev/null; then
    # shellcheck disable=SC2016  # make's variables
    MAKEFLAGS='' "${MAKE:-make}" -s -C "$builddir" \
        --eval 'tarball: ; $(foreach file,$(DISTFILES),$(info $(file:$(srcdir)/%=%)))@:' tarball | sort >"$work/tarball"
    missing=$(grep -vx .gitignore "$work/files" | sort | comm -23 - "$work/tarball")
    check "$([ -s "$work/tarball" ] && [ -z "$missing" ]; echo $?)" "the tarball has all files" "$missing"
else
    skip "the tarball has all files" "there is no clone"
fi

# ---- the tools ----

if command -v spack >/dev/null; then
    # a repository of one recipe, as packages/README.md makes it
    run "Spack makes a repository" spack repo create "$work/site" site
    cp -R "$packages/spack" "$work/site/spack_repo/site/packages/maniple"
    mkdir "$work/config"
    printf 'repos:\n  site: %s\n' "$work/site/spack_repo/site" >"$work/config/repos.yaml"
    said=$(spack -C "$work/config" audit packages maniple 2>&1)
    check "$(echo "$said" | grep -q 'PKG-DIRECTIVES: passed' && ! echo "$said" | grep -q ' found$'; echo $?)" "and finds nothing wrong with the recipe" "$said"
else
    skip "Spack finds nothing wrong with the recipe" "there is no spack"
fi

lmod=${LMOD_CMD:-/usr/share/lmod/lmod/libexec/lmod}
if ! command -v eb >/dev/null || ! [ -x "$lmod" ]; then
    skip "EasyBuild reads the recipe" "there is no eb, or no Lmod for it"
else
    export LMOD_CMD="$lmod"
    export EASYBUILD_ALLOW_USE_AS_ROOT_AND_ACCEPT_CONSEQUENCES=1 EASYBUILD_PREFIX="$work/easybuild" XDG_CONFIG_HOME="$work"
    run "EasyBuild finds nothing wrong with the style of the recipe" eb --check-style "$packages"/easybuild/*.eb
    said=$(eb --dry-run "$packages"/easybuild/*.eb 2>&1)
    check "$(echo "$said" | grep -q "module: Maniple/$version-"; echo $?)" "and would make its module" "$said"
fi

if command -v spython >/dev/null; then
    said=$(spython recipe --parser singularity --writer docker "$packages/apptainer.def" 2>&1)
    check "$(echo "$said" | grep -q '^FROM .* AS build$' && echo "$said" | grep -q '^COPY --from=build /opt/maniple /opt/maniple$' &&
        echo "$said" | grep -q '^CMD exec maniple "\$@"$'; echo $?)" "Singularity Python reads apptainer.def, with both stages" "$said"
else
    skip "Singularity Python reads apptainer.def" "there is no spython"
fi

# an installation of empty files, at another place than configure was told
prefix=$work/moved
module=$builddir/packages/modulefile.lua
mkdir -p "$prefix/bin" "$prefix/lib/maniple/python" "$prefix/share/modulefiles/maniple"
touch "$prefix/bin/maniple"
cp "$module" "$prefix/share/modulefiles/maniple/$version.lua"
if command -v luac >/dev/null; then
    run "the environment module is a program in Lua" luac -p "$module"
else
    skip "the environment module is a program in Lua" "there is no luac"
fi
if [ -x "$lmod" ]; then
    eval "$(MODULEPATH="$prefix/share/modulefiles" "$lmod" sh load "maniple/$version" 2>"$work/said")"
    printf '%s\n' "$PATH" "$PYTHONPATH" "$PKG_CONFIG_PATH" "$CMAKE_PREFIX_PATH" >>"$work/said"
    check "$([ "${PATH%%:*}" = "$prefix/bin" ] && [ "${PYTHONPATH%%:*}" = "$prefix/lib/maniple/python" ] &&
        [ "${PKG_CONFIG_PATH%%:*}" = "$prefix/lib/pkgconfig" ] && [ "${CMAKE_PREFIX_PATH%%:*}" = "$prefix" ]; echo $?)" \
        "Lmod loads it, with the folders of an installation that has been moved" "$(cat "$work/said")"
else
    skip "Lmod loads it" "there is no Lmod"
fi

if command -v dpkg-parsechangelog >/dev/null; then
    said=$(dpkg-parsechangelog -l "$packages/debian/changelog" -S Version 2>&1)
    check "$([ "${said%-*}" = "$version" ]; echo $?)" "dpkg reads debian/changelog" "$said"
else
    skip "dpkg reads debian/changelog" "there is no dpkg-parsechangelog"
fi
done_testing
