// SPDX-License-Identifier: BSL-1.0
// Words of WGSL as the host back end's shim spells them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail::lang {

/// A name with a prefix, of letters, digits and underscores alone.
inline std::string wgsl_cpp_name(std::string_view prefix, std::string_view name) {
    std::string text(prefix);
    for (char const c : name) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            text += c;
        else
            text += "_u" + std::to_string(byte) + "_";
    }
    return text;
}

/// A number or truth value. Those without a suffix stay abstract.
inline std::string wgsl_cpp_literal(std::string_view text) {
    if (text == "true" || text == "false") return std::string(text);
    bool const hex = text.starts_with("0x") || text.starts_with("0X");
    std::string_view const marks = hex ? ".pP" : ".eE";
    bool const real = text.find_first_of(marks) != text.npos;
    char const last = text.back();
    std::string const body(text.substr(0, text.size() - 1));
    if (last == 'u') return body + "u";
    if (last == 'i') return "(int)" + body;
    if (last == 'h' || (last == 'f' && (!hex || real)))
        return (last == 'h' ? "lkt_half(" : "float(") + body + ")";
    return (real ? "lkt_af{" : "lkt_ai{") + std::string(text) + "}";
}

/// The function that stands for an operator; empty where C++ has the operator itself.
inline std::string_view wgsl_cpp_operation(std::string_view sign) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> all{{
        {"/", "lkt_div"},
        {"%", "lkt_rem"},
        {"<<", "lkt_shl"},
        {">>", "lkt_shr"},
        {"&", "lkt_and"},
        {"|", "lkt_or"},
        {"^", "lkt_xor"},
        {"==", "lkt_eq"},
        {"!=", "lkt_ne"},
        {"<", "lkt_lt"},
        {"<=", "lkt_le"},
        {">", "lkt_gt"},
        {">=", "lkt_ge"},
    }};
    for (auto const& [text, function] : all)
        if (text == sign) return function;
    return {};
}

/// `xy` for `xy` and for `rg`; empty for what names no lanes.
inline std::string wgsl_cpp_swizzle(std::string_view word) {
    if (word.size() > 4) return {};
    for (std::string_view const letters : {"xyzw", "rgba"}) {
        std::string lanes;
        for (char const c : word)
            if (auto const k = letters.find(c); k != letters.npos) lanes += "xyzw"[k];
        if (lanes.size() == word.size()) return lanes;
    }
    return {};
}

/// A type of the language. One that is not complete takes the type of its scalars between `text`
/// and `rest`.
struct wgsl_cpp_type_name {
    bool complete = true;
    std::string text, rest{}, inferred{};
};
inline std::optional<wgsl_cpp_type_name> wgsl_cpp_type(std::string_view name) {
    auto const scalar = [](std::string_view letter) -> std::string {
        return letter == "f" || letter == "f32"   ? "float"
               : letter == "i" || letter == "i32" ? "int"
               : letter == "u" || letter == "u32" ? "unsigned"
               : letter == "h" || letter == "f16" ? "lkt_half"
               : letter == "bool"                 ? "bool"
                                                  : "";
    };
    if (name.size() > 1)
        if (auto text = scalar(name); !text.empty()) return wgsl_cpp_type_name{true, text};
    auto const extent = [&](std::size_t k) {
        return k < name.size() && name[k] >= '2' && name[k] <= '4';
    };
    std::string head, extents;
    std::size_t used = 0;
    if (name.starts_with("vec") && extent(3)) {
        head = "vec", extents = name.substr(3, 1), used = 4;
    } else if (name.starts_with("mat") && extent(3) && name.substr(4, 1) == "x" && extent(5)) {
        head = "mat", used = 6;
        extents = std::string(name.substr(3, 1)) + ", " + std::string(name.substr(5, 1));
    } else {
        return {};
    }
    std::string const text = "lkt_" + head + "<", rest = ", " + extents + ">";
    if (used == name.size())
        return wgsl_cpp_type_name{false, text, rest, "lkt_make_" + head + "<" + extents + ">"};
    auto const inner = name.size() == used + 1 ? scalar(name.substr(used)) : "";
    if (inner.empty()) return {};
    return wgsl_cpp_type_name{true, text + inner + rest};
}

enum class wgsl_cpp_kind : unsigned char { plain, typed, waits, atomic, subgroup };
struct wgsl_cpp_function_name {
    std::string_view name;
    wgsl_cpp_kind kind = wgsl_cpp_kind::plain;
};

/// The functions of the language that the shim has, as `lkt_<name>`; null for any other.
inline wgsl_cpp_function_name const* wgsl_cpp_function(std::string_view name) {
    using enum wgsl_cpp_kind;
    static constexpr auto all = std::to_array<wgsl_cpp_function_name>({
        {"abs"},
        {"acos"},
        {"acosh"},
        {"all"},
        {"any"},
        {"asin"},
        {"asinh"},
        {"atan"},
        {"atan2"},
        {"atanh"},
        {"ceil"},
        {"clamp"},
        {"cos"},
        {"cosh"},
        {"countLeadingZeros"},
        {"countOneBits"},
        {"countTrailingZeros"},
        {"cross"},
        {"degrees"},
        {"determinant"},
        {"distance"},
        {"dot"},
        {"dot4I8Packed"},
        {"dot4U8Packed"},
        {"exp"},
        {"exp2"},
        {"extractBits"},
        {"faceForward"},
        {"firstLeadingBit"},
        {"firstTrailingBit"},
        {"floor"},
        {"fma"},
        {"fract"},
        {"frexp"},
        {"insertBits"},
        {"inverseSqrt"},
        {"ldexp"},
        {"length"},
        {"log"},
        {"log2"},
        {"max"},
        {"min"},
        {"mix"},
        {"modf"},
        {"normalize"},
        {"pow"},
        {"quantizeToF16"},
        {"radians"},
        {"reflect"},
        {"refract"},
        {"reverseBits"},
        {"round"},
        {"saturate"},
        {"select"},
        {"sign"},
        {"sin"},
        {"sinh"},
        {"smoothstep"},
        {"sqrt"},
        {"step"},
        {"tan"},
        {"tanh"},
        {"transpose"},
        {"trunc"},
        {"arrayLength"},
        {"pack2x16float"},
        {"pack2x16snorm"},
        {"pack2x16unorm"},
        {"pack4x8snorm"},
        {"pack4x8unorm"},
        {"pack4xI8"},
        {"pack4xI8Clamp"},
        {"pack4xU8"},
        {"pack4xU8Clamp"},
        {"unpack2x16float"},
        {"unpack2x16snorm"},
        {"unpack2x16unorm"},
        {"unpack4x8snorm"},
        {"unpack4x8unorm"},
        {"unpack4xI8"},
        {"unpack4xU8"},
        {"bitcast", typed},
        {"storageBarrier", waits},
        {"textureBarrier", waits},
        {"workgroupBarrier", waits},
        {"workgroupUniformLoad", waits},
        {"atomicAdd", atomic},
        {"atomicAnd", atomic},
        {"atomicCompareExchangeWeak", atomic},
        {"atomicExchange", atomic},
        {"atomicLoad", atomic},
        {"atomicMax", atomic},
        {"atomicMin", atomic},
        {"atomicOr", atomic},
        {"atomicStore", atomic},
        {"atomicSub", atomic},
        {"atomicXor", atomic},
        {"quadBroadcast", subgroup},
        {"quadSwapDiagonal", subgroup},
        {"quadSwapX", subgroup},
        {"quadSwapY", subgroup},
        {"subgroupAdd", subgroup},
        {"subgroupAll", subgroup},
        {"subgroupAnd", subgroup},
        {"subgroupAny", subgroup},
        {"subgroupBallot", subgroup},
        {"subgroupBarrier", subgroup},
        {"subgroupBroadcast", subgroup},
        {"subgroupBroadcastFirst", subgroup},
        {"subgroupElect", subgroup},
        {"subgroupExclusiveAdd", subgroup},
        {"subgroupExclusiveMul", subgroup},
        {"subgroupInclusiveAdd", subgroup},
        {"subgroupInclusiveMul", subgroup},
        {"subgroupMax", subgroup},
        {"subgroupMin", subgroup},
        {"subgroupMul", subgroup},
        {"subgroupOr", subgroup},
        {"subgroupShuffle", subgroup},
        {"subgroupShuffleDown", subgroup},
        {"subgroupShuffleUp", subgroup},
        {"subgroupShuffleXor", subgroup},
        {"subgroupXor", subgroup},
    });
    auto const found =
        std::find_if(all.begin(), all.end(), [&](auto const& f) { return f.name == name; });
    return found == all.end() ? nullptr : &*found;
}

} // namespace lkt::detail::lang
