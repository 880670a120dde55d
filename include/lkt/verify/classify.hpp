// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/kernel/verdict.hpp>
#include <lkt/verify/compare.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// What launches with nothing kept from earlier ones make of inputs on which a launch was wrong.
enum class when_fresh : unsigned char { unknown, right, wrong, varies };

/// The facts about a wrong output. Only the first four are required; each of the others helps to
/// distinguish more kinds of errors. Pointers may be null, and all data are of one type and size.
struct wrong_evidence {
    argument_data const& expected;
    argument_data const& got;
    mismatch const& difference;
    tolerance bound;
    direction flow = direction::out;
    argument_data const* before = nullptr; ///< what an `inout` output started from
    /// The arguments of the launch that are read; those of other types and sizes are not evidence.
    std::vector<argument_data const*> inputs{};
    /// What two further launches on the same inputs left: the first with the same pattern in the
    /// output before the launch, the second with another.
    argument_data const *again = nullptr, *other_poison = nullptr;
    /// What launches left that found 0, or a NaN (all bits set, in integers), in the output.
    argument_data const *from_zeros = nullptr, *from_nans = nullptr;
    /// What a launch left that found one and the same other byte everywhere in the output.
    argument_data const* from_others = nullptr;
    /// What other tests expect of this output, and what other launches were given to compute.
    std::vector<argument_data const*> others{};
    bool timed = false;       ///< in a timed launch, of a kernel that had passed its tests
    bool timed_right = false; ///< on another test than the timed one, on which it is right
    bool lapsed = false;      ///< a test that it had passed fails when it is repeated
    when_fresh fresh = when_fresh::unknown; ///< of the timed launch, or of the test that lapsed
    bool subgroups = false;                 ///< `uses_subgroups`
};

/// A kind of error, and the evidence for it in words for the author of the kernel; empty for
/// `verdict::wrong_output`, the remaining kind.
struct kind_of_wrong {
    verdict as = verdict::wrong_output;
    std::string why{};
};

/// What kind of wrong an output is. docs/verification.md lists the signs.
[[nodiscard]] kind_of_wrong classify(wrong_evidence const& e);

/// Whether a WGSL text calls subgroup built-ins: how large a subgroup is differs between devices.
[[nodiscard]] bool uses_subgroups(kernel_source const& source);

} // namespace lkt
