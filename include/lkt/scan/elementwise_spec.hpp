// SPDX-License-Identifier: BSL-1.0
// Element-wise operations: each element of the output is a function of one element of each input.
//
//   operations   elements x FLOPs of an element
//   bytes        elements x (inputs x bits of an input + bits of an output) / 8
//   intensity    operations / bytes
#pragma once

#include <lkt/scan/gemm_spec.hpp>

namespace lkt {

/// Of a, b and c, the inputs. Of `other` only the numbers of inputs and FLOPs are known, so that
/// no result of it can be verified.
enum class elementwise_function : unsigned char {
    add,
    multiply,
    multiply_add, ///< a b + c
    relu,
    exp,
    tanh,
    sigmoid, ///< 1 / (1 + exp(-a))
    silu,    ///< a / (1 + exp(-a))
    gelu,    ///< a (1 + erf(a / sqrt 2)) / 2
    other
};

/// A function, what it reads, and its FLOPs: each operation counts one, exp, tanh and erf, too.
struct elementwise_traits {
    elementwise_function function;
    std::string_view name;
    std::int64_t inputs, flops;
    bool of_integers; ///< sums, products and maxima alone
};

inline constexpr elementwise_traits every_elementwise_function[] = {
    {elementwise_function::add, "add", 2, 1, true},
    {elementwise_function::multiply, "multiply", 2, 1, true},
    {elementwise_function::multiply_add, "multiply_add", 3, 2, true},
    {elementwise_function::relu, "relu", 1, 1, true},
    {elementwise_function::exp, "exp", 1, 1, false},
    {elementwise_function::tanh, "tanh", 1, 1, false},
    {elementwise_function::sigmoid, "sigmoid", 1, 4, false},
    {elementwise_function::silu, "silu", 1, 4, false},
    {elementwise_function::gelu, "gelu", 1, 5, false},
    {elementwise_function::other, "other", 0, 0, true}};

[[nodiscard]] constexpr elementwise_traits const& traits_of(elementwise_function function) {
    return every_elementwise_function[static_cast<std::size_t>(function)];
}
[[nodiscard]] constexpr std::string_view to_string(elementwise_function function) {
    return traits_of(function).name;
}
/// Errors (rejected): `lkt.scan.function`, which suggests the one that was meant.
[[nodiscard]] result<elementwise_function> elementwise_function_called(std::string_view name);

/// What a spec is made of, not checked.
struct elementwise_draft {
    std::int64_t elements = 0;
    std::int64_t inputs = 0, flops = 0; ///< 0: those of the function; `other` needs both
    elementwise_function function = elementwise_function::add;
    gemm_type type = gemm_type::f32; ///< of the inputs
    gemm_output output = {};
};

enum class elementwise_fault : unsigned char { none, size, operands, function, large };

namespace detail::scan {

inline constexpr std::int64_t most_inputs = 64, most_flops = 1'000'000'000;

constexpr elementwise_fault fault_of(elementwise_draft const& d) {
    if (d.elements < 1) return elementwise_fault::size;
    auto const& of = traits_of(d.function);
    bool const other = d.function == elementwise_function::other;
    auto const can_be = [&](std::int64_t given, std::int64_t own, std::int64_t most) {
        return other ? given >= 1 && given <= most : given == 0 || given == own;
    };
    if (!can_be(d.inputs, of.inputs, most_inputs) || !can_be(d.flops, of.flops, most_flops))
        return elementwise_fault::operands;
    auto const integers = [](gemm_type t) { return t == gemm_type::int8 || t == gemm_type::int4; };
    if (!of.of_integers && (integers(d.type) || integers(d.output.beside(d.type))))
        return elementwise_fault::function;
    std::int64_t const arrays = 1 + (other ? d.inputs : of.inputs);
    return static_cast<double>(d.elements) * static_cast<double>(arrays) > most_elements
               ? elementwise_fault::large
               : elementwise_fault::none;
}

} // namespace detail::scan

/// An element-wise operation that can be: there is no other way to make one than through these
/// checks.
class elementwise_spec {
public:
    using draft_type = elementwise_draft;
    static constexpr auto operation = scan_operation::elementwise;
    static constexpr spec_extent<elementwise_draft> extents[] = {
        {"elements", &elementwise_draft::elements},
        {"inputs", &elementwise_draft::inputs, false},
        {"flops", &elementwise_draft::flops, false}};

    /// Errors (rejected): `lkt.scan.elementwise-size`, `-operands`, `-function`, `-large`.
    [[nodiscard]] static result<elementwise_spec> make(elementwise_draft const& draft);

    /// The same for constants, whose faults do not compile.
    template <elementwise_draft Draft>
    [[nodiscard]] static constexpr elementwise_spec of() {
        constexpr elementwise_fault fault = detail::scan::fault_of(Draft);
        static_assert(fault != elementwise_fault::size,
                      "[lkt.scan.elementwise-size] there is at least one element");
        static_assert(fault != elementwise_fault::operands,
                      "[lkt.scan.elementwise-operands] a function has its own inputs and FLOPs; "
                      "`other` needs both");
        static_assert(fault != elementwise_fault::function,
                      "[lkt.scan.elementwise-function] the function has no integers");
        static_assert(fault != elementwise_fault::large,
                      "[lkt.scan.elementwise-large] there are more than 1e15 elements");
        return elementwise_spec(Draft);
    }

    /// With the inputs and FLOPs of its function.
    [[nodiscard]] constexpr elementwise_draft const& draft() const { return draft_; }
    [[nodiscard]] constexpr elementwise_function function() const { return draft_.function; }
    [[nodiscard]] constexpr std::int64_t elements() const { return draft_.elements; }
    [[nodiscard]] constexpr std::int64_t inputs() const { return draft_.inputs; }
    [[nodiscard]] constexpr std::int64_t flops() const { return draft_.flops; }
    [[nodiscard]] constexpr gemm_type type() const { return draft_.type; }
    [[nodiscard]] constexpr gemm_type output() const { return draft_.output.beside(type()); }

    /// By the formulas above.
    [[nodiscard]] constexpr flop_count operations() const {
        return flop_count(static_cast<double>(elements()) * static_cast<double>(flops()));
    }
    [[nodiscard]] constexpr byte_count bytes() const {
        double const bits = static_cast<double>(inputs()) * bits_of(type()) + bits_of(output());
        return byte_count(static_cast<double>(elements()) * bits / 8);
    }
    [[nodiscard]] constexpr flop_per_byte intensity() const { return operations() / bytes(); }

    [[nodiscard]] friend constexpr bool operator==(elementwise_spec const& x,
                                                   elementwise_spec const& y) {
        for (auto const& extent : extents)
            if (x.draft_.*extent.at != y.draft_.*extent.at) return false;
        return x.function() == y.function() && x.type() == y.type() && x.output() == y.output();
    }

private:
    explicit constexpr elementwise_spec(elementwise_draft const& draft) : draft_(draft) {
        if (draft.function == elementwise_function::other) return;
        draft_.inputs = traits_of(draft.function).inputs;
        draft_.flops = traits_of(draft.function).flops;
    }
    elementwise_draft draft_;
};

/// `sigmoid 1048576 f32`, `other 1048576 f16 inputs=2 flops=8 >f32`. Equal for equal specs, and for
/// no others.
[[nodiscard]] std::string to_string(elementwise_spec const& spec);

} // namespace lkt
