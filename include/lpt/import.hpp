// SPDX-License-Identifier: Apache-2.0
// File formats. Needs lpt::import.
#pragma once

#include <lpt/import/openvino_ir.hpp>
