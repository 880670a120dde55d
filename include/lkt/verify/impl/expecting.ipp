// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/detail/expecting.hpp>

#include <lkt/kernel/failure.hpp>
#include <lkt/verify/detail/chunks.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/test_check.hpp>
#include <lkt/verify/tolerance.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

result<test_suite> begin_suite(problem const& task,
                               std::vector<test_case> const& tests,
                               oracle_options const& options) {
    if (auto ok = check_problem(task); !ok) return ok.error();
    if (tests.empty())
        return error{condition::rejected,
                     "lkt.verify.no_tests",
                     "there is no test for the kernel " + task.signature.name,
                     "Add signature_tests{} to the generators."};
    for (test_case const& test : tests)
        if (auto ok = check_test(task, test); !ok) return ok.error();

    test_suite suite;
    if (options.configuration) {
        suite.reference_configuration = *options.configuration;
    } else {
        auto config = default_configuration(task);
        if (!config) return config.error();
        suite.reference_configuration = std::move(*config);
    }
    bool judged = false; // some output is; nobody looks at scratch
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        bool const scratch = task.arguments[k].scratch;
        suite.directions.push_back(scratch ? direction::out : task.flow(k));
        judged = judged || (!scratch && task.flow(k) != direction::in);
    }
    suite.comparators = options.comparators;
    if (!judged)
        return error{condition::rejected,
                     "lkt.verify.no_output",
                     "no argument of the kernel " + task.signature.name + " is an output",
                     "A kernel is judged by the buffers that it writes: declare one as an output."};
    return suite;
}

namespace finding_not_finite {

/// Lanes of which all bits of the exponent are set, which are those of `mask`: integers are
/// compared by vector instructions, and memory is what limits them.
template <class Bits>
std::uint64_t count(argument_data const& data, Bits mask) {
    std::atomic<std::uint64_t> all{0};
    auto const some = [&](std::size_t, std::size_t first, std::size_t last) noexcept {
        std::uint32_t n = 0;
        for (std::size_t k = first; k < last; ++k) n += (data.lane<Bits>(k) & mask) == mask;
        all += n;
    };
    (void)for_each_chunk(data.lanes(), threads_for(data.lanes()), {}, some); // nobody stops it
    return all;
}

} // namespace finding_not_finite

std::uint64_t count_not_finite(argument_data const& data) {
    using namespace finding_not_finite;
    scalar_type const t = data.type.scalar;
    if (t == scalar_type::float8_e4m3) return count(data, std::uint8_t{0x7f});
    if (t == scalar_type::float8_e5m2) return count(data, std::uint8_t{0x7c});
    if (t == scalar_type::float16) return count(data, std::uint16_t{0x7c00});
    if (t == scalar_type::bfloat16) return count(data, std::uint16_t{0x7f80});
    if (t == scalar_type::float32) return count(data, std::uint32_t{0x7f800000});
    if (t == scalar_type::float64) return count(data, std::uint64_t{0x7ff0000000000000});
    return 0;
}

bool all_alike(argument_data const& data) {
    if (!data.buffer || data.count() < 2) return false;
    std::size_t const one = data.type.bytes();
    std::byte const* const bytes = data.bytes.data();
    return std::memcmp(bytes, bytes + one, data.bytes.size() - one) == 0;
}

/// What a report should say of an expected output, or nothing.
std::string describe_oddity(argument_data const& expected,
                            bool judged,
                            std::optional<std::uint64_t> not_finite) {
    if (!expected.buffer || expected.count() < 2) return {};
    if (std::uint64_t const n = not_finite ? *not_finite : count_not_finite(expected); n > 0)
        return "is NaN or infinite in " + std::to_string(n) + " of " +
               std::to_string(expected.lanes()) + " values" +
               (judged ? "" : ", which are not judged");
    if (all_alike(expected))
        return "is " + value_text(expected, 0) + " everywhere, so it tells little";
    return {};
}

void expect(problem const& task,
            test_suite& suite,
            prepared_test& now,
            std::size_t argument,
            argument_data&& expected,
            output_bounds const& bounds,
            std::optional<std::uint64_t> not_finite) {
    // Of the tests that lkt chose a user can change nothing.
    bool const told = now.test.origin == test_origin::asked && !task.arguments[argument].scratch;
    auto const odd =
        told ? describe_oddity(expected, bounds.whole.nonfinite, not_finite) : std::string();
    if (!odd.empty())
        suite.notes.push_back("the expected output `" + task.signature.arguments[argument].name +
                              "` on test `" + now.test.name + "` " + odd);
    now.expected.push_back(std::move(expected));
    now.bounds.push_back(bounds.element);
    now.limits.push_back(bounds.whole);
}

} // namespace lkt::detail
