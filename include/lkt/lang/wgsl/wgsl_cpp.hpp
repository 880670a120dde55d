// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <string>

namespace lkt {

/// An entry point of a WGSL text in C++, as `wgsl_as_cpp` makes it and the host back end
/// compiles it to look for races.
struct wgsl_cpp {
    std::string text;   ///< needs the host back end's shim; `#line` gives the lines of the WGSL
    std::string behind; ///< what stands behind it, outside of any namespace
    std::string entry;  ///< the function to launch, with a parameter for each of the kernel's
    bool waits = false; ///< invocations may wait for each other
    bool atomics = false;
    bool subgroups = false;
};

} // namespace lkt
