// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/output_oracle.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// A C++ function that computes the expected outputs. It gets the arguments in the signature's
/// order and fills those that the kernel writes, whose sizes must stay. Those that are `inout` hold
/// what the test gives; those that are `out` hold bytes without meaning.
///
/// It is called twice on every test, with other such bytes: an element that keeps them was not
/// written, an error of the code `lkt.verify.oracle_unwritten`.
struct function_oracle {
    std::function<result<void>(problem_size const& size, std::vector<argument_data>& arguments)>
        compute;
    std::string name = "a C++ function"; ///< how reports call it

    [[nodiscard]] result<std::vector<oracle_answer>> answer(problem const& task,
                                                            std::span<test_case const> tests,
                                                            call_context const& context) const;
    [[nodiscard]] std::string describe() const { return name; }
};

static_assert(output_oracle<function_oracle>);

} // namespace lkt
