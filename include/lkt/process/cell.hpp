// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/cell_outcome.hpp>
#include <lkt/process/sandbox.hpp>

#include <chrono>
#include <concepts>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lkt {

namespace process_detail {
class cell_maker;
struct cell_page;
} // namespace process_detail

/// How a cell is confined.
struct cell_options {
    std::chrono::milliseconds time_limit{10'000};        ///< wall time
    std::uint64_t memory_limit = std::uint64_t{4} << 30; ///< bytes beyond what the worker has
    std::uint64_t stack_limit = std::uint64_t{8} << 20;  ///< bytes, of the cell's first thread
    std::size_t output_limit = std::size_t{64} << 10;    ///< bytes kept of what it prints
    int thread_limit = 256;                              ///< at a time
    std::vector<int> keep_fds{}; ///< left open, such as the memory that holds the code to load
    sandbox_policy sandbox{};    ///< what it may do
    /// Called in the worker once the cell exists, before the wait for its end.
    std::function<void()> started{};
};

/// The inside of a cell, as its function sees it.
class cell {
public:
    /// To be called when everything is loaded: from here on no file can be opened (under a
    /// sanitizer: only read) and no memory becomes executable.
    void forbid_loading() const;
    /// A text of at most 4096 bytes for `cell_outcome::message`; the last one counts.
    void report(std::string_view text) const;

private:
    friend class process_detail::cell_maker;
    cell(process_detail::cell_page& page, bool confined, bool shadow)
        : page_(&page), confined_(confined), shadow_(shadow) {}

    process_detail::cell_page* page_;
    bool confined_, shadow_;
};

/// A stack for signal handlers, so that a stack overflow in a thread can be told from other faults.
/// The first thread of a cell has one; each further thread makes its own.
class cell_signal_stack {
public:
    cell_signal_stack();
    ~cell_signal_stack();
    cell_signal_stack(cell_signal_stack const&) = delete;
    cell_signal_stack& operator=(cell_signal_stack const&) = delete;

private:
    stack_t stack_{}, before_{};
    bool active_ = false;
};

namespace process_detail {

/// A reference to what runs in a cell.
struct cell_function {
    void* object;
    int (*call)(void* object, cell const& inside);
};

[[nodiscard]] result<cell_outcome> run_cell(cell_options const& options, cell_function function);

} // namespace process_detail

/// Runs `function(cell)` in a fork of this worker that can do nothing but compute: it has no
/// descriptor but its output and `keep_fds`, a seccomp filter, no file system, no network, no
/// processes; what it writes to shared memory mappings (made before) is all that remains of it.
/// Load untrusted code inside, not before: a constructor attribute runs when it is loaded.
///
/// Only for services, i.e. in a worker; `function` must not rely on other threads of it. Errors:
/// `lkt.cell.not-in-worker`, `lkt.sandbox.unavailable`, `lkt.cell.start`. Costs a fork, some 0.5
/// ms.
template <std::invocable<cell const&> F>
    requires std::convertible_to<std::invoke_result_t<F&, cell const&>, int>
[[nodiscard]] result<cell_outcome> run_cell(cell_options const& options, F&& function) {
    auto call = [&](cell const& inside) -> int { return function(inside); };
    return process_detail::run_cell(options, {&call, [](void* f, cell const& inside) {
                                                  return (*static_cast<decltype(call)*>(f))(inside);
                                              }});
}

} // namespace lkt
