// SPDX-License-Identifier: BSL-1.0
// What a scan measures: a matrix product, a convolution or an element-wise operation, as one type
// for engines, tables and pages.
#pragma once

#include <lkt/kernel/problem.hpp>
#include <lkt/scan/convolution_spec.hpp>
#include <lkt/scan/elementwise_spec.hpp>
#include <lkt/scan/gemm_spec.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <variant>

namespace lkt {

/// A kind of operation: the extents that a scan sets,
/// a builder that builds nothing that cannot be, and what one computes and moves.
template <class S>
concept operation_spec =
    std::equality_comparable<S> && requires(S const& spec, typename S::draft_type const& draft) {
        { S::operation } -> std::convertible_to<scan_operation>;
        { S::extents[0] } -> std::convertible_to<spec_extent<typename S::draft_type>>;
        { S::make(draft) } -> std::same_as<result<S>>;
        { spec.draft() } -> std::convertible_to<typename S::draft_type>;
        { spec.type() } -> std::same_as<gemm_type>;
        { spec.output() } -> std::same_as<gemm_type>;
        { spec.operations() } -> std::same_as<flop_count>;
        { spec.bytes() } -> std::same_as<byte_count>;
        { to_string(spec) } -> std::same_as<std::string>;
    };

/// By the name that `to_string` gives it. Errors (rejected): `lkt.scan.operation`.
[[nodiscard]] result<scan_operation> scan_operation_called(std::string_view name);

static_assert(operation_spec<gemm_spec> && operation_spec<convolution_spec> &&
              operation_spec<elementwise_spec>);

using scan_draft = std::variant<gemm_draft, convolution_draft, elementwise_draft>;

/// Any of them. Each has a text that no other has.
class scan_spec {
public:
    scan_spec(gemm_spec const& spec) : one_(spec) {}
    scan_spec(convolution_spec const& spec) : one_(spec) {}
    scan_spec(elementwise_spec const& spec) : one_(spec) {}
    /// Errors (rejected): those of the operation's own `make`.
    [[nodiscard]] static result<scan_spec> make(scan_draft const& draft);

    /// Null for another operation.
    [[nodiscard]] gemm_spec const* gemm() const { return std::get_if<gemm_spec>(&one_); }
    [[nodiscard]] convolution_spec const* convolution() const {
        return std::get_if<convolution_spec>(&one_);
    }
    [[nodiscard]] elementwise_spec const* elementwise() const {
        return std::get_if<elementwise_spec>(&one_);
    }

    /// Calls `f` with the spec of the operation.
    template <class F>
    decltype(auto) visit(F const& f) const {
        return std::visit(f, one_);
    }
    [[nodiscard]] scan_operation operation() const {
        return visit([]<class S>(S const&) { return S::operation; });
    }
    [[nodiscard]] gemm_type type() const {
        return visit([](auto const& s) { return s.type(); });
    }
    [[nodiscard]] gemm_type output() const {
        return visit([](auto const& s) { return s.output(); });
    }
    [[nodiscard]] flop_count operations() const {
        return visit([](auto const& s) { return s.operations(); });
    }
    [[nodiscard]] byte_count bytes() const {
        return visit([](auto const& s) { return s.bytes(); });
    }
    [[nodiscard]] flop_per_byte intensity() const { return operations() / bytes(); }
    /// Its extents by their names, in the order of the operation's list.
    [[nodiscard]] problem_size sizes() const;

    [[nodiscard]] friend bool operator==(scan_spec const& x, scan_spec const& y) {
        return x.one_ == y.one_;
    }
    [[nodiscard]] friend std::string to_string(scan_spec const& spec) {
        return spec.visit([](auto const& s) { return to_string(s); });
    }

private:
    std::variant<gemm_spec, convolution_spec, elementwise_spec> one_;
};

} // namespace lkt
