// SPDX-License-Identifier: Apache-2.0
#include <lpt/spec/document.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

TEST_CASE("docs/tflite_specification.md is the page that the table makes") {
    std::ifstream file(LPT_EXAMPLE_DATA_DIR "/../../docs/tflite_specification.md");
    std::stringstream page;
    page << file.rdbuf();
    CHECK(page.str() == lpt::spec::document().c_str());
}
