// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/user_tests.hpp>

#include <lkt/verify/test_check.hpp>

#include <cstddef>
#include <string>

namespace lkt {

result<std::vector<test_case>> user_tests::generate(problem const& task,
                                                    call_context const&) const {
    std::vector<test_case> named = tests;
    for (std::size_t k = 0; k < named.size(); ++k) {
        if (named[k].name.empty()) named[k].name = "user test " + std::to_string(k + 1);
        if (auto ok = check_test(task, named[k]); !ok) return ok.error();
    }
    return named;
}

} // namespace lkt
