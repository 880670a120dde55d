// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch.hpp>
#include <lkt/kernel/parameters.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/source.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lkt {

/// What to compile, and how.
struct compile_request {
    kernel_source source;
    lkt::signature signature;  ///< of the kernel to launch later
    configuration definitions; ///< tunable parameters, substituted as the language does it
    std::vector<std::string> options;
    bool checked = false; ///< find out-of-bounds accesses and races; slow, never timed
    seconds time_limit{60};
};

/// A kernel ready to launch. Copies share what was compiled; the last one frees it.
struct compiled_kernel {
    lkt::signature signature;
    bool checked = false;
    std::vector<std::string> notes;     ///< what a report should say: `fibres: Boost.Context`
    std::shared_ptr<void const> handle; ///< the back end's own
};
using compile_outcome = std::variant<compiled_kernel, failure>;

/// Launches of one compiled kernel on one set of arguments. Before every launch, timed or not,
/// `inout` arguments are restored and `out` arguments filled with a fresh pseudo-random pattern
/// that depends on `poison_seed` and the launch's index.
struct run_request {
    launch_dimensions dimensions;
    std::span<argument_data const> arguments; ///< in the signature's order
    std::span<direction const> directions;    ///< one for each argument
    int warmups = 0;
    int launches = 1;         ///< timed ones
    std::vector<int> keep{0}; ///< timed launches whose outputs are wanted, ascending
    std::uint64_t poison_seed = 0;
    seconds time_limit{10}; ///< for one launch
};

/// The outputs of one timed launch: the arguments that are not `in`, in order.
struct kept_outputs {
    int launch = 0;
    std::vector<argument_data> outputs;
};
struct run_report {
    std::vector<seconds> samples; ///< one a timed launch
    std::vector<kept_outputs> kept;
};
using run_outcome = std::variant<run_report, failure>;

/// A device that compiles and launches kernels. A kernel that does not compile, crashes or hangs
/// is an outcome; an error is a failure of the world (no compiler, no driver, cancelled).
/// Calls come from one thread at a time.
template <class B>
concept gpu_backend = requires(B& b,
                               compile_request const& c,
                               compiled_kernel const& k,
                               run_request const& r,
                               call_context const& x) {
    { b.device(x) } -> std::same_as<result<device_description>>;
    { b.compile(c, x) } -> std::same_as<result<compile_outcome>>;
    { b.run(k, r, x) } -> std::same_as<result<run_outcome>>;
};

} // namespace lkt
