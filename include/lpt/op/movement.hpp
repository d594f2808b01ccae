// SPDX-License-Identifier: Apache-2.0
// Operations that move elements and compute nothing, or little.
#pragma once

#include <lpt/op/movement/concatenation.hpp>
#include <lpt/op/movement/gathering.hpp>
#include <lpt/op/movement/interpolate.hpp>
#include <lpt/op/movement/pad.hpp>
#include <lpt/op/movement/reordering.hpp>
#include <lpt/op/movement/repetition.hpp>
#include <lpt/op/movement/reshaping.hpp>
#include <lpt/op/movement/slicing.hpp>
#include <lpt/op/movement/space_and_depth.hpp>
