// SPDX-License-Identifier: Apache-2.0
/// Finding, moving, folding and normalising dequantization operations: what nearly every transformation stands on.
#pragma once

#include <lpt/constant/constant.hpp>
#include <lpt/transformation/dequantization/fold.hpp>
#include <lpt/transformation/dequantization/move.hpp>
#include <lpt/transformation/dequantization/preconditions.hpp>
