// SPDX-License-Identifier: BSL-1.0
// The operands of inline PTX in C++.
#pragma once

#include <lkt/lang/cuda/inline_ptx.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::host_detail {

/// The C++ type of a PTX type; empty for others.
[[nodiscard]] constexpr std::string_view cpp_of_ptx(std::string_view type) {
    constexpr auto all =
        std::to_array<std::pair<std::string_view, std::string_view>>({{"b8", "unsigned char"},
                                                                      {"u8", "unsigned char"},
                                                                      {"s8", "signed char"},
                                                                      {"b16", "unsigned short"},
                                                                      {"u16", "unsigned short"},
                                                                      {"s16", "short"},
                                                                      {"b32", "unsigned"},
                                                                      {"u32", "unsigned"},
                                                                      {"s32", "int"},
                                                                      {"b64", "unsigned long long"},
                                                                      {"u64", "unsigned long long"},
                                                                      {"s64", "long long"},
                                                                      {"f32", "float"},
                                                                      {"f64", "double"},
                                                                      {"f16", "__half"},
                                                                      {"bf16", "__nv_bfloat16"},
                                                                      {"f16x2", "__half2"},
                                                                      {"bf16x2", "__nv_bfloat162"},
                                                                      {"pred", "bool"}});
    for (auto const& [ptx, cpp] : all)
        if (ptx == type) return cpp;
    return {};
}

class ptx_values {
protected:
    using kinds = ptx_operand::kinds;
    using cpp = std::optional<std::string>;

    [[nodiscard]] static std::string type_of(char constraint) {
        return constraint == 'h'   ? "unsigned short"
               : constraint == 'r' ? "unsigned"
               : constraint == 'l' ? "unsigned long long"
               : constraint == 'f' ? "float"
               : constraint == 'd' ? "double"
                                   : "long long";
    }
    [[nodiscard]] static std::string variable(ptx_operand const& o) {
        return o.kind == kinds::name ? "lkt_r_" + o.text : "lkt_" + std::to_string(o.index);
    }
    /// The value of `o` in a C++ type.
    [[nodiscard]] static std::string in(std::string_view type, ptx_operand const& o) {
        std::string const t(type), sign = o.negated ? "!" : "";
        if (o.kind == kinds::number) {
            bool const minus = o.text[0] == '-';
            auto const digits = minus ? o.text.substr(1) : o.text;
            auto const start = digits.substr(0, 2);
            auto value = digits.find('.') != digits.npos ? digits : digits + "ull";
            if (start == "0f" || start == "0F")
                value = "__builtin_bit_cast(float, 0x" + digits.substr(2) + "u)";
            if (start == "0d" || start == "0D")
                value = "__builtin_bit_cast(double, 0x" + digits.substr(2) + "ull)";
            if (value.ends_with("ull") && minus) value = "(long long)" + value;
            return "lkt_ptx_number<" + t + ">(" + (minus ? "-" : "") + value + ")";
        }
        if (o.kind == kinds::special) return "lkt_ptx_as<" + t + ">(" + special(o.text) + ")";
        return sign + "lkt_ptx_as<" + t + ">(" + variable(o) + ")";
    }
    [[nodiscard]] static std::string special(std::string name) {
        if (name == "%laneid") return "lkt_ptx_lane()";
        if (name.starts_with("%lanemask_"))
            return "lkt_ptx_lanes_" + name.substr(sizeof("%lanemask_") - 1) + "()";
        auto const axis = name.substr(name.size() - 1);
        return name.starts_with("%tid")     ? "threadIdx." + axis
               : name.starts_with("%ntid")  ? "blockDim." + axis
               : name.starts_with("%ctaid") ? "blockIdx." + axis
                                            : "gridDim." + axis;
    }
    [[nodiscard]] static std::string set(ptx_operand const& o, std::string const& value) {
        if (o.kind == kinds::nothing) return "(void)(" + value + ");";
        return "lkt_ptx_set(" + variable(o) + ", " + value + ");";
    }
    /// `f(a, b, c)` of the operands behind the first, in one type.
    [[nodiscard]] static std::string
    call(std::string_view function, std::string_view type, ptx_instruction const& i) {
        std::string all;
        for (std::size_t k = 1; k < i.operands.size(); ++k)
            all += (k > 1 ? ", " : "") + in(type, i.operands[k]);
        return set(i.operands[0], std::string(function) + "(" + all + ")");
    }
    /// Whether all modifiers but the last `types` are among these.
    [[nodiscard]] static bool only(ptx_instruction const& i,
                                   std::size_t types,
                                   std::initializer_list<std::string_view> names) {
        if (i.modifiers.size() < types) return false;
        return std::all_of(
            i.modifiers.begin(),
            i.modifiers.end() - static_cast<std::ptrdiff_t>(types),
            [&](auto const& m) { return std::find(names.begin(), names.end(), m) != names.end(); });
    }
    [[nodiscard]] static bool among(std::string_view word,
                                    std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), word) != names.end();
    }
    /// A pointer of the memory operand.
    [[nodiscard]] static std::string address(ptx_operand const& o, bool shared) {
        auto offset = std::to_string(o.offset);
        if (o.parts.size() > 1) offset = (o.negated ? "-" : "") + in("long long", o.parts[1]);
        return shared ? "lkt_ptx_shared(" + variable(o.parts[0]) + " + (" + offset + "))"
                      : "((char*)(size_t)" + variable(o.parts[0]) + " + (" + offset + "))";
    }
    [[nodiscard]] static bool shared(ptx_instruction const& i) {
        return i.has("shared") || i.has("shared::cta");
    }
};

} // namespace lkt::host_detail
