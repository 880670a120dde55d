// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/npy.hpp>

#include <lkt/core/files.hpp>
#include <lkt/kernel/argument_data.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

namespace lkt {

namespace npy_parts {

// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t max_header = std::size_t{1} << 20, max_dimensions = 64;

error bad(std::string what) {
    return {condition::rejected,
            "lkt.verify.npy",
            "this array cannot be used: " + std::move(what),
            "Save a plain array of numbers with numpy.save."};
}

/// What a header says.
struct description {
    scalar_type type = scalar_type::float32;
    bool swapped = false; ///< big endian
    bool fortran = false;
    std::vector<std::uint64_t> shape;
};

/// The header is the text of a Python dictionary with three entries.
class header_reader {
public:
    explicit header_reader(std::string_view text) : rest_(text) {}

    result<description> read() {
        description d;
        bool seen[3] = {};
        if (!skip('{')) return bad("its header is not a dictionary");
        while (!skip('}')) {
            auto const key = text();
            if (!key || !skip(':')) return bad("its header is not a dictionary");
            std::size_t const which = *key == "descr" ? 0 : *key == "fortran_order" ? 1 : 2;
            if ((which == 2 && *key != "shape") || seen[which])
                return bad("its header has the entry '" + shown(*key) + "'");
            seen[which] = true;
            auto const ok = which == 0 ? type_into(d) : which == 1 ? order_into(d) : shape_into(d);
            if (!ok) return ok.error();
            if (!skip(',') && next() != '}') return bad("its header is not a dictionary");
        }
        if (!seen[0] || !seen[1] || !seen[2]) return bad("its header lacks an entry");
        if (next() != '\0') return bad("text follows its header");
        return d;
    }

private:
    static std::string shown(std::string_view text) {
        std::string s{text.substr(0, 40)};
        std::replace_if(s.begin(), s.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
        return s;
    }
    /// The next character that is no space; NUL at the end.
    char next() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
            rest_.remove_prefix(1);
        return rest_.empty() ? '\0' : rest_.front();
    }
    bool skip(char c) {
        if (next() != c || rest_.empty()) return false;
        rest_.remove_prefix(1);
        return true;
    }
    std::optional<std::string_view> text() {
        char const quote = next();
        if (quote != '\'' && quote != '"') return std::nullopt;
        auto const end = rest_.find(quote, 1);
        if (end == std::string_view::npos) return std::nullopt;
        auto const inside = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return inside;
    }
    result<void> type_into(description& d) {
        if (next() == '[') return bad("its elements are structures");
        auto const name = text();
        if (!name || name->size() < 2) return bad("its header names no type");
        std::string_view kind = *name;
        char const order = kind.front();
        if (order == '<' || order == '>' || order == '|' || order == '=') kind.remove_prefix(1);
        d.swapped = order == '>';
        constexpr std::pair<std::string_view, scalar_type> types[] = {
            {"b1", scalar_type::boolean},
            {"i1", scalar_type::int8},
            {"u1", scalar_type::uint8},
            {"i2", scalar_type::int16},
            {"u2", scalar_type::uint16},
            {"i4", scalar_type::int32},
            {"u4", scalar_type::uint32},
            {"i8", scalar_type::int64},
            {"u8", scalar_type::uint64},
            {"f2", scalar_type::float16},
            {"f4", scalar_type::float32},
            {"f8", scalar_type::float64},
        };
        for (auto const& [spelling, type] : types)
            if (kind == spelling) {
                d.type = type;
                return {};
            }
        return bad("its elements are of the type '" + shown(*name) + "'" +
                   (kind.substr(0, 1) == "O" ? ", which are Python objects" : ""));
    }
    result<void> order_into(description& d) {
        next();
        for (std::string_view const word : {"True", "False"})
            if (rest_.substr(0, word.size()) == word) {
                d.fortran = word == "True";
                rest_.remove_prefix(word.size());
                return {};
            }
        return bad("its order is neither True nor False");
    }
    result<void> shape_into(description& d) {
        if (!skip('(')) return bad("its shape is not a tuple");
        while (!skip(')')) {
            std::uint64_t extent = 0;
            if (next() < '0' || next() > '9') return bad("its shape is not a tuple of numbers");
            for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
                 rest_.remove_prefix(1)) {
                auto const digit = static_cast<std::uint64_t>(rest_.front() - '0');
                if (extent > (std::numeric_limits<std::uint64_t>::max() - digit) / 10)
                    return bad("its shape is too large");
                extent = extent * 10 + digit;
            }
            (void)skip('L'); // as Python 2 wrote it
            d.shape.push_back(extent);
            if (d.shape.size() > max_dimensions) return bad("it has too many dimensions");
            if (!skip(',') && next() != ')') return bad("its shape is not a tuple of numbers");
        }
        return {};
    }

    std::string_view rest_;
};

/// Bytes of the elements, or nothing where they are more than `most`.
std::optional<std::size_t> bytes_of(description const& d, std::size_t most) {
    // An extent of 0 makes any other one harmless.
    if (std::find(d.shape.begin(), d.shape.end(), 0U) != d.shape.end()) return 0;
    std::uint64_t bytes = size_of(d.type);
    for (std::uint64_t const extent : d.shape) {
        if (extent > most / bytes) return std::nullopt;
        bytes *= extent;
    }
    if (bytes > most) return std::nullopt;
    return static_cast<std::size_t>(bytes);
}

/// From Fortran's order, where the first index runs fastest, to C's, where the last one does.
byte_buffer
to_c_order(byte_buffer const& from, std::vector<std::uint64_t> const& shape, std::size_t one) {
    byte_buffer to(from.size());
    std::vector<std::uint64_t> stride(shape.size(), 1), index(shape.size(), 0);
    for (std::size_t k = 1; k < shape.size(); ++k) stride[k] = stride[k - 1] * shape[k - 1];
    std::uint64_t source = 0;
    for (std::size_t at = 0; at < to.size(); at += one) {
        std::memcpy(to.data() + at, from.data() + source * one, one);
        for (std::size_t k = shape.size(); k-- > 0;) {
            source += stride[k];
            if (++index[k] < shape[k]) break;
            source -= stride[k] * shape[k];
            index[k] = 0;
        }
    }
    return to;
}

} // namespace npy_parts

scalar_type npy_type(scalar_type t) {
    if (t == scalar_type::int4) return scalar_type::int8;
    if (t == scalar_type::uint4) return scalar_type::uint8;
    return t == scalar_type::bfloat16 || is_float8(t) || t == scalar_type::float4_e2m1
               ? scalar_type::float32
               : t;
}

result<npy_array> take_npy(std::span<std::byte const>& rest) {
    using namespace npy_parts;
    std::string_view const file{reinterpret_cast<char const*>(rest.data()), rest.size()};
    if (file.substr(0, magic.size()) != magic || file.size() < 10)
        return bad("it does not begin as a .npy file");
    auto const byte = [&](std::size_t k) {
        return static_cast<std::size_t>(static_cast<unsigned char>(file[k]));
    };
    std::size_t const version = byte(6), prefix = version == 1 ? 10 : 12;
    if (version < 1 || version > 3) return bad("its version is " + std::to_string(version));
    if (file.size() < prefix) return bad("it ends within its header");
    std::size_t length = byte(8) | byte(9) << 8;
    if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
    if (length > max_header) return bad("its header is too long");
    if (length > file.size() - prefix) return bad("it ends within its header");
    auto const described = header_reader{file.substr(prefix, length)}.read();
    if (!described) return described.error();
    std::size_t const begin = prefix + length;
    auto const size = bytes_of(*described, file.size() - begin);
    if (!size) return bad("it ends before its last element");
    npy_array array{described->type, described->shape, byte_buffer(rest.subspan(begin, *size))};
    std::size_t const one = size_of(array.type);
    if (described->swapped && one > 1)
        for (std::size_t at = 0; at < array.bytes.size(); at += one)
            std::reverse(array.bytes.begin() + at, array.bytes.begin() + at + one);
    if (array.type == scalar_type::boolean)
        for (std::byte& value : array.bytes)
            value = value == std::byte{0} ? std::byte{0} : std::byte{1};
    if (described->fortran && array.shape.size() > 1)
        array.bytes = to_c_order(array.bytes, array.shape, one);
    rest = rest.subspan(begin + *size);
    return array;
}

result<npy_array> parse_npy(std::span<std::byte const> file) {
    auto array = take_npy(file);
    if (array && !file.empty())
        return npy_parts::bad(std::to_string(file.size()) + " bytes follow its last element");
    return array;
}

void append_npy(std::string& out,
                scalar_type type,
                std::span<std::uint64_t const> shape,
                std::span<std::byte const> bytes) {
    scalar_type const written = npy_type(type);
    auto const name = to_string(written); // bool, int8, uint16, float64, ...
    char const kind = name[0];
    std::string header = "{'descr': '";
    header += size_of(written) == 1 ? '|' : '<';
    header += kind;
    header += std::to_string(size_of(written)) + "', 'fortran_order': False, 'shape': (";
    for (std::uint64_t const extent : shape) header += std::to_string(extent) + ",";
    header += "), }";
    // The elements begin at a multiple of 64.
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    out += npy_parts::magic;
    out += '\1';
    out += '\0';
    out += static_cast<char>(header.size() & 0xff);
    out += static_cast<char>(header.size() >> 8);
    out += header;
    if (written == type) {
        out.append(reinterpret_cast<char const*>(bytes.data()), bytes.size());
        return;
    }
    argument_data const data{{type, 1}, true, byte_buffer(bytes)};
    for (std::size_t lane = 0; lane < data.lanes(); ++lane) {
        if (is_half_byte(type) && !is_floating(type)) {
            out += static_cast<char>(half_byte(data, lane));
            continue;
        }
        auto const wide =
            std::bit_cast<std::array<char, 4>>(static_cast<float>(lane_as_double(data, lane)));
        out.append(wide.data(), wide.size());
    }
}

result<npy_array> read_npy(std::string const& path, std::size_t limit) {
    auto const text = read_text_file(path, limit);
    if (!text) return text.error();
    auto array = parse_npy(std::as_bytes(std::span{*text}));
    if (array) return array;
    error e = array.error();
    e.message = path + ": " + e.message;
    return e;
}

result<void> write_npy(std::string const& path, npy_array const& array) {
    std::string text;
    append_npy(text, array.type, array.shape, array.bytes);
    if (auto failed = write_text_file(path, text)) return *failed;
    return {};
}

} // namespace lkt
