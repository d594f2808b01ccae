// SPDX-License-Identifier: Apache-2.0
// Uses something of each part of the installed library that has to be found, linked or both.
#include <lpt/base/version.hpp>
#include <lpt/kernel/dispatch.hpp>

#include <pugixml.hpp>

#include <cstdio>

static_assert(lpt::library_version.major_part >= 0);

int main() {
    pugi::xml_document document;
    if (!document.load_string("<net/>")) {
        return 1;
    }
    for (int i = 0; i < lpt::kernel::isa_count; ++i) {
        const auto set = static_cast<lpt::kernel::isa>(i);
        if (lpt::kernel::is_available(set)) {
            std::printf("%s %p\n", lpt::kernel::name_of(set), static_cast<const void*>(&lpt::kernel::table_for(set)));
        }
    }
    return 0;
}
