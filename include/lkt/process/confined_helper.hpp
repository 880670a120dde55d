// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/sandbox.hpp>
#include <lkt/process/unique_fd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace lkt {

/// What a compiler that is a library may do once it reads texts.
struct helper_plan {
    std::vector<std::string> readable{}; ///< files and folders
    std::string writable{};              ///< a folder in which it makes plain files; empty: none
    bool folders = false;                ///< there it makes and removes folders, too
    std::uint64_t memory_limit = 0;      ///< bytes of address space; 0: none
    bool unconfined_allowed = false;     ///< where the kernel cannot keep it from other files
    process_detail::kernel_lack lack = process_detail::kernel_lack::nothing;
};

/// A fork of a worker, confined for good before it sees a request: no sockets, no processes, no
/// execution, no files but those of its plan, no environment. For services whose work is done by a
/// library that reads untrusted texts. Used in a worker only, by one thread.
class confined_helper {
public:
    /// Called in it before it is confined: loads libraries.
    using prepare_fn = result<void> (*)(std::string_view what);
    /// Called in it for each request.
    using answer_fn = result<std::string> (*)(std::string_view request);

    /// Starts it, unless it runs. Errors: those of `prepare`; `lkt.sandbox.unavailable`,
    /// `lkt.sandbox.failed`, `lkt.helper.*`.
    [[nodiscard]] result<void>
    start(helper_plan const& plan, std::string_view what, prepare_fn prepare, answer_fn answer);

    /// Its answer, or the error that `answer` returned. When it dies, this worker dies in the same
    /// way, so that the worker's client learns how.
    [[nodiscard]] result<std::string> ask(std::string_view request);

    [[nodiscard]] file_wall behind() const { return behind_; }

private:
    [[nodiscard]] result<std::string> receive();

    unique_fd channel_;
    pid_t pid_ = -1;
    file_wall behind_ = file_wall::none;
};

} // namespace lkt
