// SPDX-License-Identifier: BSL-1.0
// Instructions of PTX in C++: those whose meaning is that of one thread or of one warp.
#pragma once

#include <lkt/gpu/detail/host/ptx_async.hpp>
#include <lkt/gpu/detail/host/ptx_values.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::host_detail {

class ptx_instructions : ptx_values {
public:
    /// One statement, or nothing where a CPU does not run this form.
    [[nodiscard]] static std::optional<std::string> instruction(ptx_instruction const& i) {
        auto const& n = i.name;
        if (auto one = ptx_async::instruction(i)) return one;
        if (auto one = arithmetic(i)) return one;
        if (auto one = bits(i)) return one;
        if (n == "mov") return move(i);
        if (n == "cvt") return convert(i);
        if (n == "setp") return compare(i);
        if (n == "ld" || n == "st") return access(i);
        if (n == "mma.sync") return multiply(i);
        return together(i);
    }

private:
    [[nodiscard]] static cpp arithmetic(ptx_instruction const& i) {
        if (i.modifiers.empty()) return {};
        auto const& n = i.name;
        auto const& last = i.modifiers.back();
        auto type = std::string(cpp_of_ptx(last));
        if (type.empty() || type == "bool") return {};
        bool const whole = last[0] == 's' || last[0] == 'u', pair = last.ends_with("x2");
        bool const half = last == "f16" || last == "bf16" || pair;
        // As unsigned, what does not depend on the sign: no overflow of C++ is met.
        auto plain = type;
        if (whole) plain = "lkt_ptx_unsigned<" + type + ">";
        bool const rounds = only(i, 1, {"rn", "ftz"});
        if (n == "add" && rounds) return call("lkt_ptx_add", plain, i);
        if (n == "sub" && rounds) return call("lkt_ptx_sub", plain, i);
        if (n == "mul" && (whole ? only(i, 1, {"lo"}) : rounds))
            return call("lkt_ptx_mul", plain, i);
        if (n == "mad" && whole && only(i, 1, {"lo"})) return call("lkt_ptx_mad", plain, i);
        if ((n == "mul" || n == "mad") && whole && only(i, 1, {"wide"}) && last.ends_with("32"))
            return set(i.operands[0],
                       "lkt_ptx_wide(" + in(type, i.operands[1]) + ", " + in(type, i.operands[2]) +
                           ")" +
                           (n == "mad" ? " + " + in("unsigned long long", i.operands[3]) : ""));
        if (n == "mul" && only(i, 1, {"hi"}) && last == "u32") return call("__umulhi", type, i);
        if (n == "mul" && only(i, 1, {"hi"}) && last == "s32") return call("__mulhi", type, i);
        if ((n == "fma" || (n == "mad" && !whole)) && rounds)
            return call(pair            ? "__hfma2"
                        : half          ? "__hfma"
                        : last == "f64" ? "fma"
                                        : "fmaf",
                        type,
                        i);
        if (n == "div" && !whole && !half && only(i, 1, {"rn", "ftz", "approx", "full"}))
            return call("lkt_ptx_div", type, i);
        if (n == "neg" && only(i, 1, {"ftz"})) return call("lkt_ptx_neg", plain, i);
        if (n == "abs" && only(i, 1, {"ftz"}))
            return call(pair ? "__habs2" : half ? "__habs" : "lkt_ptx_abs", type, i);
        if ((n == "min" || n == "max") && i.operands.size() == 3) {
            if (half && only(i, 1, {"ftz"})) return call("__h" + n + (pair ? "2" : ""), type, i);
            if (half && only(i, 1, {"ftz", "NaN"}))
                return call("__h" + n + (pair ? "2" : "") + "_nan", type, i);
            if (only(i, 1, {"ftz"})) return call("lkt_ptx_" + n, type, i);
        }
        if (n == "selp" && only(i, 1, {}))
            return set(i.operands[0],
                       in("bool", i.operands[3]) + " ? " + in(type, i.operands[1]) + " : " +
                           in(type, i.operands[2]));
        if (!only(i, 1, {"approx", "rn", "ftz"})) return {};
        static constexpr std::array<std::array<std::string_view, 4>, 8> functions{
            {{"ex2", "exp2f", "hexp2", "h2exp2"},
             {"tanh", "__tanhf", "htanh", "h2tanh"},
             {"lg2", "__log2f", "", ""},
             {"rcp", "lkt_ptx_rcp", "", ""},
             {"rsqrt", "rsqrtf", "", ""},
             {"sqrt", "sqrtf", "", ""},
             {"sin", "__sinf", "", ""},
             {"cos", "__cosf", "", ""}}};
        for (auto const& f : functions)
            if (f[0] == n && (half || last == "f32")) {
                auto const function = f[pair ? 3 : half ? 2 : 1];
                return function.empty() ? cpp() : call(function, type, i);
            }
        return {};
    }

    [[nodiscard]] static cpp bits(ptx_instruction const& i) {
        auto const& n = i.name;
        if (i.modifiers.empty()) return {};
        auto const& last = i.modifiers.back();
        std::string const type(cpp_of_ptx(last));
        if (type.empty() || !only(i, 1, {"l", "r", "wrap"})) return {};
        if (n == "and") return call("lkt_ptx_and", type, i);
        if (n == "or") return call("lkt_ptx_or", type, i);
        if (n == "xor") return call("lkt_ptx_xor", type, i);
        if (n == "not") return call("lkt_ptx_not", type, i);
        if (n == "shl" || n == "shr")
            return set(i.operands[0],
                       "lkt_ptx_" + n + "(" + in(type, i.operands[1]) + ", " +
                           in("unsigned", i.operands[2]) + ")");
        if (n == "lop3") return call("lkt_ptx_lop3", type, i);
        if (n == "prmt") return call("lkt_ptx_prmt", type, i);
        if (n == "bfi" && last == "b32") return call("lkt_ptx_bfi", type, i);
        if (n == "bfe" && last == "u32") return call("lkt_ptx_bfe", type, i);
        if (n == "bfe" && last == "s32") return call("lkt_ptx_bfe_signed", "unsigned", i);
        if (last != "b32") return {};
        if (n == "popc") return call("__popc", type, i);
        if (n == "clz") return call("__clz", type, i);
        if (n == "brev") return call("__brev", type, i);
        if (n == "shf")
            return call(std::string("__funnelshift_") + (i.has("l") ? "l" : "r"), type, i);
        return {};
    }

    [[nodiscard]] static cpp move(ptx_instruction const& i) {
        if (!only(i, 1, {})) return {};
        std::string const type(cpp_of_ptx(i.modifiers.back()));
        auto const &to = i.operands[0], &from = i.operands[1];
        bool const split = to.kind == kinds::vector, join = from.kind == kinds::vector;
        if (type.empty() || (split && join)) return {};
        if (!split && !join) return set(to, in(type, from));
        auto const& parts = split ? to.parts : from.parts;
        std::string text = "{ " + type + " lkt_v" + (split ? " = " + in(type, from) : "") + "; ";
        auto const part =
            "lkt_ptx_part<sizeof(" + type + ") / " + std::to_string(parts.size()) + ">";
        for (std::size_t k = 0; k < parts.size(); ++k)
            text += split ? set(parts[k], part + "(lkt_v, " + std::to_string(k) + ")") + " "
                          : "lkt_ptx_place(lkt_v, " + std::to_string(k) + ", " +
                                in("lkt_ptx_bits<sizeof(" + type + ") / " +
                                       std::to_string(parts.size()) + ">",
                                   parts[k]) +
                                "); ";
        return text + (join ? set(to, "lkt_v") : "") + " }";
    }

    [[nodiscard]] static cpp convert(ptx_instruction const& i) {
        if (i.modifiers.size() < 2) return {};
        auto const& to = i.modifiers[i.modifiers.size() - 2];
        auto const& from = i.modifiers.back();
        auto const& o = i.operands;
        auto const f32 = [&](std::size_t k) { return in("float", o[k]); };
        auto const fp8 = [](std::string_view t) {
            return t == "e4m3x2" ? std::string("__NV_E4M3") : t == "e5m2x2" ? "__NV_E5M2" : "";
        };
        if (o.size() == 3) { // the first one becomes the upper half
            if (from != "f32") return {};
            if (to == "f16x2" && only(i, 2, {"rn"}))
                return set(o[0], "__floats2half2_rn(" + f32(2) + ", " + f32(1) + ")");
            if (to == "bf16x2" && only(i, 2, {"rn"}))
                return set(o[0], "__floats2bfloat162_rn(" + f32(2) + ", " + f32(1) + ")");
            if (!fp8(to).empty() && only(i, 2, {"rn", "satfinite"}))
                return set(o[0],
                           "lkt_fp8_pair(" + f32(2) + ", " + f32(1) + ", __NV_SATFINITE, " +
                               fp8(to) + ")");
            return {};
        }
        if (to == "f16x2" && !fp8(from).empty() && only(i, 2, {"rn"}))
            return set(o[0],
                       "__nv_cvt_fp8x2_to_halfraw2(" + in("unsigned short", o[1]) + ", " +
                           fp8(from) + ")");
        if (to == "tf32" && from == "f32" && only(i, 2, {"rna"}))
            return set(o[0], "lkt_ptx_tf32(" + f32(1) + ")");
        std::string const t(cpp_of_ptx(to)), s(cpp_of_ptx(from));
        auto const whole = [](std::string_view n) { return n[0] == 's' || n[0] == 'u'; };
        if (t.empty() || s.empty() || to.ends_with("x2") || from.ends_with("x2") || to[0] == 'b' ||
            from[0] == 'b')
            if (!((to == "bf16" && from == "f32") || (to == "f32" && from == "bf16"))) return {};
        auto const value = in(s, o[1]);
        if (whole(to) && whole(from) && only(i, 2, {})) return set(o[0], "(" + t + ")" + value);
        if (whole(from)) return only(i, 2, {"rn"}) ? set(o[0], t + "(" + value + ")") : cpp();
        if (!whole(to) && only(i, 2, {"rn", "ftz"})) {
            if (to == "f64" || from == "f64")
                return set(o[0], t + "((double)" + (from == "f64" ? "" : "(float)") + value + ")");
            return set(o[0], t + "((float)" + value + ")");
        }
        for (auto const& [mode, function] :
             {std::pair{"rni", "rint"}, {"rzi", "trunc"}, {"rmi", "floor"}, {"rpi", "ceil"}})
            if (only(i, 2, {mode, "ftz"}) && i.has(mode) && from == "f32")
                return set(o[0],
                           (whole(to) ? "lkt_clamped<" + t + ">(" : t + "(") + function + "f(" +
                               value + "))");
        return {};
    }

    [[nodiscard]] static cpp compare(ptx_instruction const& i) {
        if (i.operands.size() != 3 || i.modifiers.size() < 2 ||
            !only(i, 1, {i.modifiers[0], "ftz"}))
            return {};
        static constexpr auto tests =
            std::to_array<std::pair<std::string_view, std::string_view>>({{"eq", "=="},
                                                                          {"lt", "<"},
                                                                          {"le", "<="},
                                                                          {"gt", ">"},
                                                                          {"ge", ">="},
                                                                          {"lo", "<"},
                                                                          {"ls", "<="},
                                                                          {"hi", ">"},
                                                                          {"hs", ">="},
                                                                          {"neu", "!="}});
        std::string const type(cpp_of_ptx(i.modifiers.back()));
        if (type.empty() || type.ends_with("2")) return {};
        auto const a = in(type, i.operands[1]), b = in(type, i.operands[2]);
        std::string test;
        if (i.modifiers[0] == "ne") test = "lkt_ptx_ne(" + a + ", " + b + ")";
        for (auto const& [name, op] : tests)
            if (name == i.modifiers[0]) test = "(" + a + " " + std::string(op) + " " + b + ")";
        if (test.empty()) return {};
        auto const& d = i.operands[0];
        if (d.kind != kinds::pair) return set(d, test);
        return "{ bool const lkt_v = " + test + "; " + set(d.parts[0], "lkt_v") + " " +
               set(d.parts[1], "!lkt_v") + " }";
    }

    [[nodiscard]] static cpp access(ptx_instruction const& i) {
        if (ptx_async::ordered(i)) return {};
        auto const load = i.name == "ld";
        std::string const type(cpp_of_ptx(i.modifiers.back()));
        auto const& value = i.operands[load ? 0 : 1];
        auto const count = i.has("v2") ? 2U : i.has("v4") ? 4U : 1U;
        bool const many = value.kind == kinds::vector;
        if (type.empty() || type == "bool" || (many ? value.parts.size() : 1) != count) return {};
        std::string const volatile_ = i.has("cv") ? " volatile" : "";
        std::string text = "{ auto* const lkt_p = lkt_ptx_place_of<" + type +
                           (load ? " const" : "") + volatile_ + ", " + std::to_string(count) +
                           ">(" + address(i.operands[load ? 1 : 0], shared(i)) + "); ";
        for (std::size_t k = 0; k < count; ++k) {
            auto const& part = many ? value.parts[k] : value;
            auto const at = "lkt_v" + std::to_string(k);
            // All are read before one is written: a register may be the address, too.
            text += load ? type + " const " + at + " = lkt_p[" + std::to_string(k) + "]; "
                         : "lkt_p[" + std::to_string(k) + "] = " + in(type, part) + "; ";
        }
        for (std::size_t k = 0; load && k < count; ++k)
            text += set(many ? value.parts[k] : value, "lkt_v" + std::to_string(k)) + " ";
        return text + "}";
    }

    [[nodiscard]] static cpp multiply(ptx_instruction const& i) {
        auto m = i.modifiers;
        bool const saturates = std::erase(m, "satfinite") > 0;
        if (m.size() != 8 || m[0] != "aligned" || m[2] != "row" || m[3] != "col" || m[4] != m[7])
            return {};
        auto const per_register = [](std::string_view t) {
            return t == "f16" || t == "bf16"                ? 2U
                   : t == "tf32"                            ? 1U
                   : among(t, {"s8", "u8", "e4m3", "e5m2"}) ? 4U
                                                            : 0U;
        };
        auto const &a = i.operands[1].parts, &b = i.operands[2].parts, &c = i.operands[3].parts;
        auto const e = per_register(m[5]);
        bool const whole = m[5] == "s8" || m[5] == "u8";
        bool const pairs = m[4] == "f16";
        auto const size = pairs ? 2U : 4U;
        if (e == 0 || per_register(m[6]) != e || (a.size() != 4 && a.size() != 2) ||
            b.size() != a.size() / 2 || c.size() != size || i.operands[0].parts.size() != size ||
            m[1] != "m16n8k" + std::to_string(2 * e * a.size()) ||
            m[4] != (whole   ? "s32"
                     : pairs ? "f16"
                             : "f32") ||
            (m[5] != m[6] && e != 4) || (whole != (m[6] == "s8" || m[6] == "u8")) ||
            (pairs && m[5] != "f16"))
            return {};
        auto const list = [&](std::vector<ptx_operand> const& parts, std::string_view type) {
            std::string text = "{";
            for (auto const& p : parts) text += (text.size() > 1 ? ", " : "") + in(type, p);
            return text + "}";
        };
        std::string const sum = whole ? "int" : pairs ? "__half2" : "float";
        std::string text = "{ unsigned lkt_a[] = " + list(a, "unsigned") +
                           ", lkt_b[] = " + list(b, "unsigned") + "; " + sum +
                           " lkt_c[] = " + list(c, sum) + "; lkt_ptx_mma<lkt_ptx_in_" + m[5] +
                           ", lkt_ptx_in_" + m[6] + ", " + (saturates ? "true" : "false") +
                           ">(lkt_a, lkt_b, lkt_c, __builtin_LINE()); ";
        for (std::size_t k = 0; k < size; ++k)
            text += set(i.operands[0].parts[k], "lkt_c[" + std::to_string(k) + "]") + " ";
        return text + "}";
    }

    /// What a warp or a block does together, copies, and what only gives advice.
    [[nodiscard]] static cpp together(ptx_instruction const& i) {
        auto const& n = i.name;
        auto const& o = i.operands;
        auto const u32 = [&](std::size_t k) { return in("unsigned", o[k]); };
        if (n == "cvta") {
            bool const to = i.has("to"), here = shared(i);
            auto const v = in(cpp_of_ptx(i.modifiers.back()), o[1]);
            if (!here) return set(o[0], v);
            return to ? set(o[0],
                            std::string("(") + std::string(cpp_of_ptx(i.modifiers.back())) +
                                ")__cvta_generic_to_shared((void const*)(size_t)" + v + ")")
                      : set(o[0], "(unsigned long long)lkt_ptx_shared(" + v + ")");
        }
        if (n == "ldmatrix.sync" || n == "stmatrix.sync") {
            bool const load = n[0] == 'l';
            auto const& matrix = o[load ? 0 : 1];
            auto const& parts =
                matrix.kind == kinds::vector ? matrix.parts : std::vector<ptx_operand>{matrix};
            auto const count = i.has("x4") ? 4U : i.has("x2") ? 2U : 1U;
            if (parts.size() != count || !i.has("m8n8") || !i.has("b16")) return {};
            std::string text = "{ unsigned lkt_m[" + std::to_string(count) + "]";
            for (std::size_t k = 0; !load && k < count; ++k)
                text += (k == 0 ? " = {" : ", ") + in("unsigned", parts[k]);
            auto const& memory = o[load ? 1 : 0];
            text += std::string(load ? "" : "}") + "; lkt_ptx_" + (load ? "load" : "store") +
                    "_matrices<" + (i.has("trans") ? "true" : "false") + ">(lkt_m, " +
                    "(unsigned long long)" + variable(memory.parts[0]) + " + (" +
                    (memory.parts.size() > 1
                         ? (memory.negated ? "-" : "") + in("long long", memory.parts[1])
                         : std::to_string(memory.offset)) +
                    "), __builtin_LINE()); ";
            for (std::size_t k = 0; load && k < count; ++k)
                text += set(parts[k], "lkt_m[" + std::to_string(k) + "]") + " ";
            return text + "}";
        }
        if (n == "cp.async") {
            bool const hint = i.has("L2::cache_hint");
            if (o.size() == 5 && !hint) return {};
            auto const bytes = in("unsigned", o[2]);
            return "lkt_ptx_copy(" + address(o[0], true) + ", " + address(o[1], false) + ", " +
                   bytes + ", " + (o.size() > (hint ? 4U : 3U) ? u32(3) : bytes) + ", " +
                   (i.has("cg") ? "true" : "false") + ");";
        }
        if (n == "cp.async.commit_group") return "lkt_commit_copies();";
        if (n == "cp.async.wait_group") return "lkt_wait_copies(" + u32(0) + ");";
        if (n == "cp.async.wait_all") return "lkt_commit_copies(); lkt_wait_copies(0);";
        if (n == "redux.sync") {
            auto const function = "__reduce_" + i.modifiers[0] + "_sync(";
            return set(o[0],
                       function + u32(2) + ", " + in(cpp_of_ptx(i.modifiers.back()), o[1]) + ")");
        }
        if (n == "elect.sync" && o[0].kind == kinds::pair)
            return "{ unsigned const lkt_v = lkt_ptx_elect(" + u32(1) + ", __builtin_LINE()); " +
                   set(o[0].parts[0], "lkt_v") + " " +
                   set(o[0].parts[1], "lkt_v == lkt_ptx_lane()") + " }";
        if (n == "shfl.sync" && o[0].kind != kinds::pair) {
            // Whole warps alone.
            auto const& c = o[3].text;
            if (o[3].kind != kinds::number || !(i.has("up") ? c == "0" : c == "31" || c == "0x1f"))
                return {};
            auto const mode = i.has("up")     ? "_up"
                              : i.has("down") ? "_down"
                              : i.has("bfly") ? "_xor"
                                              : "";
            return set(o[0],
                       std::string("__shfl") + mode + "_sync(" + u32(4) + ", " + u32(1) + ", " +
                           u32(2) + ")");
        }
        if (n == "vote.sync" && !i.has("uni"))
            return set(o[0],
                       "__" + i.modifiers[0] + "_sync(" + u32(2) + ", " + in("bool", o[1]) + ")" +
                           (i.has("pred") ? " != 0" : ""));
        if (n == "bar.warp.sync") return "__syncwarp(" + u32(0) + ");";
        if (n == "fence" || n == "membar") return "__threadfence();";
        if (n == "movmatrix.sync")
            return set(o[0], "lkt_ptx_transpose(" + u32(1) + ", __builtin_LINE())");
        if (n == "prefetch") return "(void)" + variable(o[0].parts[0]) + ";";
        if (n == "createpolicy.fractional") return set(o[0], "0ull");
        if (n == "dp4a" && i.modifiers.size() == 2 && i.modifiers[0] == i.modifiers[1])
            return call("__dp4a", cpp_of_ptx(i.modifiers[0]), i);
        return {};
    }
};

} // namespace lkt::host_detail
