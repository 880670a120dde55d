// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// Of these parameters, those that nothing reads: neither the text, as a compiler sees it, nor the
/// launch. All values of such a parameter are the same kernel. A name that the text reads only
/// where it is a template parameter of something else than the kernel is not read: the text, and
/// not the tuner, gives it its value. A name whose macros cannot be followed counts as read, and so
/// does every name of a text that cannot be read. `kernel` as in `find_kernel`.
[[nodiscard]] std::vector<std::string>
unread_parameters(kernel_source const& source,
                  std::string_view kernel,
                  launch_formula const& launch,
                  std::vector<tunable_parameter> const& parameters);

} // namespace lkt
