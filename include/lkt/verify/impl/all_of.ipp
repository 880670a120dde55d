// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/all_of.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace lkt::detail {

/// Same size and same contents of everything that a kernel may read.
bool same_inputs(problem const& task, test_case const& a, test_case const& b) {
    if (a.size != b.size || a.arguments.size() != b.arguments.size()) return false;
    for (std::size_t k = 0; k < a.arguments.size(); ++k) {
        bool const read = k >= task.arguments.size() || task.flow(k) != direction::out;
        if (a.arguments[k].bytes.size() != b.arguments[k].bytes.size()) return false;
        if (read && a.arguments[k] != b.arguments[k]) return false;
    }
    return true;
}

void add_tests(problem const& task, std::vector<test_case> more, std::vector<test_case>& tests) {
    for (test_case& test : more) {
        auto const same = [&](test_case const& t) { return same_inputs(task, t, test); };
        if (std::any_of(tests.begin(), tests.end(), same)) continue;
        auto const taken = [&](std::string const& name) {
            return std::any_of(
                tests.begin(), tests.end(), [&](auto const& t) { return t.name == name; });
        };
        std::string name = test.name;
        for (int k = 2; taken(name); ++k) name = test.name + " #" + std::to_string(k);
        test.name = std::move(name);
        tests.push_back(std::move(test));
    }
}

void timed_first(problem const& task, std::vector<test_case>& tests) {
    auto const timed = std::find_if(
        tests.begin(), tests.end(), [&](test_case const& t) { return t.size == task.size; });
    if (timed != tests.end()) std::rotate(tests.begin(), timed, timed + 1);
}

} // namespace lkt::detail
