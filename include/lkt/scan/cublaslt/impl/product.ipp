// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/cublaslt/detail/product.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace lkt::cublaslt_detail {

using namespace detail::scan;

/// How many algorithms are asked for: more than the heuristics have.
inline constexpr int most_algorithms = 512;

/// Of cuBLASLt on Ada, Hopper and the Blackwell of GeForce; cublasLtMatmul in cuBLAS's manual.
inline constexpr char fp8_rules[] =
    "; most devices multiply fp8 only with --layout rcr or rcc, and extents whose lines are "
    "multiples of 16 bytes";

inline lt_type type_of(gemm_type t) {
    switch (t) {
    case gemm_type::f64:
        return lt_type::f64;
    case gemm_type::f32:
    case gemm_type::tf32:
        return lt_type::f32;
    case gemm_type::f16:
        return lt_type::f16;
    case gemm_type::bf16:
        return lt_type::bf16;
    case gemm_type::fp8:
        return lt_type::e4m3;
    case gemm_type::int8:
    case gemm_type::int4:
        return lt_type::i8;
    }
    return lt_type::f32;
}

inline lt_epilogue epilogue_of(gemm_epilogue e) {
    switch (e) {
    case gemm_epilogue::none:
        return lt_epilogue::none;
    case gemm_epilogue::bias:
        return lt_epilogue::bias;
    case gemm_epilogue::relu:
        return lt_epilogue::relu;
    case gemm_epilogue::relu_bias:
        return lt_epilogue::relu_bias;
    case gemm_epilogue::gelu:
        return lt_epilogue::gelu;
    case gemm_epilogue::gelu_bias:
        return lt_epilogue::gelu_bias;
    }
    return lt_epilogue::none;
}

types_of_product types_of(gemm_spec const& s) {
    lt_type const d = type_of(s.output());
    return {.in = type_of(s.type()),
            .c = d == lt_type::e4m3 ? lt_type::f16 : d, // there is no C of FP8
            .d = d,
            .scale = s.type() == gemm_type::f64 ? lt_type::f64 : lt_type::f32,
            .compute = s.type() == gemm_type::f64    ? lt_compute::f64
                       : s.type() == gemm_type::tf32 ? lt_compute::tf32
                       : s.type() == gemm_type::int8 ? lt_compute::i32
                                                     : lt_compute::f32};
}

/// A row-major matrix is the transpose of a column-major one. `as_transpose`: it stands for its own
/// transpose, as in C^T = B^T A^T.
operand operand_of(matrix_place const& p, bool as_transpose) {
    bool const row = p.layout == matrix_layout::row;
    return {row ? p.columns : p.rows,
            row ? p.rows : p.columns,
            p.stride,
            p.of_matrix(),
            row != as_transpose};
}

result<void> session::place(product& p, cublaslt_options const& options) {
    auto const& spec = p.spec;
    auto const size = [](matrix_place const& m, gemm_type t) {
        return m.elements() * bits_of(t) / 8;
    };
    auto const pa = place_a(spec), pb = place_b(spec), pc = place_c(spec);
    auto const& va = values_of(spec.type(), options.seed);
    auto const& vb = values_of(spec.type(), options.seed + 1);
    gemm_values const* const vc =
        spec.beta() != 0 ? &values_of(spec.output(), options.seed + 2) : nullptr;
    auto const length = spec.bias_length();
    gemm_values const* const vbias =
        length != 0 ? &values_of(spec.bias_type(), options.seed + 3) : nullptr;
    matrix_place const of_bias{1, length, length};
    p.d_size = size(pc, spec.output());
    for (auto const& [to, where, type, values] :
         {std::tuple(&p.a, pa, spec.type(), &va),
          std::tuple(&p.b, pb, spec.type(), &vb),
          std::tuple(&p.c, pc, spec.output(), vc),
          std::tuple(&p.bias, of_bias, spec.bias_type(), vbias)}) {
        if (values == nullptr) continue;
        auto memory = filled(size(where, type), *values);
        if (!memory) return memory.error();
        *to = std::move(*memory);
    }
    auto memory = allocate(p.d_size);
    if (!memory) return memory.error();
    p.d = std::move(*memory);
    if (options.settings.verify) p.check.emplace(spec, va, vb, vc, vbias);
    // C is D where it is not read. cuBLASLt takes that (INVALID_VALUE otherwise) only of one type.
    if (auto const types = types_of(spec); vc == nullptr && types.c != types.d) {
        auto old = allocate(size(pc, gemm_type::f16));
        if (!old) return old.error();
        p.c = std::move(*old);
    }
    p.old_at = p.c.at() != 0 ? p.c.at() : p.d.at();
    return {};
}

std::string session::describe(product& p) const {
    auto const& spec = p.spec;
    // Column-major: C = A B, or, of a row-major C, C^T = B^T A^T.
    bool const swapped = spec.c() == matrix_layout::row;
    auto const pa = place_a(spec), pb = place_b(spec), pc = place_c(spec);
    auto const types = types_of(spec);
    operand const first = operand_of(swapped ? pb : pa, swapped),
                  second = operand_of(swapped ? pa : pb, swapped), out = operand_of(pc, swapped);
    p.first_at = swapped ? p.b.at() : p.a.at();
    p.second_at = swapped ? p.a.at() : p.b.at();
    std::string refused;
    auto const must = [&](char const* what, lt_status e) {
        if (e != lt_status::success && refused.empty())
            refused = std::string(lt_.title) + " refuses " + what + ": " + lt_.describe(e);
    };
    p.operation.end = lt_.product_destroy;
    must("the types", lt_.product_create(&p.operation.value, types.compute, types.scale));
    if (!refused.empty()) p.operation.value = nullptr;
    auto const matrix = [&](made<lt_matrix>& m, operand const& o, lt_type type) {
        m.end = lt_.matrix_destroy;
        if (auto const e = lt_.matrix_create(&m.value,
                                             type,
                                             static_cast<std::uint64_t>(o.rows),
                                             static_cast<std::uint64_t>(o.columns),
                                             o.stride);
            e != lt_status::success) {
            m.value = nullptr;
            return must("a layout", e);
        }
        auto const batch = static_cast<std::int32_t>(spec.batch());
        must("a batch",
             lt_.matrix_set(m.value, lt_matrix_attribute::batch_count, &batch, sizeof batch));
        must("a batch",
             lt_.matrix_set(
                 m.value, lt_matrix_attribute::batch_stride, &o.of_matrix, sizeof o.of_matrix));
    };
    matrix(p.first, first, types.in);
    matrix(p.second, second, types.in);
    matrix(p.old, out, types.c);
    matrix(p.output, out, types.d);
    if (refused.empty()) {
        for (auto const& [which, o] : {std::pair(lt_product_attribute::transpose_a, &first),
                                       std::pair(lt_product_attribute::transpose_b, &second)}) {
            auto const how = o->transposed ? lt_operation::transpose : lt_operation::none;
            must("a layout", lt_.product_set(p.operation.value, which, &how, sizeof how));
        }
        auto const set = [&](lt_product_attribute which, auto const& value) {
            must("an epilogue", lt_.product_set(p.operation.value, which, &value, sizeof value));
        };
        if (spec.epilogue() != gemm_epilogue::none)
            set(lt_product_attribute::epilogue, epilogue_of(spec.epilogue()));
        // An element for each row of D, as cuBLASLt sees it: for each place in a line of C.
        if (spec.bias_length() > 0) {
            set(lt_product_attribute::bias, p.bias.at());
            if (auto const type = type_of(spec.bias_type()); type != types.d)
                set(lt_product_attribute::bias_type, type);
        }
        p.preference.end = lt_.preference_destroy;
        must("a preference", lt_.preference_create(&p.preference.value));
        must("a workspace",
             lt_.preference_set(p.preference.value,
                                lt_preference_attribute::workspace,
                                &workspace_size_,
                                sizeof workspace_size_));
    }
    return refused;
}

std::vector<lt_found> session::algorithms_of(product const& p, std::string& refused) const {
    std::vector<lt_found> algorithms(most_algorithms);
    int count = 0;
    auto const e = lt_.heuristic(handle_,
                                 p.operation.value,
                                 p.first.value,
                                 p.second.value,
                                 p.old.value,
                                 p.output.value,
                                 p.preference.value,
                                 most_algorithms,
                                 algorithms.data(),
                                 &count);
    if (e != lt_status::success) {
        count = 0;
        refused = std::string(lt_.title) + " refuses this product: " + lt_.describe(e);
        if (p.spec.type() == gemm_type::fp8) refused += fp8_rules;
    }
    algorithms.resize(static_cast<std::size_t>(std::clamp(count, 0, most_algorithms)));
    return algorithms;
}

} // namespace lkt::cublaslt_detail
