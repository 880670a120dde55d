// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/tuned_kernel.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/signature.hpp>

#include <string>

namespace lkt {

/// A kernel that worked before, built again with its previous times; `which` names it. Error:
/// `lkt.evaluate.lost-kernel`, if it does not compile now. The objects that it is made of must
/// outlive it.
[[nodiscard]] result<trial> rebuild(evaluation const& in,
                                    tuned_kernel const& known,
                                    signature const& declared,
                                    std::string const& which);

/// The error for a kernel that worked before and fails now.
[[nodiscard]] error lost_kernel(failure const& why, std::string const& which);

} // namespace lkt
