// SPDX-License-Identifier: Apache-2.0
#include "network_file.hpp"

#include <lpt/import/import.hpp>

lpt::graph read_network_file(const std::string& path) { return lpt::import(path); }
