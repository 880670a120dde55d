// SPDX-License-Identifier: BSL-1.0
// Whether a result is the product of two matrices of random numbers.
#pragma once

#include <lkt/scan/detail/convolution_place.hpp>
#include <lkt/scan/detail/gemm_values.hpp>
#include <lkt/scan/scan_engine.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lkt::detail::scan {

/// Compares results with the product in double precision. Of the first: some elements, with the
/// corners among them; and, which sees all elements at a cost that does not grow with K N, each row
/// of D times a random vector x, with alpha A (B x) + beta C x, and the bias (R. Freivalds,
/// Probabilistic machines can use less running time, IFIP 1977). Outputs of integers, which
/// saturate, and of relu and gelu, which are not linear, have more elements compared instead. Each
/// later result is compared with the first that was right, element by element; where they differ,
/// the product in double precision decides.
///
/// Of the bounds: u is the unit roundoff of what an operation rounds to. Partial sums of K products
/// of independent random numbers stay below 4 s, where s is the root of K times the mean squares of
/// the inputs, so that K roundings, or K/32 of FP8's sums, add at most 4 s K u. Real sums lose far
/// less. A row adds up the errors of N elements, so its bound is made of what the compared elements
/// lost: with 4 s K u, a wrong element of a large product would be lost in it (ADR 23).
class gemm_check {
public:
    /// `a`, `b` and `c` fill the matrices, `bias` the epilogue's vector, and all outlive this; `c`
    /// only where beta is not 0, `bias` only where there is one.
    gemm_check(gemm_spec const& spec,
               gemm_values const& a,
               gemm_values const& b,
               gemm_values const* c,
               gemm_values const* bias = nullptr);

    /// A convolution: each group is a product whose rows are places of the output, and whose
    /// columns are filters. Needs one that `comparable` says can be compared.
    gemm_check(convolution_spec const& spec, gemm_values const& a, gemm_values const& b);

    struct answer {
        scan_verdict verdict = scan_verdict::correct;
        std::string why{};        ///< of a wrong one: `element (3, 5) is 0.1 instead of 0.7`
        bool first_wrong = false; ///< the result that this was compared with is the wrong one
    };
    /// `d` had all bytes 0xff before the product was written to it, its gaps, too. `parts`: the
    /// product is the sum of so many, each rounded to the output's type before it was added; 0:
    /// nothing but the result was.
    [[nodiscard]] answer judge(std::span<std::byte const> d, int parts = 0);

private:
    /// An element before relu or gelu.
    [[nodiscard]] double sum_at(std::int64_t matrix, std::int64_t row, std::int64_t column) const;
    /// Of an element, within which sums are rounded, too.
    [[nodiscard]] double tolerance(double exact, double within) const;
    [[nodiscard]] bool near(double got, double exact, double within) const;
    [[nodiscard]] std::string fault_at(std::span<std::byte const> d,
                                       double within,
                                       std::int64_t matrix,
                                       std::int64_t row,
                                       std::int64_t column,
                                       double* farthest = nullptr) const;
    [[nodiscard]] std::string fault_in_gaps(std::span<std::byte const> d) const;
    [[nodiscard]] std::string fault_in_samples(std::span<std::byte const> d);
    [[nodiscard]] std::string fault_in_rows(std::span<std::byte const> d);
    /// y += beta C x and the bias, for one matrix.
    void add_rest(std::int64_t matrix, double* y) const;
    /// y += the inputs of each place times t.
    void add_images(std::int64_t group, std::vector<double> const& t, double* y) const;
    [[nodiscard]] answer against_first(std::span<std::byte const> d);

    gemm_spec spec_;
    matrix_place a_, b_, c_;
    std::optional<convolution_place> images_; ///< of a convolution: A is read through this
    gemm_values const* va_;
    gemm_values const* vb_;
    gemm_values const* vc_;
    gemm_values const* vbias_ = nullptr;
    double scale_ = 0;              ///< of a sum, times alpha
    double added_ = 0;              ///< the same of what is added to it
    double sums_ = 0;               ///< what rounding inside adds to an element at most
    double within_ = 0, first_ = 0; ///< the same for a result that is looked at, and for the first
    double typical_ = 0;            ///< what rounding adds to an element of a row, at most
    double likely_ = 0;             ///< the same where roundings go up as often as down
    double farthest_ = 0;           ///< error of the elements that were compared, at most
    double parts_ = 0;              ///< of the result that is looked at
    bool rows_tell_ = true; ///< no element saturates, and all is linear: sums over rows say it all
    std::vector<double> x_, expected_; ///< of the rows of all matrices
    std::vector<std::byte> right_;     ///< the first result that was right
};

} // namespace lkt::detail::scan
