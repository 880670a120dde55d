// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/problem_tests.hpp>

#include <lkt/verify/all_of.hpp>
#include <lkt/verify/corner_tests.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/extent_tests.hpp>
#include <lkt/verify/long_tests.hpp>
#include <lkt/verify/region_tests.hpp>
#include <lkt/verify/signature_tests.hpp>

#include <cstddef>
#include <utility>

namespace lkt {

result<std::vector<test_case>> problem_tests::generate(problem const& task,
                                                       call_context const& context) const {
    signature_tests const sizes{.seed = seed, .limit = limit, .hidden_sizes = hidden_sizes};
    auto tests = sizes.generate(task, context);
    if (!tests) return tests.error();
    // One size that nobody was told tells nearly all kernels apart that are right at known ones.
    bool seen = false;
    for (test_case& test : *tests)
        test.for_finalists = test.origin == test_origin::hidden_size && std::exchange(seen, true);
    declared_tests const inputs{
        .seed = seed, .menu = menu, .hidden_sizes = hidden_sizes, .limit = limit};
    auto more = inputs.generate(task, context);
    if (!more) return more.error();
    constexpr std::size_t for_all = 2;
    for (std::size_t k = 0; k < more->size(); ++k)
        (*more)[k].for_finalists = k >= task.tests.size() + for_all;
    detail::add_tests(task, std::move(*more), *tests);
    if (!menu) return tests;
    corner_tests const corners{.seed = seed, .hidden_sizes = hidden_sizes, .limit = limit};
    auto ends = corners.generate(task, context);
    if (!ends) return ends.error();
    for (test_case& test : *ends) test.for_finalists = true;
    detail::add_tests(task, std::move(*ends), *tests);
    // Who asks for more than the usual sizes gets all of these, too.
    bool const usual = hidden_sizes <= problem_tests{}.hidden_sizes;
    region_tests const regions{
        .seed = seed, .hidden_sizes = hidden_sizes, .all = !usual, .limit = limit};
    auto divided = regions.generate(task, context);
    if (!divided) return divided.error();
    for (test_case& test : *divided) test.for_finalists = true;
    detail::add_tests(task, std::move(*divided), *tests);
    long_tests lengths{.seed = seed, .limit = limit};
    if (usual) lengths.elements /= 2, lengths.most = 8;
    auto rows = lengths.generate(task, context);
    if (!rows) return rows.error();
    detail::add_tests(task, std::move(*rows), *tests);
    if (usual) return tests;
    auto every = extent_tests{.seed = seed, .limit = limit}.generate(task, context);
    if (!every) return every.error();
    detail::add_tests(task, std::move(*every), *tests);
    return tests;
}

} // namespace lkt
