// SPDX-License-Identifier: Apache-2.0
// File formats. Needs lpt::import.
#pragma once

#include <lpt/import/import.hpp>
#include <lpt/import/model_builder.hpp>
#include <lpt/import/openvino_ir.hpp>
