// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/scan/ck_source.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lkt {

namespace detail::scan {

/// The parameters of an instance, which came from outside, and the first fault of them.
struct ck_parameters {
    ck_instance const& from;
    std::string& why;

    void wrong(std::string fault) const {
        if (why.empty()) why = std::move(fault);
    }
    /// 1 for a fault.
    [[nodiscard]] std::int64_t number(std::string_view name,
                                      std::optional<std::int64_t> usual = {}) const {
        auto const* const value = from.parameters.find(name);
        auto const* const n = value != nullptr ? std::get_if<std::int64_t>(value) : nullptr;
        if (value == nullptr && usual) return *usual;
        if (n != nullptr && *n >= 1 && *n <= 4096) return *n;
        wrong("its " + std::string(name) + " must be a number from 1 to 4096");
        return 1;
    }
    [[nodiscard]] std::string word(std::string_view name,
                                   std::span<std::string_view const> known,
                                   std::string_view usual) const {
        auto const* const value = from.parameters.find(name);
        if (value == nullptr) return std::string(usual);
        auto const* const text = std::get_if<std::string>(value);
        if (text != nullptr && std::find(known.begin(), known.end(), *text) != known.end())
            return *text;
        std::string all;
        for (std::string_view const k : known) (all += all.empty() ? "" : ", ") += k;
        wrong("its " + std::string(name) + " must be one of " + all);
        return std::string(usual);
    }
};

/// How threads share the loads of a tile of `extent` rows of K, which lie in pieces of k1.
struct ck_load {
    std::int64_t k0 = 0, along = 0; ///< threads
    std::int64_t k1 = 0, vector = 0;
    [[nodiscard]] std::int64_t threads() const { return k0 * along; }
};

/// With the most threads; of those as many, the most along K. Without threads: none divides it.
inline ck_load ck_load_of(std::int64_t block,
                          std::int64_t k_block,
                          std::int64_t extent,
                          std::int64_t k1,
                          std::int64_t vector,
                          bool along_k) {
    ck_load best{0, 0, k1, vector};
    if (k_block % k1 != 0 || (along_k && k1 % vector != 0)) return best;
    auto const pieces = k_block / k1;
    for (auto k0 = std::min(pieces, block); k0 > 0; --k0) {
        if (pieces % k0 != 0) continue;
        for (auto along = std::min(block / k0, extent); along > 0; --along) {
            bool const fits = extent % along == 0 && (along_k || extent / along % vector == 0);
            if (!fits) continue;
            if (k0 * along > best.threads()) best = {k0, along, k1, vector};
            break;
        }
    }
    return best;
}

/// The first with the most threads, of these pieces and vectors, which are in order of preference.
inline ck_load ck_best_load(std::int64_t block,
                            std::int64_t k_block,
                            std::int64_t extent,
                            std::span<std::int64_t const> pieces,
                            std::span<std::int64_t const> vectors,
                            bool along_k) {
    ck_load best;
    for (auto const k1 : pieces)
        for (auto const vector : vectors) {
            auto const one = ck_load_of(block, k_block, extent, k1, vector, along_k);
            if (one.threads() > best.threads()) best = one;
        }
    return best;
}

constexpr std::string_view ck_type_name(gemm_type t) {
    switch (t) {
    case gemm_type::f32:
        return "float";
    case gemm_type::f16:
        return "ck::half_t";
    case gemm_type::bf16:
        return "ck::bhalf_t";
    case gemm_type::fp8:
        return "ck::f8_t";
    case gemm_type::int8:
        return "std::int8_t";
    case gemm_type::f64:
    case gemm_type::tf32:
    case gemm_type::int4:
        return {};
    }
    return {};
}

enum class ck_form { xdl, xdl_shuffle, xdl_universal, wmma_shuffle, wmma_universal };

struct ck_form_of {
    std::string_view kind, type, header;
    ck_form form;
};
inline constexpr ck_form_of ck_forms[] = {
    {"DeviceGemmXdlUniversal",
     "DeviceGemm_Xdl_CShuffleV3",
     "device_gemm_xdl_cshuffle_v3.hpp",
     ck_form::xdl_universal},
    {"DeviceGemm_Xdl_CShuffle",
     "DeviceGemm_Xdl_CShuffle",
     "device_gemm_xdl_cshuffle.hpp",
     ck_form::xdl_shuffle},
    {"DeviceGemmXdl", "DeviceGemmXdl", "device_gemm_xdl.hpp", ck_form::xdl},
    {"DeviceGemmWmma_CShuffle",
     "DeviceGemmWmma_CShuffle",
     "device_gemm_wmma.hpp",
     ck_form::wmma_shuffle},
    {"DeviceGemm_Wmma_CShuffleV3",
     "DeviceGemm_Wmma_CShuffleV3",
     "device_gemm_wmma_cshuffle_v3.hpp",
     ck_form::wmma_universal},
};

/// Of one operand, as template arguments: cluster, orders, vector's dimension, vector, store, and
/// whether rows in shared memory are padded.
inline std::string ck_operand(ck_load const& load, bool along_k, bool padded) {
    auto const order = along_k ? "s<1, 0, 2>" : "s<0, 2, 1>";
    return "s<" + std::to_string(load.k0) + ", " + std::to_string(load.along) + ", 1>, " + order +
           ", " + order + ", " + (along_k ? "2" : "1") + ", " + std::to_string(load.vector) + ", " +
           std::to_string(load.k1) + ", " + (padded ? "true" : "false");
}

/// Of the output: how many repeats are shuffled at once, clusters, vector.
inline std::string ck_stores(ck_parameters const& p, std::int64_t bits) {
    auto const block = p.number("block_size"), m_shuffle = p.number("m_shuffle", 1),
               n_shuffle = p.number("n_shuffle", 1);
    auto const m_part = p.number("m_wave") * p.number("m_repeat"),
               n_part = p.number("n_wave") * p.number("n_repeat");
    if (p.number("m_block") % m_part != 0 || p.number("n_block") % n_part != 0)
        p.wrong("its waves do not divide the tile of a block");
    auto const rows = p.number("m_block") / m_part * p.number("m_wave") * m_shuffle,
               columns = p.number("n_block") / n_part * p.number("n_wave") * n_shuffle;
    ck_load best;
    for (std::int64_t vector = 128 / bits; vector > 0; vector /= 2) {
        if (columns % vector != 0) continue;
        auto const one = ck_load_of(block, columns / vector, rows, 1, 1, true);
        if (one.threads() > best.threads()) best = {one.k0, one.along, 1, vector};
    }
    return std::to_string(m_shuffle) + ", " + std::to_string(n_shuffle) + ", s<1, " +
           std::to_string(best.along) + ", 1, " + std::to_string(best.k0) + ">, " +
           std::to_string(best.vector);
}

/// The template arguments of a device operation.
inline std::string ck_arguments(ck_parameters const& p, ck_form form, ck_source_options const& o) {
    using names = std::string_view[];
    static constexpr names paddings = {"Default",
                                       "MPadding",
                                       "NPadding",
                                       "KPadding",
                                       "MNPadding",
                                       "MKPadding",
                                       "NKPadding",
                                       "MNKPadding"};
    static constexpr names loop_schedulers = {"Default", "Interwave"};
    static constexpr names loop_pipelines = {"v1", "v2", "v4"};
    static constexpr names block_schedulers = {"Intrawave", "Interwave"};
    static constexpr names block_pipelines = {"v1", "v2", "v3", "v4", "v5"};
    bool const universal = form == ck_form::xdl_universal || form == ck_form::wmma_universal;
    auto const block = p.number("block_size"), m_block = p.number("m_block"),
               n_block = p.number("n_block");
    bool const in_pieces = form == ck_form::xdl; // K counts pieces of k1
    auto const k_block = in_pieces ? p.number("k0_block") * p.number("k1") : p.number("k_block");
    std::int64_t const in_bits = bits_of(o.type), widest = 128 / in_bits;
    bool const a_along_k = o.a == matrix_layout::row, b_along_k = o.b == matrix_layout::column;

    auto const load = [&](char const* which, std::int64_t extent, bool along_k) {
        std::string const key = which;
        auto const vector = p.number(key + "_vector", 0),
                   k1 = p.number(key + "_k1", p.number("k1", 0));
        std::vector<std::int64_t> pieces{k1}, vectors{vector};
        if (k1 == 0) // half of the widest: transposed in registers, as Composable Kernel's own are
            pieces = along_k ? std::vector{vector}
                             : std::vector{std::max<std::int64_t>(widest / 2, 1),
                                           widest,
                                           std::int64_t{2},
                                           std::int64_t{1}};
        if (vector == 0) {
            vectors.clear();
            for (auto v = along_k ? k1 : widest; v > 0; v /= 2) vectors.push_back(v);
        }
        auto const found = ck_best_load(block, k_block, extent, pieces, vectors, along_k);
        if (found.threads() == 0)
            p.wrong("no threads can share the loads of " + key + ": " + std::to_string(extent) +
                    " x " + std::to_string(k_block) + " elements in vectors of " +
                    std::to_string(vectors[0]));
        return found;
    };
    auto const a = load("a", m_block, a_along_k), b = load("b", n_block, b_along_k);
    auto const layout = [](matrix_layout l) {
        return l == matrix_layout::row ? std::string("row") : std::string("column");
    };
    auto const type = [&](gemm_type t) {
        auto const name = ck_type_name(t);
        if (name.empty()) p.wrong("Composable Kernel's gemm has no " + std::string(to_string(t)));
        return std::string(name);
    };
    auto const list = [](std::initializer_list<std::int64_t> numbers) {
        std::string text;
        for (auto const n : numbers) text += std::to_string(n) + ", ";
        return text;
    };
    std::string const layouts = layout(o.a) + ", " + layout(o.b) + ", " + layout(o.c),
                      in = type(o.type), out = type(o.output),
                      sum = o.type == gemm_type::int8 ? "std::int32_t" : "float",
                      padding = "device::GemmSpecialization::" +
                                p.word("padding", paddings, "MNKPadding");
    auto const prefetch = std::to_string(p.number("prefetch", 1));
    std::string const waves =
        list({p.number("m_wave"), p.number("n_wave"), p.number("m_repeat"), p.number("n_repeat")});
    bool const a_padded = !universal && a.k1 == widest, b_padded = !universal && b.k1 == widest;
    std::string const loads = ck_operand(a, a_along_k, a_padded) + ",\n    " +
                              ck_operand(b, b_along_k, b_padded) + ",\n    ";
    if (form == ck_form::xdl)
        return in + ", " + in + ", " + out + ", " + sum + ", " + layouts +
               ", pass, pass, pass,\n    " + padding + ", " +
               list({block, m_block, n_block, p.number("k0_block"), a.k1}) + waves + "\n    " +
               loads + "7, 1, " + prefetch +
               ",\n    ck::LoopScheduler::" + p.word("scheduler", loop_schedulers, "Default") +
               ", ck::PipelineVersion::" + p.word("pipeline", loop_pipelines, "v1");
    std::string text = layouts + ", " + in + ", " + in + ", " + out + ", " + sum + ", " + out +
                       ", pass, pass, pass,\n    " + padding + ", ";
    if (!universal) text += (form == ck_form::wmma_shuffle ? prefetch : "1") + ", ";
    text += list({block, m_block, n_block, k_block});
    text += form == ck_form::wmma_shuffle ? list({a.k1}) : list({a.k1, b.k1});
    text += waves + "\n    " + loads + ck_stores(p, bits_of(o.output)) + ",\n    ";
    if (universal)
        return text + "ck::BlockGemmPipelineScheduler::" +
               p.word("scheduler", block_schedulers, "Intrawave") +
               ", ck::BlockGemmPipelineVersion::" + p.word("pipeline", block_pipelines, "v1") +
               ", " + in + ", " + in;
    return text + "ck::LoopScheduler::" + p.word("scheduler", loop_schedulers, "Default") +
           ", ck::PipelineVersion::" + p.word("pipeline", loop_pipelines, "v1") +
           (form == ck_form::xdl_shuffle ? ", " + in + ", " + in : std::string());
}

} // namespace detail::scan

result<std::string> ck_source(ck_instance const& instance, ck_source_options const& options) {
    using namespace detail::scan;
    auto const bad = [&](std::string why) {
        return error{condition::rejected,
                     "lkt.scan.ck-source",
                     "no instance of Composable Kernel can be written of " +
                         in_backticks(instance.kind) + ": " + std::move(why),
                     {}};
    };
    auto const* const known =
        std::find_if(std::begin(ck_forms), std::end(ck_forms), [&](ck_form_of const& f) {
            return f.kind == instance.kind;
        });
    if (known == std::end(ck_forms)) {
        std::string all;
        for (ck_form_of const& f : ck_forms) (all += all.empty() ? "" : ", ") += f.kind;
        return bad("the kinds are " + all);
    }
    auto o = options;
    if (auto const* const named = instance.parameters.find("layouts")) {
        auto const* const text = std::get_if<std::string>(named);
        if (text == nullptr || text->size() != 3 ||
            text->find_first_not_of("RC") != std::string::npos)
            return bad("its layouts must be three letters, R or C");
        auto const of = [&](std::size_t at) {
            return (*text)[at] == 'R' ? matrix_layout::row : matrix_layout::column;
        };
        o.a = of(0), o.b = of(1), o.c = of(2);
    }
    if (o.c != matrix_layout::row) return bad("C must be row-major");
    std::string why;
    auto const arguments = ck_arguments({instance, why}, known->form, o);
    if (!why.empty()) return bad(why);
    return "// " + instance.kind + ": " + plain_line(to_string(instance.parameters), 2000) +
           "\n// Written by lkt. Clusters of threads, and what else the parameters leave open, "
           "were "
           "chosen.\n"
           "#include <ck/ck.hpp>\n"
           "#include <ck/tensor_operation/gpu/device/gemm_specialization.hpp>\n"
           "#include <ck/tensor_operation/gpu/device/impl/" +
           std::string(known->header) +
           ">\n"
           "#include <ck/tensor_operation/gpu/device/tensor_layout.hpp>\n"
           "#include <ck/tensor_operation/gpu/element/element_wise_operation.hpp>\n\n"
           "#include <cstdint>\n#include <memory>\n\n"
           "namespace {\n\n"
           "namespace device = ck::tensor_operation::device;\n"
           "using row = ck::tensor_layout::gemm::RowMajor;\n"
           "using column = ck::tensor_layout::gemm::ColumnMajor;\n"
           "using pass = ck::tensor_operation::element_wise::PassThrough;\n"
           "template <ck::index_t... I> using s = ck::Sequence<I...>;\n\n"
           "using instance = device::" +
           std::string(known->type) + "<\n    " + arguments +
           ">;\n\n} // namespace\n\n"
           "std::unique_ptr<device::BaseOperator> lkt_ck_instance() {\n"
           "    return std::make_unique<instance>();\n}\n";
}

} // namespace lkt
