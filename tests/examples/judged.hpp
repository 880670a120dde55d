// SPDX-License-Identifier: BSL-1.0
// Kernels of examples/kernels beside references that know nothing of them.
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/signature_tests.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace judged {

using numbers = std::vector<double>;
using results = std::vector<numbers>; // of the outputs, in order

inline numbers numbers_of(lkt::argument_data const& data) {
    numbers v(data.lanes());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = lkt::lane_as_double(data, i);
    return v;
}

/// A test's inputs as numbers.
struct inputs {
    lkt::test_case const& test;

    [[nodiscard]] std::size_t extent(std::size_t k) const {
        return static_cast<std::size_t>(test.size[k].second);
    }
    [[nodiscard]] numbers at(std::size_t argument) const {
        return numbers_of(test.arguments[argument]);
    }
};

inline lkt::problem problem_of(std::string const& file) {
    auto read = lkt::read_problem(LKT_TEST_SOURCE_DIR "/../examples/kernels/" + file);
    if (!read) FAIL(to_string(read.error()));
    return std::move(*read);
}

/// Of an output of a test.
struct counted {
    std::size_t wrong = 0, all = 0;
};

/// Elements that are off by more than `within` of the larger of the reference's number and `scale`,
/// for each output of each test.
template <class Backend>
std::vector<counted> wrong_elements(Backend& gpu,
                                    lkt::problem const& task,
                                    results (*reference)(inputs const&),
                                    double within,
                                    double scale) {
    auto tests = lkt::signature_tests{}.generate(task, {});
    if (!tests) FAIL(to_string(tests.error()));
    auto const suite = lkt::prepare_suite(gpu, task, std::move(*tests), {});
    if (!suite) FAIL(to_string(suite.error()));
    CHECK(suite->notes.size() == 0); // each output is written in full, the same every time
    std::vector<counted> found;
    for (lkt::prepared_test const& t : suite->tests) {
        results const expected = reference({t.test});
        REQUIRE(t.expected.size() == expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k) {
            auto const got = numbers_of(t.expected[k]);
            REQUIRE(got.size() == expected[k].size());
            counted c{0, got.size()};
            for (std::size_t i = 0; i < got.size(); ++i) {
                double const bound = within * std::max(scale, std::fabs(expected[k][i]));
                if (!(std::fabs(got[i] - expected[k][i]) <= bound)) ++c.wrong;
            }
            found.push_back(c);
        }
    }
    return found;
}

} // namespace judged
