#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""packages.py SOURCE: what can be seen of the recipes in packages/ without the tools that they are for.

Prints a line for each point, as tests/tap.sh wants it: configure knows all options and variables that recipes use, the
variants of the Spack recipe do something, and the parts of each recipe are there."""

import ast
import os
import re
import subprocess
import sys

SOURCE = sys.argv[1]
OPTION = re.compile(r"--(with|without|enable|disable)-([a-z0-9]+)")
VARIABLE = re.compile(r"\b([A-Z][A-Z0-9_]+)=")
KINDS = {"with": "with", "without": "with", "enable": "enable", "disable": "enable"}


def read(*names):
    with open(os.path.join(SOURCE, *names), encoding="utf-8") as file:
        return file.read()


def point(wrong, description):
    print("not ok -" if wrong else "ok -", description)
    for line in [wrong] if isinstance(wrong, str) else wrong:
        print("#", line)


def options_of(text):
    """The options of configure in a text, as ("with", "cuda"), also where it has --without-cuda."""
    return {(KINDS[kind], name) for kind, name in OPTION.findall(text)}


HELP = subprocess.run(["sh", os.path.join(SOURCE, "configure"), "--help"], stdout=subprocess.PIPE, check=True,
                      universal_newlines=True).stdout
KNOWN = options_of(HELP)
KNOWN_VARIABLES = set(re.findall(r"^  ([A-Z][A-Z0-9_]+)\b", HELP, flags=re.MULTILINE))


def check_options(name, options, variables):
    wrong = [f"--{kind}-{option}" for kind, option in sorted(options - KNOWN)] + sorted(variables - KNOWN_VARIABLES)
    if not options:
        wrong = ["it has no options"]
    point(wrong, f"configure has the options that {name} uses")


def strings_of(tree):
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def calls_of(tree, *names):
    """The first arguments of calls of functions of these names, with the keywords of the calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in names:
            if node.args and isinstance(node.args[0], ast.Constant):
                keywords = {k.arg: k.value.value for k in node.keywords if isinstance(k.value, ast.Constant)}
                yield node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id, node.args[0].value, keywords


def check_spack():
    tree = ast.parse(read("packages", "spack", "package.py"))
    recipe = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    variants = {name for _, name, _ in calls_of(recipe, "variant")} | {"cuda"}  # CudaPackage has that one
    switches = {(function.split("_")[0], name) for function, name, _ in
                calls_of(recipe, "with_or_without", "enable_or_disable")}
    text = "\n".join(strings_of(next(node for node in recipe.body if getattr(node, "name", "") == "configure_args")))
    check_options("the Spack recipe", switches | options_of(text), set(VARIABLE.findall(text)))

    conditions = " ".join(keywords.get("when", "") for _, _, keywords in calls_of(recipe, "depends_on"))
    wrong = [f"{name} is no variant" for _, name in switches if name not in variants]
    wrong += [f"+{name} changes nothing" for name in variants
              if name not in {switch for _, switch in switches} and not re.search(rf"\+{name}\b", conditions)]
    point(sorted(wrong), "every variant of the Spack recipe is an option of configure or a dependency")
    functions = {node.name for node in recipe.body if isinstance(node, ast.FunctionDef)}
    point(sorted({"configure_args", "test_hello", "test_info"} - functions), "it has tests of an installation")


def check_easybuild():
    folder = os.path.join(SOURCE, "packages", "easybuild")
    for name in sorted(os.listdir(folder)):
        tree = ast.parse(read("packages", "easybuild", name))
        values = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
        wanted = {"easyblock", "name", "version", "versionsuffix", "homepage", "description", "toolchain", "sources",
                  "checksums", "dependencies", "configopts", "sanity_check_paths", "sanity_check_commands", "moduleclass"}
        point(sorted(wanted - set(values)), f"{name} has what EasyBuild wants")
        plain = {key: ast.literal_eval(values[key]) for key in ("name", "version", "versionsuffix", "toolchain")}
        cuda = re.search(r"'CUDA', '([0-9.]+)'", read("packages", "easybuild", name)).group(1)
        right = "{name}-{version}-{toolchain[name]}-{toolchain[version]}{versionsuffix}.eb".format(**plain)
        right = right.replace("%(cudaver)s", cuda)
        point([] if right == name else [f"by what it holds it is {right}"], f"{name} has the name that EasyBuild looks for")
        text = "\n".join(strings_of(values["configopts"]))
        check_options(name, options_of(text), set(VARIABLE.findall(text)))


def check_debian():
    rules = read("packages", "debian", "rules")
    # the rule of configure, without what it asks dpkg-buildflags for
    text = re.sub(r"\$\(.*?\)\)?", "", re.search(r"dh_auto_configure -- ((?:.*\\\n)*.*)", rules).group(1))
    check_options("debian/rules", options_of(text), set(VARIABLE.findall(text)))
    packages = set(re.findall(r"^Package: (.*)", read("packages", "debian", "control"), flags=re.MULTILINE))
    expected = {"libmaniple0", "libmaniple-dev", "maniple", "python3-maniple"}
    point(sorted(packages ^ expected), "debian/control has the four packages")
    soname = re.search(r"-version-info (\d+):\d+:(\d+)", read("Makefile.am"))
    number = int(soname.group(1)) - int(soname.group(2))
    point([] if f"libmaniple{number}" in packages else [f"the soname is libmaniple.so.{number}"],
          "the package of the library has the number of its soname")


# the sections of Apptainer's definition files
SECTIONS = {"arguments", "setup", "files", "post", "environment", "runscript", "startscript", "test", "labels", "help"}


def check_apptainer():
    stages = []
    for line in read("packages", "apptainer.def").splitlines():
        header = re.match(r"(Bootstrap|From|Stage): (\S+)$", line)
        section = re.match(r"%(\w+)( from (\w+))?$", line)
        if header:
            if header.group(1) == "Bootstrap":
                stages.append({"headers": {}, "sections": {}, "from": []})
            stages[-1]["headers"][header.group(1)] = header.group(2)
        elif section:
            body = stages[-1]["sections"][section.group(1)] = []
            if section.group(3):
                stages[-1]["from"].append(section.group(3))
        elif stages and stages[-1]["sections"]:
            body.append(line)
    names = [stage["headers"].get("Stage") for stage in stages]
    wrong = [f"there is no %{name} in Apptainer" for stage in stages for name in stage["sections"] if name not in SECTIONS]
    wrong += [f"a stage has no {header}:" for stage in stages for header in ("From", "Stage")
              if header not in stage["headers"]]
    wrong += [f"there is no stage {name} before" for number, stage in enumerate(stages) for name in stage["from"]
              if name not in names[:number]]
    missing = {"post", "environment", "runscript", "test", "labels", "help"} - set(stages[-1]["sections"])
    point(wrong + sorted(missing), f"apptainer.def has {len(stages)} stages, with the sections that an image wants")
    for stage in stages:
        for name in sorted({"post", "test", "runscript", "environment"} & set(stage["sections"])):
            text = "\n".join(stage["sections"][name])
            said = subprocess.run(["sh", "-n"], input=text, stderr=subprocess.PIPE, universal_newlines=True, check=False)
            point(said.stderr.splitlines(), f"%{name} of its stage {stage['headers']['Stage']} is a script")
    text = "\n".join(stages[0]["sections"]["post"])
    check_options("apptainer.def", options_of(text.replace("--no-install-recommends", "")), set())
    point([] if "maniple info" in "\n".join(stages[-1]["sections"]["test"]) else ["%test"], "its %test runs maniple info")


check_spack()
check_easybuild()
check_debian()
check_apptainer()
