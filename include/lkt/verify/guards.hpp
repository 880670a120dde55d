// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/verify/compare.hpp>

#include <cstdint>
#include <string>

namespace lkt {

/// Whether element `k` of two buffers of one type has the same bits.
[[nodiscard]] bool same_element(argument_data const& a, argument_data const& b, std::uint64_t k);

/// What else a wrong output shows when its launch is repeated on the same inputs: once with the
/// same poison (`again`), once with another (`other_poison`). What changes with the poison alone
/// was not written, whatever the back end's pattern is; what changes without it depends on the
/// order of threads. An `inout` argument is not poisoned: there, `input` is what it started from.
[[nodiscard]] std::string describe_rerun(mismatch const& m,
                                         direction flow,
                                         argument_data const& input,
                                         argument_data const& got,
                                         argument_data const& again,
                                         argument_data const& other_poison);

} // namespace lkt
