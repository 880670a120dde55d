// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/code_object.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>

using lkt::kernels_in_code_object;

namespace {

template <class T>
void put(std::string& to, std::size_t at, T value) {
    std::memcpy(to.data() + at, &value, sizeof value);
}
void append(std::string& to, std::uint32_t value) {
    to.append(reinterpret_cast<char const*>(&value), sizeof value);
}
std::string text(std::string const& t) { return char(0xa0 + t.size()) + t; }
std::string number(unsigned n) {
    return n < 128 ? std::string(1, char(n)) : std::string{'\xcd', char(n >> 8), char(n & 0xff)};
}

/// An ELF file of two sections behind the empty one: the note, and the names of all.
std::string file_of(std::string const& metadata) {
    std::string note;
    append(note, 7);
    append(note, static_cast<std::uint32_t>(metadata.size()));
    append(note, 32);
    note += std::string("AMDGPU\0\0", 8) + metadata;
    while (note.size() % 4 != 0) note += '\0';
    std::string const names{"\0.note\0.names\0", 14};
    std::string image(64 + 3 * 64, '\0');
    std::memcpy(image.data(), "\177ELF\2\1", 6);
    put(image, 40, std::uint64_t{64});
    put(image, 58, std::uint16_t{64});
    put(image, 60, std::uint16_t{3});
    put(image, 62, std::uint16_t{2});
    auto const section =
        [&](std::size_t k, std::uint32_t name, std::uint32_t type, std::string const& bytes) {
            put(image, 64 + k * 64, name);
            put(image, 64 + k * 64 + 4, type);
            put(image, 64 + k * 64 + 24, std::uint64_t{image.size()});
            put(image, 64 + k * 64 + 32, std::uint64_t{bytes.size()});
            image += bytes;
        };
    section(1, 1, 7, note);
    section(2, 7, 3, names);
    return image;
}

/// A parameter, one that the compiler adds, and values of kinds that nobody asks for.
std::string const metadata =
    '\x82' + text("amdhsa.version") + '\x92' + number(1) + number(2) + text("amdhsa.kernels") +
    '\x91' + '\x87' + text(".name") + text("_Z1kPf") + text(".vgpr_count") + number(300) +
    text(".vgpr_spill_count") + number(2) + text(".group_segment_fixed_size") + number(4096) +
    text(".uses_dynamic_stack") + '\xc2' + text(".none") + '\xc0' + text(".args") + '\x92' +
    '\x83' + text(".size") + number(8) + text(".offset") + number(0) + text(".value_kind") +
    text("global_buffer") + '\x82' + text(".size") + number(4) + text(".value_kind") +
    text("hidden_block_count_x");

} // namespace

TEST_CASE("A code object's note says what its kernels need") {
    auto const kernels = kernels_in_code_object(file_of(metadata));
    REQUIRE(kernels.has_value());
    REQUIRE(kernels->size() == 1);
    auto const& k = kernels->front();
    CHECK(k.name == "_Z1kPf");
    CHECK(k.vgprs == 300);
    CHECK(k.spilt_vgprs == 2);
    CHECK(k.lds_bytes == 4096);
    CHECK(k.sgprs == 0);
    CHECK(k.parameters == std::vector<std::uint64_t>{8});
}

TEST_CASE("A note that does not add up says nothing") {
    for (std::size_t n = 0; n < metadata.size(); ++n)
        CHECK_FALSE(kernels_in_code_object(file_of(metadata.substr(0, n))).has_value());
    auto const whole = file_of(metadata);
    for (std::size_t n = 0; n < whole.size(); ++n)
        CHECK_FALSE(kernels_in_code_object(whole.substr(0, n)).has_value());
    // Any byte may be another: then it says something else, or nothing, and ends.
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (int const with : {0x00, 0x7f, 0x80, 0xdd, 0xdf, 0xff}) {
            auto changed = whole;
            changed[at] = static_cast<char>(with);
            if (auto const k = kernels_in_code_object(changed)) CHECK(k->size() <= 256);
        }
    CHECK_FALSE(kernels_in_code_object(file_of(std::string(4000, '\x91'))).has_value());
    CHECK_FALSE(kernels_in_code_object(file_of("\xdf\xff\xff\xff\xff")).has_value());
    CHECK_FALSE(kernels_in_code_object("no code object").has_value());
}
