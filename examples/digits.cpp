// SPDX-License-Identifier: Apache-2.0
// digits_example IMAGES.npy: names the handwritten digits in a stack of f32 images [N, 1, 8, 8], one a line. The network and its plan are
// part of the program (examples/CMakeLists.txt): it reads no model, and needs neither heap nor exceptions.
#include "standard_output.hpp"

#include <digits.hpp>

#include <cstdio>
#include <cstring>

namespace {

// Its memory is the program's own.
lpt::static_executor<digits> network;

/// Skips the header of a stack of such images; false for any other file.
bool begins_images(std::FILE* file) {
    unsigned char start[10] = {};
    char text[1024] = {};
    if (std::fread(start, 1, sizeof start, file) != sizeof start || std::memcmp(start, "\x93NUMPY\x01", 7) != 0) {
        return false;
    }
    const std::size_t length = start[8] + 256u * start[9];
    return length < sizeof text && std::fread(text, 1, length, file) == length &&
           std::strstr(text, "'<f4'") != nullptr && std::strstr(text, "False") != nullptr &&
           std::strstr(text, ", 1, 8, 8)") != nullptr;
}

int largest(const float (&values)[10]) {
    int result = 0;
    for (int i = 1; i < 10; ++i) {
        result = values[i] > values[result] ? i : result;
    }
    return result;
}

}  // namespace

int main(int count, char** words) {
    std::FILE* const file = count == 2 ? std::fopen(words[1], "rb") : nullptr;
    if (file == nullptr || !begins_images(file)) {
        std::fprintf(stderr, "digits_example IMAGES.npy: expected a file of f32 images [N, 1, 8, 8]\n");
        return 1;
    }
    float image[64];
    float logits[10];
    while (std::fread(image, sizeof image, 1, file) == 1) {
        network.run(image, logits);
        std::printf("%d\n", largest(logits));
    }
    std::fclose(file);
    return status_of_output("digits_example", 0);
}
