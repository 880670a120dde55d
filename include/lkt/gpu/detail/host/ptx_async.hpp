// SPDX-License-Identifier: BSL-1.0
// Instructions of PTX in C++: what runs beside the threads, barriers with numbers, ordered
// accesses.
#pragma once

#include <lkt/gpu/detail/host/ptx_values.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// The shape and the types of `wgmma.mma_async`.
struct wgmma_form {
    unsigned n = 0;
    std::string a, b, sum; ///< as the shim has them
    std::size_t sums = 0;  ///< registers of a thread
    bool across = false;   ///< matrices may be transposed

    [[nodiscard]] static std::optional<wgmma_form> of(ptx_instruction const& i) {
        auto const& m = i.modifiers;
        if (i.name != "wgmma.mma_async" || m.size() != 6 || m[0] != "sync" || m[1] != "aligned")
            return {};
        auto const &shape = m[2], &sum = m[3], &a = m[4], &b = m[5];
        auto const k = shape.find('k');
        wgmma_form made;
        if (!shape.starts_with("m64n") || k == shape.npos) return {};
        std::from_chars(shape.data() + 4, shape.data() + k, made.n);
        auto const in = [](std::string_view t, std::initializer_list<std::string_view> of) {
            return std::find(of.begin(), of.end(), t) != of.end();
        };
        bool const eight = in(a, {"e4m3", "e5m2"}) && in(b, {"e4m3", "e5m2"});
        bool const whole = in(a, {"s8", "u8"}) && in(b, {"s8", "u8"});
        bool const sixteen = a == b && in(a, {"f16", "bf16"}), tf32 = a == b && a == "tf32";
        if (made.n % 8 != 0 || made.n == 0 || made.n > 256 ||
            shape.substr(k) != (eight || whole ? "k32"
                                : sixteen      ? "k16"
                                : tf32         ? "k8"
                                               : "") ||
            (whole ? sum != "s32" : sum != "f32" && !(sum == "f16" && (eight || a == "f16"))))
            return {};
        made.a = "lkt_ptx_in_" + a;
        made.b = "lkt_ptx_in_" + b;
        made.sum = whole ? "int" : sum == "f16" ? "__half2" : "float";
        made.sums = made.n / (sum == "f16" ? 4 : 2);
        made.across = sixteen;
        return made;
    }
};

class ptx_async : ptx_values {
public:
    /// One statement, or nothing where a CPU does not run this form.
    [[nodiscard]] static cpp instruction(ptx_instruction const& i) {
        auto const& n = i.name;
        bool const copies = n.starts_with("cp.async.bulk");
        // Of other blocks of a cluster.
        if (i.has("multicast::cluster") || (i.has("shared::cluster") && !copies)) return {};
        if (n == "setmaxnreg" || n == "griddepcontrol" || n == "fence.mbarrier_init" ||
            n.starts_with("cp.async.bulk.prefetch") || n == "prefetch.tensormap")
            return "(void)0;";
        if (n == "fence.proxy")
            return i.has("alias") || i.has("global") ? "(void)0;" : "lkt_proxy_fence();";
        if (n.starts_with("mbarrier.") || n == "cp.async.mbarrier.arrive") return mbarrier(i);
        if (copies) return bulk(i);
        if (n.starts_with("wgmma.")) return wgmma(i);
        if (n.starts_with("bar")) return numbered(i);
        if (n == "red" || n == "atom") return atomic(i);
        if ((n == "ld" || n == "st") && ordered(i)) return access(i);
        return {};
    }
    /// What of a statement the shim's part for asynchrony is for.
    [[nodiscard]] static bool needed(std::string_view text) {
        static constexpr auto words =
            std::to_array<std::string_view>({"bar", "bulk", "wgmma", "proxy"});
        return std::any_of(words.begin(), words.end(), [&](std::string_view w) {
            return text.find(w) != text.npos;
        });
    }
    [[nodiscard]] static bool ordered(ptx_instruction const& i) {
        return i.has("volatile") || i.has("relaxed") || i.has("acquire") || i.has("release");
    }

private:
    static constexpr std::string_view here = ", __builtin_LINE())";

    [[nodiscard]] static std::string u32(ptx_instruction const& i, std::size_t k) {
        return in("unsigned", i.operands[k]);
    }
    [[nodiscard]] static std::string call_here(std::string text) {
        return text + std::string(here);
    }

    [[nodiscard]] static cpp mbarrier(ptx_instruction const& i) {
        auto const& n = i.name;
        auto const& o = i.operands;
        auto const at = [&](std::size_t k) { return address(o[k], true); };
        if (n == "cp.async.mbarrier.arrive")
            return call_here("lkt_mbarrier_copies(" + at(0) + ", " +
                             (i.has("noinc") ? "true" : "false")) +
                   ";";
        if (n == "mbarrier.init")
            return call_here("lkt_mbarrier_init(" + at(0) + ", " + u32(i, 1)) + ";";
        if (n == "mbarrier.inval") return call_here("lkt_mbarrier_inval(" + at(0)) + ";";
        if (n == "mbarrier.arrive_drop")
            return set(
                o[0],
                call_here("lkt_mbarrier_drop(" + at(1) + ", " + (o.size() > 2 ? u32(i, 2) : "1")));
        if (n == "mbarrier.arrive")
            return set(o[0],
                       call_here("lkt_mbarrier_arrive(" + at(1) + ", " +
                                 (o.size() > 2 ? u32(i, 2) : "1") + ", 0"));
        if (n == "mbarrier.arrive.expect_tx")
            return set(o[0], call_here("lkt_mbarrier_arrive(" + at(1) + ", 1, " + u32(i, 2)));
        if (n == "mbarrier.expect_tx" || n == "mbarrier.complete_tx")
            return call_here("lkt_mbarrier_bytes(" + at(0) + ", " +
                             (n == "mbarrier.expect_tx" ? "" : "-") + "(long long)" + u32(i, 1)) +
                   ";";
        if (n != "mbarrier.test_wait" && n != "mbarrier.try_wait") return {};
        auto const phase =
            i.has("parity") ? u32(i, 2) : "(unsigned)" + in("unsigned long long", o[2]);
        return set(o[0], call_here("lkt_mbarrier_wait(" + at(1) + ", " + phase));
    }

    [[nodiscard]] static cpp bulk(ptx_instruction const& i) {
        auto const& n = i.name;
        auto const& o = i.operands;
        if (n == "cp.async.bulk.commit_group") return "lkt_bulk_commit();";
        if (n == "cp.async.bulk.wait_group") return call_here("lkt_bulk_wait(" + u32(i, 0)) + ";";
        if (n == "cp.async.bulk.tensor") {
            auto const& at = o[1].parts[1].parts;
            std::string text = "{ int const lkt_at[5] = {";
            for (std::size_t k = 0; k < at.size(); ++k)
                text += (k > 0 ? ", " : "") + in("int", at[k]);
            if (!i.has(std::to_string(at.size()) + "d")) return {};
            return call_here(text + "}; lkt_bulk_tile(" + address(o[0], true) + ", (void const*)" +
                             variable(o[1].parts[0]) + ", " + address(o[2], true) + ", lkt_at, " +
                             std::to_string(at.size())) +
                   "; }";
        }
        if (n != "cp.async.bulk") return {};
        auto const size = u32(i, 2);
        if (i.has("bulk_group"))
            return call_here("lkt_bulk_out(" + address(o[0], false) + ", " + address(o[1], true) +
                             ", " + size) +
                   ";";
        if (!i.has("mbarrier::complete_tx::bytes") || !i.has("global")) return {};
        return call_here("lkt_bulk_in(" + address(o[0], true) + ", " + address(o[1], false) + ", " +
                         size + ", " + address(o[3], true)) +
               ";";
    }

    [[nodiscard]] static cpp wgmma(ptx_instruction const& i) {
        auto const& n = i.name;
        auto const& o = i.operands;
        if (n == "wgmma.fence") return "lkt_wgmma_fence();";
        if (n == "wgmma.commit_group") return "lkt_wgmma_commit();";
        if (n == "wgmma.wait_group") return call_here("lkt_wgmma_wait(" + u32(i, 0)) + ";";
        auto const form = wgmma_form::of(i);
        bool const registers = o[1].kind == kinds::vector;
        if (!form || o[0].kind != kinds::vector || o[0].parts.size() != form->sums ||
            (registers && o[1].parts.size() != 4))
            return {};
        std::size_t const scales = form->sum == "int" ? 4 : 6;
        if (o.size() != scales + (form->across ? registers ? 1U : 2U : 0U)) return {};
        std::string text = "{ void* const lkt_d[] = {";
        for (auto const& part : o[0].parts) {
            if (part.kind != kinds::value) return {};
            text += "&lkt_to_" + variable(part) + ", ";
        }
        text += "}; unsigned const lkt_a[4] = {";
        for (std::size_t k = 0; registers && k < 4; ++k)
            text += in("unsigned", o[1].parts[k]) + ", ";
        auto const number = [&](std::size_t k) { return in("int", o[k]); };
        auto const last = o.size() - 1;
        return call_here(text + "}; lkt_wgmma<" + form->a + ", " + form->b + ", " + form->sum +
                         ">(lkt_d, " + std::to_string(form->n) + ", " +
                         (registers ? "lkt_a" : "nullptr") + ", " +
                         (registers ? "0" : in("unsigned long long", o[1])) + ", " +
                         in("unsigned long long", o[2]) + ", " + in("bool", o[3]) + ", " +
                         (scales == 6 ? number(4) + " * " + number(5) : "1") + ", " +
                         (form->across && !registers ? number(last - 1) + " != 0" : "false") +
                         ", " + (form->across ? number(last) + " != 0" : "false")) +
               "; }";
    }

    /// `bar.sync 1, 128`
    [[nodiscard]] static cpp numbered(ptx_instruction const& i) {
        bool const waits = i.name.ends_with(".sync");
        if (i.name == "bar.warp.sync" || i.name == "barrier.cluster" ||
            (!waits && !i.name.ends_with(".arrive")))
            return {};
        auto const& o = i.operands;
        if (waits && o.size() == 1 && o[0].text == "0") return "__syncthreads();";
        auto const call =
            call_here("lkt_bar_numbered(" + u32(i, 0) + ", " + (o.size() > 1 ? u32(i, 1) : "0") +
                      ", " + (waits ? "true" : "false")) +
            ";";
        if (!waits) return call;
        // All threads at barrier 0: it is the one of __syncthreads.
        return "if (" + u32(i, 0) + " == 0 && " +
               (o.size() > 1
                    ? u32(i, 1) + " == (blockDim.x * blockDim.y * blockDim.z + 31) / 32 * 32"
                    : "true") +
               ") __syncthreads(); else " + call;
    }

    [[nodiscard]] static cpp atomic(ptx_instruction const& i) {
        auto const& type = i.modifiers.back();
        auto const value = i.name == "atom" ? 2U : 1U;
        std::string const t(cpp_of_ptx(type));
        if (t.empty() || i.operands.size() != value + 1 || i.has("cas") || i.has("acquire") ||
            i.has("release") || i.has("acq_rel"))
            return {};
        bool const whole = type == "u32" || type == "s32" || type == "u64";
        bool const bits = type == "b32" || type == "b64";
        static constexpr auto names =
            std::to_array<std::pair<std::string_view, std::string_view>>({{"add", "atomicAdd"},
                                                                          {"min", "atomicMin"},
                                                                          {"max", "atomicMax"},
                                                                          {"and", "atomicAnd"},
                                                                          {"or", "atomicOr"},
                                                                          {"xor", "atomicXor"},
                                                                          {"exch", "atomicExch"}});
        for (auto const& [ptx, name] : names) {
            if (!i.has(ptx)) continue;
            bool const fits = ptx == "add" ? whole || type == "f32" || type == "f64"
                              : ptx == "min" || ptx == "max" ? whole
                                                             : bits;
            if (!fits) return {};
            auto const call = std::string(name) + (i.has("cta") ? "_block" : "") + "((" + t + "*)" +
                              address(i.operands[value - 1], shared(i)) + ", " +
                              in(t, i.operands[value]) + ")";
            return value == 2 ? set(i.operands[0], call) : call + ";";
        }
        return {};
    }

    /// One word that others change: a flag.
    [[nodiscard]] static cpp access(ptx_instruction const& i) {
        bool const load = i.name == "ld";
        std::string const type(cpp_of_ptx(i.modifiers.back()));
        if (type.empty() || type == "bool" || i.has("v2") || i.has("v4")) return {};
        auto const place = "*(" + type + " volatile*)lkt_ptx_place_of<" + type + ", 1>(" +
                           address(i.operands[load ? 1 : 0], shared(i)) + ")";
        std::string const fence = i.has("cta") ? "__threadfence_block(); " : "__threadfence(); ";
        if (load)
            return "{ " + type + " const lkt_v = " + place + "; " + set(i.operands[0], "lkt_v") +
                   (i.has("acquire") ? " " + fence : " ") + "}";
        return "{ " + (i.has("release") ? fence : std::string()) + place + " = " +
               in(type, i.operands[1]) + "; }";
    }
};

} // namespace lkt::host_detail
