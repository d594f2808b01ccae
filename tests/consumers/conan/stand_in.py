# SPDX-License-Identifier: Apache-2.0
"""A Conan package made of the headers that the system has, under the name and with the targets of Conan's own: boost, pugixml, protozero, flatbuffers or xsimd."""
import os
import shutil

from conan import ConanFile

system_headers = {"boost": ["boost/hana", "boost/hana.hpp"], "pugixml": ["pugixml.hpp", "pugiconfig.hpp"], "protozero": ["protozero"],
                  "flatbuffers": ["flatbuffers"], "xsimd": ["xsimd"]}


class StandIn(ConanFile):
    options = {"header_only": [True, False]}
    default_options = {"header_only": True}

    def package(self):
        for name in system_headers[self.name]:
            source, destination = os.path.join("/usr/include", name), os.path.join(self.package_folder, "include", name)
            os.makedirs(os.path.dirname(destination), exist_ok=True)
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, destination)

    def package_info(self):
        self.cpp_info.system_libs = ["pugixml"] if self.name == "pugixml" else []
        self.cpp_info.set_property("cmake_target_name", f"{self.name}::{self.name}")
