// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/detail/property_trial.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// Outputs that inputs which are related to each other must have: linearity, permutations.
struct related_outputs : property_trial {
    [[nodiscard]] bool in_domain(std::size_t argument, double x) const {
        argument_spec const& spec = task.arguments[argument];
        return std::isfinite(x) && x >= spec.min.value_or(x) && x <= spec.max.value_or(x);
    }
    /// Sets the arguments of `set` to `value(argument, lane)`; false where that is not a value of
    /// the type, exactly, or lies outside of a domain.
    template <class Value>
    [[nodiscard]] bool
    refill(test_case& inputs, std::vector<std::size_t> const& set, bool exact, Value value) const {
        for (std::size_t argument : set) {
            argument_data& data = inputs.arguments[argument];
            for (std::size_t lane = 0; lane < data.lanes(); ++lane) {
                double const x = value(argument, lane);
                double const stored = rounded_to(data.type.scalar, x);
                if (!in_domain(argument, stored) || (exact && stored != x)) return false;
                store_real(data, lane, x);
            }
        }
        return true;
    }
    /// A test with each lane of what is expected, and of what would be exact, changed: into
    /// `value(its values, lane, output)`.
    template <class Value>
    [[nodiscard]] static prepared_test expecting(prepared_test const& test, Value value) {
        prepared_test as = test;
        as.arguments_id = as.expected_id = 0;
        as.magnitudes.clear();
        for (auto* const values : {&as.expected, &as.exact})
            for (std::size_t p = 0; p < values->size(); ++p)
                for (std::size_t lane = 0; lane < (*values)[p].lanes(); ++lane)
                    store_real((*values)[p], lane, value((*values)[p], lane, p));
        return as;
    }

    /// Why a set cannot be tried on a test; empty where it can.
    [[nodiscard]] std::string not_linear(std::vector<std::size_t> const& set) const {
        for (std::size_t k : set)
            if (k >= task.arguments.size() || !is_floating(task.signature.arguments[k].type.scalar))
                return "an argument of the set is not a floating-point argument";
        for (std::size_t k : output_positions(suite.directions))
            if (!is_floating(task.signature.arguments[k].type.scalar) && !task.arguments[k].scratch)
                return "the output " + name(k) + " holds integers";
        return {};
    }

    [[nodiscard]] verdict_of_check scaling(prepared_test const& test,
                                           std::vector<std::size_t> const& set) const {
        for (int power : {5, -5, 1, -1}) {
            double const factor = std::ldexp(1.0, power);
            test_case inputs = test.test;
            inputs.name += ", scaled by 2^" + std::to_string(power);
            if (!refill(inputs, set, true, [&](std::size_t k, std::size_t lane) {
                    return factor * lane_as_double(test.test.arguments[k], lane);
                }))
                continue;
            prepared_test as =
                expecting(test, [&](argument_data const& of, std::size_t lane, std::size_t) {
                    return factor * lane_as_double(of, lane);
                });
            for (tolerance& bound : as.bounds) bound.absolute *= factor;
            return relation(
                inputs, as, "the outputs do not scale as the inputs that they are linear in");
        }
        note("scaling was not tried: the inputs of test `" + test.test.name +
             "` leave their domains");
        return std::optional<failure>();
    }

    /// f((x + y) / 2) = (f(x) + f(y)) / 2, which stays in any interval.
    [[nodiscard]] verdict_of_check addition(prepared_test const& test,
                                            std::vector<std::size_t> const& set) const {
        auto const turned = [&](std::size_t k, std::size_t lane) {
            argument_data const& x = test.test.arguments[k];
            return lane_as_double(x, (lane + x.lanes() / 3 + 1) % x.lanes());
        };
        test_case other = test.test, both = test.test;
        other.name += ", rotated";
        both.name += ", the mean of two inputs";
        bool const fits =
            refill(other, set, false, turned) &&
            refill(both, set, false, [&](std::size_t k, std::size_t lane) {
                return (lane_as_double(test.test.arguments[k], lane) + turned(k, lane)) / 2;
            });
        if (!fits) return std::optional<failure>();
        auto ran = run(other, test, 1, false);
        if (!ran) return ran.error();
        if (auto* f = std::get_if<failure>(&*ran)) return std::optional(std::move(*f));
        outputs const& image = std::get<run_report>(*ran).kept.front().outputs;
        prepared_test as =
            expecting(test, [&](argument_data const& of, std::size_t lane, std::size_t p) {
                return (lane_as_double(of, lane) + lane_as_double(image[p], lane)) / 2;
            });
        // Three launches round, and the mean of the inputs does.
        for (tolerance& bound : as.bounds) bound.absolute *= 2, bound.relative *= 2;
        for (error_limits& limit : as.limits) limit.rms *= 4, limit.bias *= 4;
        return relation(
            both, as, "the output for the mean of two inputs is not the mean of their outputs");
    }

    [[nodiscard]] verdict_of_check permutation(prepared_test const& test) const {
        auto const& set = task.properties.permutation_invariant;
        test_case inputs = test.test;
        inputs.name += ", permuted";
        std::size_t const n = inputs.arguments[set.front()].count();
        for (std::size_t k : set)
            if (inputs.arguments[k].count() != n) {
                note("the permutation was not tried: " + name(k) + " and " + name(set.front()) +
                     " have different numbers of elements on test `" + test.test.name + "`");
                return std::optional<failure>();
            }
        // Of the streams that generators and oracles do not use.
        random_stream const stream{drawn(secret_of(options.seed), "properties"), 0xc0000000u, 0};
        std::vector<std::size_t> from(n);
        for (std::size_t k = 0; k < n; ++k) from[k] = k;
        for (std::size_t k = n; k > 1; --k)
            std::swap(from[k - 1], from[static_cast<std::size_t>(below(k, stream.bits(k)))]);
        for (std::size_t k : set) {
            argument_data const& old = test.test.arguments[k];
            std::size_t const one = old.type.bytes();
            for (std::size_t i = 0; i < n; ++i)
                std::memcpy(inputs.arguments[k].bytes.data() + i * one,
                            old.bytes.data() + from[i] * one,
                            one);
        }
        return relation(inputs, test, "the outputs depend on the order of the inputs");
    }
};

} // namespace lkt::detail
