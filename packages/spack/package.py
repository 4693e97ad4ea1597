# SPDX-License-Identifier: BSD-3-Clause
"""The Spack recipe of Maniple, for Spack 1.0 and later; packages/README.md says how to use it."""

import os

from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Maniple(AutotoolsPackage, CudaPackage):
    """N-dimensional arrays spread over the ranks of MPI, on NVIDIA GPUs and on CPUs, with the
    functions, names and results of NumPy and SciPy: a library for C, C++ and Fortran, a command,
    and a Python package."""

    # the project has no public page yet; example.org is a name reserved for such cases
    homepage = "https://example.org/maniple"
    # the tarball is taken from the folder in which spack runs, or from a mirror of the site
    url = f"file://{os.getcwd()}/maniple-0.1.0.tar.gz"
    manual_download = True

    license("BSD-3-Clause")

    # build-aux/release writes the tarball's sha256 into the copy of this file that it leaves
    # beside the tarball
    version("0.1.0")

    # CudaPackage has +cuda and cuda_arch, which NCCL is compiled for.  Maniple compiles its
    # kernels for the GPU at hand, when they are first used.
    variant("nccl", default=True, when="+cuda", description="Exchange between GPUs by NCCL")
    variant("fftw", default=True, description="Fourier transforms on CPUs, by FFTW 3")
    variant("openblas", default=True, description="Dense linear algebra on CPUs, by OpenBLAS")
    variant("png", default=True, description="Pictures in PNG files")
    variant("cairo", default=False, description="Fonts of the system in pictures")
    variant("tiff", default=False, description="Images from TIFF files")
    variant("cfitsio", default=False, description="Images from FITS files")
    variant("fortran", default=False, description="The module for Fortran")
    variant("python", default=False, description="The Python package")

    depends_on("c", type="build")
    # also when programs run: kernels for CPUs are compiled when they are first used
    depends_on("cxx", type=("build", "run"))
    depends_on("fortran", type="build", when="+fortran")

    depends_on("pkgconfig", type=("build", "run"))
    # the tables of prototypes for Python and Fortran are made by a program in Python
    depends_on("python@3.9:", type="build", when="+fortran")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy@1.24:", type="run", when="+python")

    depends_on("mpi@3:")
    depends_on("hdf5@1.10: +mpi")
    depends_on("cuda@12:", when="+cuda")
    depends_on("nccl@2.18: +cuda", when="+nccl")
    # these are loaded when they are first needed, from the run path of the library
    depends_on("fftw@3: precision=float,double", when="+fftw")
    depends_on("openblas@0.3:", when="+openblas")
    depends_on("cairo@1.14: +ft +fc", when="+cairo")
    depends_on("libtiff@4.1:", when="+tiff")
    depends_on("cfitsio@4:", when="+cfitsio")
    depends_on("zlib", when="+cfitsio")
    depends_on("libpng", when="+png")

    conflicts("cuda_arch=none", when="+cuda", msg="say for which GPUs: cuda_arch=80, 90, ...")
    for arch in CudaPackage.cuda_arch_values:
        if int(arch.rstrip("af")) < 80:
            conflicts(
                f"cuda_arch={arch}",
                when="+cuda",
                msg="Maniple needs GPUs of compute capability 8.0 or above",
            )
        else:
            depends_on(f"nccl cuda_arch={arch}", when=f"+nccl cuda_arch={arch}")

    test_requires_compiler = True

    def configure_args(self):
        spec = self.spec
        args = [
            f"MPICC={spec['mpi'].mpicc}",
            # Spack's wrapper compiles nothing once the build is over
            f"MNP_HOST_CXX={self['cxx'].cxx}",
            f"--with-hdf5={spec['hdf5'].prefix}",
        ]
        args += self.with_or_without("cuda", activation_value="prefix")
        args += self.with_or_without("nccl", activation_value="prefix")
        args += self.with_or_without("fftw")
        args += self.with_or_without("png")
        args += self.with_or_without("cairo")
        args += self.with_or_without("tiff")
        args += self.with_or_without("cfitsio")
        args += self.enable_or_disable("fortran")
        return args

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", join_path(self.prefix.lib, "maniple", "python"))

    @run_after("install")
    def keep_test_sources(self):
        cache_extra_test_sources(self, join_path("docs", "examples", "hello.c"))

    def test_info(self):
        """the command says what it would run on"""
        maniple = which(self.prefix.bin.maniple, required=True)
        assert "HDF5" in maniple("info", output=str.split, error=str.split)

    def test_hello(self):
        """docs/examples/hello.c compiles with what pkg-config says, and runs"""
        pkg_config = which("pkg-config", required=True)
        pkg_config.add_default_env("PKG_CONFIG_PATH", self.prefix.lib.pkgconfig)
        flags = pkg_config("--cflags", "--libs", "maniple", output=str).split()
        source = join_path(self.test_suite.current_test_cache_dir, "docs", "examples", "hello.c")
        which(os.environ["CC"], required=True)(source, *flags, "-o", "hello")
        printed = Executable("./hello")(output=str.split, error=str.split)
        assert "an array of 1008 x 1008" in printed
