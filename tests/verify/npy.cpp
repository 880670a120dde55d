// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/npy.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

std::span<std::byte const> bytes_of(std::string const& text) {
    return std::as_bytes(std::span{text});
}

/// A file of version 1, 2 or 3 with this header.
std::string file_of(std::string const& header, std::string const& elements, int version = 1) {
    std::string text = "\x93NUMPY";
    text += static_cast<char>(version);
    text += '\0';
    for (int k = 0; k < (version == 1 ? 2 : 4); ++k)
        text += static_cast<char>(header.size() >> (8 * k) & 0xff);
    return text + header + elements;
}

template <class T>
std::string packed(std::vector<T> const& values) {
    return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::vector<T> values_of(lkt::npy_array const& array) {
    std::vector<T> values(array.bytes.size() / sizeof(T));
    std::memcpy(values.data(), array.bytes.data(), values.size() * sizeof(T));
    return values;
}

std::string refusal(std::string const& file) {
    auto const got = lkt::parse_npy(bytes_of(file));
    REQUIRE(got.has_error());
    CHECK(got.error().code == "lkt.verify.npy");
    CHECK_FALSE(got.error().hint.empty());
    return got.error().message;
}

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("What is written is read back, in every type and shape") {
    int looked_at = 0;
    for (auto const type : {lkt::scalar_type::boolean,
                            lkt::scalar_type::int8,
                            lkt::scalar_type::uint8,
                            lkt::scalar_type::int16,
                            lkt::scalar_type::uint16,
                            lkt::scalar_type::int32,
                            lkt::scalar_type::uint32,
                            lkt::scalar_type::int64,
                            lkt::scalar_type::uint64,
                            lkt::scalar_type::float16,
                            lkt::scalar_type::float32,
                            lkt::scalar_type::float64})
        for (auto const& shape :
             std::vector<std::vector<std::uint64_t>>{{}, {6}, {2, 3}, {3, 1, 2}, {0}, {4, 0}}) {
            std::uint64_t count = 1;
            for (auto const extent : shape) count *= extent;
            lkt::npy_array array{type, shape, lkt::byte_buffer(count * lkt::size_of(type))};
            for (std::size_t k = 0; k < array.bytes.size(); ++k)
                array.bytes[k] =
                    static_cast<std::byte>(type == lkt::scalar_type::boolean ? k % 2 : k * 37);
            std::string text;
            lkt::append_npy(text, array.type, array.shape, array.bytes);
            CHECK((text.size() - array.bytes.size()) % 64 == 0);
            auto const back = lkt::parse_npy(bytes_of(text));
            REQUIRE(back.has_value());
            CHECK(*back == array);
            CHECK(back->count() == count);
            ++looked_at;
        }
    CHECK(looked_at == 72);
}

TEST_CASE("bfloat16 is written as float32, which holds it exactly") {
    std::uint16_t const one_and_a_half[] = {0x3fc0, 0xff80}; // 1.5, -inf
    std::string text;
    std::uint64_t const shape[] = {2};
    lkt::append_npy(
        text, lkt::scalar_type::bfloat16, shape, std::as_bytes(std::span{one_and_a_half}));
    auto const back = lkt::parse_npy(bytes_of(text)).value();
    CHECK(back.type == lkt::scalar_type::float32);
    CHECK(values_of<float>(back) ==
          std::vector<float>{1.5F, -std::numeric_limits<float>::infinity()});
}

TEST_CASE("Floats of 8 bits are written as float32, half bytes as bytes") {
    std::uint8_t const codes[] = {0x3c, 0x83, 0x7f};
    std::uint64_t const three[] = {3}, six[] = {3, 2};
    std::string text;
    lkt::append_npy(text, lkt::scalar_type::float8_e4m3, three, std::as_bytes(std::span{codes}));
    auto const e4m3 = values_of<float>(lkt::parse_npy(bytes_of(text)).value());
    CHECK(e4m3[0] == 1.5F);
    CHECK(e4m3[1] == -3.0F / 512);
    CHECK(std::isnan(e4m3[2]));
    text.clear();
    lkt::append_npy(text, lkt::scalar_type::float8_e5m2, three, std::as_bytes(std::span{codes}));
    CHECK(values_of<float>(lkt::parse_npy(bytes_of(text)).value())[0] == 1.0F);
    text.clear();
    lkt::append_npy(text, lkt::scalar_type::int4, six, std::as_bytes(std::span{codes}));
    auto const halves = lkt::parse_npy(bytes_of(text)).value();
    CHECK(halves.type == lkt::scalar_type::int8);
    CHECK(values_of<std::int8_t>(halves) == std::vector<std::int8_t>{-4, 3, 3, -8, -1, 7});
    text.clear();
    lkt::append_npy(text, lkt::scalar_type::float4_e2m1, six, std::as_bytes(std::span{codes}));
    CHECK(values_of<float>(lkt::parse_npy(bytes_of(text)).value()) ==
          std::vector<float>{-2, 1.5F, 1.5F, -0.0F, -6, 6});
    CHECK(lkt::npy_type(lkt::scalar_type::uint4) == lkt::scalar_type::uint8);
}

TEST_CASE("Fortran order becomes C order, big endian little, and a bool 0 or 1") {
    auto const f = file_of("{'shape': (2, 3), 'fortran_order': True, \"descr\": '<i4'}",
                           packed<std::int32_t>({11, 21, 12, 22, 13, 23}));
    auto const matrix = lkt::parse_npy(bytes_of(f)).value();
    CHECK(values_of<std::int32_t>(matrix) == std::vector<std::int32_t>{11, 12, 13, 21, 22, 23});
    // a[i][j][k] = 100 i + 10 j + k over (2, 3, 2), the first index fastest
    std::vector<std::int16_t> column, row;
    for (std::int16_t k = 0; k < 2; ++k)
        for (std::int16_t j = 0; j < 3; ++j)
            for (std::int16_t i = 0; i < 2; ++i)
                column.push_back(static_cast<std::int16_t>(100 * i + 10 * j + k));
    for (std::int16_t i = 0; i < 2; ++i)
        for (std::int16_t j = 0; j < 3; ++j)
            for (std::int16_t k = 0; k < 2; ++k)
                row.push_back(static_cast<std::int16_t>(100 * i + 10 * j + k));
    auto const cube = file_of(
        "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 2), }\n", packed(column), 2);
    CHECK(values_of<std::int16_t>(lkt::parse_npy(bytes_of(cube)).value()) == row);
    auto const big = file_of("{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }",
                             std::string("\x01\x02\x03\x04", 4),
                             3);
    CHECK(values_of<std::uint16_t>(lkt::parse_npy(bytes_of(big)).value()) ==
          std::vector<std::uint16_t>{0x0102, 0x0304});
    auto const flags = file_of("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }",
                               std::string("\0\x7f\1", 3));
    CHECK(values_of<std::uint8_t>(lkt::parse_npy(bytes_of(flags)).value()) ==
          std::vector<std::uint8_t>{0, 1, 1});
}

TEST_CASE("Several arrays follow one another; behind a single one nothing may") {
    std::string text;
    std::uint64_t const one[] = {1};
    float const a = 1, b = 2;
    lkt::append_npy(text, lkt::scalar_type::float32, one, std::as_bytes(std::span{&a, 1}));
    lkt::append_npy(text, lkt::scalar_type::float32, {}, std::as_bytes(std::span{&b, 1}));
    CHECK(has(refusal(text), "132 bytes follow"));
    auto rest = bytes_of(text);
    CHECK(values_of<float>(lkt::take_npy(rest).value())[0] == 1);
    CHECK(values_of<float>(lkt::take_npy(rest).value())[0] == 2);
    CHECK(rest.empty());
}

TEST_CASE("What is no plain array is refused with the reason") {
    auto const of_type = [](std::string const& descr) {
        return refusal(file_of("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }",
                               "12345678"));
    };
    CHECK(has(of_type("[('x', '<f4'), ('y', '<f4')]"), "structures"));
    CHECK(has(of_type("'|O'"), "Python objects"));
    CHECK(has(of_type("'<c8'"), "'<c8'"));
    CHECK(has(of_type("'<U2'"), "'<U2'"));
    CHECK(has(of_type("'<M8[ns]'"), "M8[ns]"));
    CHECK(has(of_type("'<f16'"), "'<f16'"));
    auto const of_shape = [](std::string const& shape, std::string const& elements) {
        return refusal(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }",
                               elements));
    };
    CHECK(has(of_shape("(2,)", "1234567"), "ends before"));
    CHECK(has(of_shape("(1,)", "12345678"), "4 bytes follow"));
    CHECK(has(of_shape("(4611686018427387905,)", "1234"), "ends before")); // 4 n wraps to 4
    CHECK(has(of_shape("(4294967296, 4294967296)", ""), "ends before"));
    CHECK(has(of_shape("(99999999999999999999999,)", ""), "too large"));
    CHECK(has(of_shape("(-1,)", ""), "tuple of numbers"));
    CHECK(has(of_shape("3", ""), "not a tuple"));
    std::string deep = "(";
    for (int k = 0; k < 65; ++k) deep += "1,";
    CHECK(has(of_shape(deep + ")", "1234"), "dimensions"));
    CHECK(has(refusal(""), "does not begin"));
    CHECK(has(refusal("PK\x03\x04 a zip file, as numpy.savez writes it"), "does not begin"));
    CHECK(has(refusal(file_of("{'descr': '<f4'}", "")), "lacks"));
    CHECK(has(refusal(file_of("{'descr': '<f4', 'descr': '<f8'}", "")), "entry 'descr'"));
    CHECK(has(refusal(file_of("{}", "", 4)), "version is 4"));
    CHECK(has(refusal(std::string("\x93NUMPY\1\0\xff\xff{", 11)), "within its header"));
}

TEST_CASE("No damage to a file does more than to be refused or to be read as an array") {
    std::string text;
    std::uint64_t const shape[] = {2, 4};
    lkt::append_npy(text,
                    lkt::scalar_type::float32,
                    shape,
                    std::as_bytes(std::span{"abcdefghijklmnopqrstuvwxyz01234", 32}));
    REQUIRE(lkt::parse_npy(bytes_of(text)).has_value());
    std::mt19937 random{5};
    int refused = 0;
    for (int k = 0; k < 20'000; ++k) {
        std::string damaged = text.substr(0, k % 3 == 0 ? random() % text.size() : text.size());
        for (unsigned n = 0; n < 1 + random() % 3 && !damaged.empty(); ++n)
            damaged[random() % std::min<std::size_t>(damaged.size(), 90)] =
                k % 2 == 0 ? static_cast<char>(random()) : "0123456789,()'<>{}:"[random() % 19];
        auto const got = lkt::parse_npy(bytes_of(damaged));
        if (!got)
            ++refused;
        else
            CHECK(got->bytes.size() <= damaged.size());
    }
    CHECK(refused > 5'000);
}

TEST_CASE("Files") {
    std::string const path = "/tmp/lkt-npy-" + std::to_string(::getpid()) + ".npy";
    lkt::npy_array const array{lkt::scalar_type::uint8, {2}, {std::byte{3}, std::byte{4}}};
    REQUIRE(lkt::write_npy(path, array).has_value());
    CHECK(lkt::read_npy(path).value() == array);
    CHECK(lkt::read_npy(path, 10).error().code == "lkt.file.large");
    ::unlink(path.c_str());
    CHECK(lkt::read_npy(path).error().code == "lkt.file.missing");
}
