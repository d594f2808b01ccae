// SPDX-License-Identifier: Apache-2.0
#include <lpt/base/version.hpp>

static_assert(lpt::version.major_part >= 0);

int main() {}
