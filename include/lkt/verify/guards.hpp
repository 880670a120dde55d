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

/// Further evidence about a wrong output, from repeating its launch on the same inputs: once with
/// the same poison (`again`), once with another (`other_poison`). Elements that change only with
/// the poison were not written, for any pattern of the back end; elements that change without it
/// depend on the order of threads. An `inout` argument is not poisoned: `input` is its initial
/// contents.
[[nodiscard]] std::string describe_rerun(mismatch const& m,
                                         direction flow,
                                         argument_data const& input,
                                         argument_data const& got,
                                         argument_data const& again,
                                         argument_data const& other_poison);

} // namespace lkt
