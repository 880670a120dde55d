// SPDX-License-Identifier: BSL-1.0
// Matrix products: C = f(alpha A B + beta C + bias), for each matrix of a batch; f and the bias are
// the epilogue, by default none. What one computes and moves, at least, by these formulas:
//
//   operations   batch (2 M N K  +  M N if alpha is not 1  +  M N if beta is not 0
//                       +  M N if beta is neither 0 nor 1  +  M N FLOPs of the epilogue)
//   bytes        batch (M K + K N) bits of an input / 8  +  batch M N bits of an output / 8,
//                the latter twice if beta is not 0: C is read, too  +  the elements of the bias
//                times its bits / 8; int4 is half a byte
//   intensity    operations / bytes
//
// Each matrix counts once, without the gaps that a stride leaves, whatever its layout.
#pragma once

#include <lkt/core/quantity.hpp>
#include <lkt/core/result.hpp>
#include <lkt/kernel/peaks.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lkt {

/// Of the elements of a matrix.
enum class gemm_type : unsigned char { f64, f32, tf32, f16, bf16, fp8, int8, int4 };

inline constexpr gemm_type every_gemm_type[] = {gemm_type::f64,
                                                gemm_type::f32,
                                                gemm_type::tf32,
                                                gemm_type::f16,
                                                gemm_type::bf16,
                                                gemm_type::fp8,
                                                gemm_type::int8,
                                                gemm_type::int4};

/// In memory: 32 for tf32, 4 for int4.
[[nodiscard]] constexpr unsigned bits_of(gemm_type type) {
    switch (type) {
    case gemm_type::f64:
        return 64;
    case gemm_type::f32:
    case gemm_type::tf32:
        return 32;
    case gemm_type::f16:
    case gemm_type::bf16:
        return 16;
    case gemm_type::fp8:
    case gemm_type::int8:
        return 8;
    case gemm_type::int4:
        return 4;
    }
    return 0;
}

[[nodiscard]] std::string_view to_string(gemm_type type);
/// `f16`, and other names of the same type: `float16`, `fp16`, `half`, `i8`. Errors (rejected):
/// `lkt.scan.type`, which suggests the type that was meant.
[[nodiscard]] result<gemm_type> gemm_type_called(std::string_view name);
/// Absent for int4, which `arithmetic` does not know.
[[nodiscard]] std::optional<arithmetic> arithmetic_of(gemm_type type);

enum class matrix_layout : unsigned char { row, column };

[[nodiscard]] constexpr std::string_view to_string(matrix_layout layout) {
    return layout == matrix_layout::row ? "row" : "column";
}

/// A is M x K, B is K x N, C is M x N.
struct gemm_shape {
    std::int64_t m = 0, n = 0, k = 0;
    friend auto operator<=>(gemm_shape const&, gemm_shape const&) = default;
};

/// The type of C: by default that of A and B.
struct gemm_output {
    constexpr gemm_output() = default;
    constexpr gemm_output(gemm_type t) : given(true), type(t) {}
    bool given = false;
    gemm_type type = gemm_type::f32;

    /// Where none is given, that of the inputs.
    [[nodiscard]] constexpr gemm_type beside(gemm_type inputs) const {
        return given ? type : inputs;
    }
};

/// What is done with the elements of a product before they are written. The bias is a vector with
/// an element for each column of a row-major C, and for each row of a column-major C, so that it is
/// as long as a line of C in memory, and the same for all lines and all matrices of a batch.
enum class gemm_epilogue : unsigned char {
    none,
    bias,      ///< x + bias
    relu,      ///< max(x, 0)
    relu_bias, ///< max(x + bias, 0)
    gelu,      ///< x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
    gelu_bias  ///< the same of x + bias
};

/// An epilogue, what it reads, and its FLOPs for an element: each operation counts one, tanh, too.
struct gemm_epilogue_traits {
    gemm_epilogue epilogue;
    std::string_view name;
    bool bias;
    gemm_epilogue activation; ///< what it is without its bias
    std::int64_t flops;
};

inline constexpr gemm_epilogue_traits every_gemm_epilogue[] = {
    {gemm_epilogue::none, "none", false, gemm_epilogue::none, 0},
    {gemm_epilogue::bias, "bias", true, gemm_epilogue::none, 1},
    {gemm_epilogue::relu, "relu", false, gemm_epilogue::relu, 1},
    {gemm_epilogue::relu_bias, "relu_bias", true, gemm_epilogue::relu, 2},
    {gemm_epilogue::gelu, "gelu", false, gemm_epilogue::gelu, 9},
    {gemm_epilogue::gelu_bias, "gelu_bias", true, gemm_epilogue::gelu, 10}};

[[nodiscard]] constexpr gemm_epilogue_traits const& traits_of(gemm_epilogue epilogue) {
    return every_gemm_epilogue[static_cast<std::size_t>(epilogue)];
}
[[nodiscard]] constexpr std::string_view to_string(gemm_epilogue epilogue) {
    return traits_of(epilogue).name;
}
/// Errors (rejected): `lkt.scan.epilogue`, which suggests the one that was meant.
[[nodiscard]] result<gemm_epilogue> gemm_epilogue_called(std::string_view name);

/// What a spec is made of, not checked. A stride is the distance, in elements, from a row of a
/// row-major matrix to the next, or from a column to the next; 0: there is no gap. The matrices of
/// a batch follow each other without a gap.
struct gemm_draft {
    std::int64_t m = 0, n = 0, k = 0, batch = 1;
    gemm_type type = gemm_type::f32; ///< of A and B
    gemm_output output = {};         ///< of C
    matrix_layout a = matrix_layout::row, b = matrix_layout::row, c = matrix_layout::row;
    double alpha = 1, beta = 0;
    std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
    std::int64_t gap = 0; ///< elements behind each line of a matrix whose stride is 0
    gemm_epilogue epilogue = gemm_epilogue::none;
};

enum class scan_operation : unsigned char { gemm, convolution, elementwise };

/// `gemm`, `conv`, `elementwise`.
[[nodiscard]] constexpr std::string_view to_string(scan_operation operation) {
    return operation == scan_operation::gemm          ? "gemm"
           : operation == scan_operation::convolution ? "conv"
                                                      : "elementwise";
}

/// An extent of a draft: a scan sets it by this name, in the order of the spec's list of them.
template <class Draft>
struct spec_extent {
    std::string_view name;
    std::int64_t Draft::* at;
    bool needed = true;     ///< else the draft's own value stands where a scan names none
    std::int64_t least = 1; ///< that can be
};

enum class gemm_fault : unsigned char { none, size, batch, stride, factor, epilogue, large };

namespace detail::scan {

inline constexpr std::int64_t most_extent = 2147483647; // libraries count in `int`
inline constexpr double most_elements = 1e15;

constexpr std::int64_t tight(std::int64_t rows, std::int64_t columns, matrix_layout layout) {
    return layout == matrix_layout::row ? columns : rows;
}

constexpr bool fits(std::int64_t stride, std::int64_t least) {
    return stride == 0 || (stride >= least && stride <= most_extent);
}

constexpr gemm_fault fault_of(gemm_draft const& d) {
    for (std::int64_t const extent : {d.m, d.n, d.k})
        if (extent < 1 || extent > most_extent) return gemm_fault::size;
    if (d.batch < 1 || d.batch > most_extent) return gemm_fault::batch;
    if (d.gap < 0 || d.gap > most_extent) return gemm_fault::stride;
    if (!fits(d.stride_a, tight(d.m, d.k, d.a)) || !fits(d.stride_b, tight(d.k, d.n, d.b)) ||
        !fits(d.stride_c, tight(d.m, d.n, d.c)))
        return gemm_fault::stride;
    // Neither NaN nor infinite; and 0 times A B is no product.
    if (!(d.alpha - d.alpha == 0) || !(d.beta - d.beta == 0) || d.alpha == 0)
        return gemm_fault::factor;
    auto const integers = [](gemm_type t) { return t == gemm_type::int8 || t == gemm_type::int4; };
    if (traits_of(d.epilogue).activation == gemm_epilogue::gelu &&
        (integers(d.type) || integers(d.output.beside(d.type))))
        return gemm_fault::epilogue;
    auto const m = static_cast<double>(d.m), n = static_cast<double>(d.n),
               k = static_cast<double>(d.k);
    if (static_cast<double>(d.batch) * (m * k + k * n + m * n) > most_elements)
        return gemm_fault::large;
    return gemm_fault::none;
}

} // namespace detail::scan

/// A matrix product that can be: there is no other way to make one than through these checks.
class gemm_spec {
public:
    using draft_type = gemm_draft;
    static constexpr auto operation = scan_operation::gemm;
    static constexpr spec_extent<gemm_draft> extents[] = {
        {"M", &gemm_draft::m}, {"N", &gemm_draft::n}, {"K", &gemm_draft::k}};

    /// Errors (rejected): `lkt.scan.gemm-size`, `-batch`, `-stride`, `-factor`,
    /// `-epilogue`, `-large`.
    [[nodiscard]] static result<gemm_spec> make(gemm_draft const& draft);

    /// The same for constants, whose faults do not compile: `gemm_spec::of<gemm_draft{.m = 64,
    /// .n = 64, .k = 64}>()`.
    template <gemm_draft Draft>
    [[nodiscard]] static constexpr gemm_spec of() {
        constexpr gemm_fault fault = detail::scan::fault_of(Draft);
        static_assert(fault != gemm_fault::size,
                      "[lkt.scan.gemm-size] m, n and k are at least 1, and at most 2147483647");
        static_assert(fault != gemm_fault::batch,
                      "[lkt.scan.gemm-batch] a batch has at least one matrix");
        static_assert(fault != gemm_fault::stride,
                      "[lkt.scan.gemm-stride] a stride is at least the length of a row "
                      "(row-major) or column, or 0");
        static_assert(fault != gemm_fault::factor,
                      "[lkt.scan.gemm-factor] alpha and beta are finite, and alpha is not 0");
        static_assert(fault != gemm_fault::epilogue,
                      "[lkt.scan.gemm-epilogue] there is no gelu of integers");
        static_assert(fault != gemm_fault::large,
                      "[lkt.scan.gemm-large] the matrices have more than 1e15 elements");
        return gemm_spec(Draft);
    }

    [[nodiscard]] constexpr gemm_draft const& draft() const { return draft_; }
    [[nodiscard]] constexpr std::int64_t m() const { return draft_.m; }
    [[nodiscard]] constexpr std::int64_t n() const { return draft_.n; }
    [[nodiscard]] constexpr std::int64_t k() const { return draft_.k; }
    [[nodiscard]] constexpr gemm_shape shape() const { return {m(), n(), k()}; }
    [[nodiscard]] constexpr std::int64_t batch() const { return draft_.batch; }
    [[nodiscard]] constexpr gemm_type type() const { return draft_.type; }
    [[nodiscard]] constexpr gemm_type output() const { return draft_.output.beside(type()); }
    [[nodiscard]] constexpr matrix_layout a() const { return draft_.a; }
    [[nodiscard]] constexpr matrix_layout b() const { return draft_.b; }
    [[nodiscard]] constexpr matrix_layout c() const { return draft_.c; }
    [[nodiscard]] constexpr double alpha() const { return draft_.alpha; }
    [[nodiscard]] constexpr double beta() const { return draft_.beta; }
    [[nodiscard]] constexpr gemm_epilogue epilogue() const { return draft_.epilogue; }
    /// 0: there is no bias.
    [[nodiscard]] constexpr std::int64_t bias_length() const {
        return traits_of(epilogue()).bias ? detail::scan::tight(m(), n(), c()) : 0;
    }
    /// That of the output. Where this has 8 bits, and that of FP8's products in f32, it is what
    /// cuBLASLt's kernels read: f32 for integers; f16 for fp8, and bf16 for f32.
    [[nodiscard]] constexpr gemm_type bias_type() const {
        switch (output()) {
        case gemm_type::int8:
        case gemm_type::int4:
            return gemm_type::f32;
        case gemm_type::fp8:
            return gemm_type::f16;
        case gemm_type::f32:
        case gemm_type::tf32:
            return type() == gemm_type::fp8 ? gemm_type::bf16 : gemm_type::f32;
        default:
            return output();
        }
    }
    /// Never 0.
    [[nodiscard]] constexpr std::int64_t stride_a() const {
        return draft_.stride_a ? draft_.stride_a : detail::scan::tight(m(), k(), a()) + draft_.gap;
    }
    [[nodiscard]] constexpr std::int64_t stride_b() const {
        return draft_.stride_b ? draft_.stride_b : detail::scan::tight(k(), n(), b()) + draft_.gap;
    }
    [[nodiscard]] constexpr std::int64_t stride_c() const {
        return draft_.stride_c ? draft_.stride_c : detail::scan::tight(m(), n(), c()) + draft_.gap;
    }

    /// By the formulas above. Of integers, too, where others say OPs.
    [[nodiscard]] constexpr flop_count operations() const {
        double const mn = static_cast<double>(m()) * static_cast<double>(n());
        double const per = 2 * mn * static_cast<double>(k()) + (alpha() == 1 ? 0 : mn) +
                           (beta() == 0 ? 0 : mn) + (beta() == 0 || beta() == 1 ? 0 : mn) +
                           mn * static_cast<double>(traits_of(epilogue()).flops);
        return flop_count(static_cast<double>(batch()) * per);
    }
    [[nodiscard]] constexpr byte_count bytes() const {
        auto const dm = static_cast<double>(m()), dn = static_cast<double>(n()),
                   dk = static_cast<double>(k());
        double const in = (dm * dk + dk * dn) * bits_of(type());
        double const out = dm * dn * bits_of(output()) * (beta() == 0 ? 1 : 2);
        double const bias = static_cast<double>(bias_length()) * bits_of(bias_type());
        return byte_count((static_cast<double>(batch()) * (in + out) + bias) / 8);
    }
    [[nodiscard]] constexpr flop_per_byte intensity() const { return operations() / bytes(); }

    [[nodiscard]] friend constexpr bool operator==(gemm_spec const& x, gemm_spec const& y) {
        return x.shape() == y.shape() && x.batch() == y.batch() && x.type() == y.type() &&
               x.output() == y.output() && x.a() == y.a() && x.b() == y.b() && x.c() == y.c() &&
               x.alpha() == y.alpha() && x.beta() == y.beta() && x.epilogue() == y.epilogue() &&
               x.stride_a() == y.stride_a() && x.stride_b() == y.stride_b() &&
               x.stride_c() == y.stride_c();
    }

private:
    explicit constexpr gemm_spec(gemm_draft const& draft) : draft_(draft) {}
    gemm_draft draft_;
};

/// `128x1024x512 f16 rrr`, and after it what is not by default: `>f32`, `batch=8`, `alpha=2`,
/// `beta=1`, `epilogue=relu_bias`, `strides=512,1024,1040`. Equal for equal specs, and for no
/// others.
[[nodiscard]] std::string to_string(gemm_spec const& spec);

} // namespace lkt
