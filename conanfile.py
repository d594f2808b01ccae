# SPDX-License-Identifier: Apache-2.0
"""Recipe for Conan 2: `conan create . --build=missing`. The package's own lptConfig.cmake is what find_package(lpt) finds."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.0"


class LptRecipe(ConanFile):
    name = "lpt"
    description = "Low precision transformations of quantized neural networks, and their execution on 8-bit integers"
    license = "Apache-2.0"
    topics = ("quantization", "neural-networks", "int8", "header-only")
    package_type = "header-library"
    settings = "os", "compiler", "build_type", "arch"
    options = {
        "import_formats": [True, False],  # lpt::import, with pugixml, protozero and flatbuffers
        "runtime": [True, False],  # lpt::runtime, with xsimd
        "tbb": [True, False],  # lpt::tbb, with oneTBB
        "dependencies": ["conan", "system"],  # whose packages these and Boost's headers are
    }
    default_options = {"import_formats": True, "runtime": True, "tbb": False, "dependencies": "conan"}
    exports_sources = "CMakeLists.txt", "cmake/*", "include/*", "LICENSE"
    no_copy_source = True
    test_package_folder = "tests/consumers/conan"

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "include/lpt/base/version.hpp"))
        self.version = ".".join(re.findall(r"^#define LPT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.MULTILINE))

    def configure(self):
        if not self.options.runtime:
            self.options.rm_safe("tbb")

    def requirements(self):
        if self.options.dependencies == "system":
            return
        self.requires("boost/[>=1.74 <2]", transitive_headers=True, options={"header_only": True})
        if self.options.import_formats:
            self.requires("pugixml/[>=1.12 <2]", transitive_headers=True)
            self.requires("protozero/[>=1.7 <2]", transitive_headers=True)
            self.requires("flatbuffers/[>=2]", transitive_headers=True)
        if self.options.runtime:
            self.requires("xsimd/[>=8.1]", transitive_headers=True)
            if self.options.tbb:
                self.requires("onetbb/[>=2021.8]", transitive_headers=True)

    def system_requirements(self):
        if self.options.dependencies != "system":
            return
        packages = ["libboost-dev"]
        if self.options.import_formats:
            packages += ["libpugixml-dev", "libprotozero-dev", "libflatbuffers-dev"]
        if self.options.runtime:
            packages.append("libxsimd-dev")
            if self.options.tbb:
                packages.append("libtbb-dev")
        Apt(self).install(packages)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        # The options say which parts are installed; headers are the same for all settings and versions of what they need.
        self.info.settings.clear()
        self.info.requires.clear()

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        # Installs the headers and the CMake package, and compiles nothing.
        toolchain.cache_variables.update({
            "LPT_INSTALL": True,
            "LPT_IMPORT": bool(self.options.import_formats),
            "LPT_RUNTIME": bool(self.options.runtime),
            "CMAKE_DISABLE_FIND_PACKAGE_TBB": not self.options.get_safe("tbb", False),
            "LPT_BUILD_TESTS": False,
            "LPT_BUILD_EXAMPLES": False,
        })
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        # Its functions, lpt_add_kernels and lpt_embed, are more than CMakeDeps would write.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("share", "cmake", "lpt"))
        self.cpp_info.set_property("pkg_config_name", "lpt")
        self.cpp_info.cxxflags.append("-ffp-contract=off")
        if self.options.runtime and self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs.append("pthread")
