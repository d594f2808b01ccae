// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/evaluate.hpp>
