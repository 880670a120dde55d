// SPDX-License-Identifier: BSL-1.0
// One operation of a batch: a run of this program, its log, and what came of it.
#pragma once

#include "batch_plan.hpp"

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

namespace lkt_tune {

/// What is known of an operation: of this session, or of an earlier one, as its folder says.
struct operation_end {
    int status = -1;       ///< of the program; -1: it has not ended yet
    bool finished = false; ///< to resume it would change nothing
    std::string message;   ///< what it complained of; may be empty
    lkt::seconds time{};   ///< of all sessions
    double speedup = 0;
    std::int64_t calls = 0;
    std::optional<double> usd;
    bool stored = false; ///< its kernel is from the store

    [[nodiscard]] bool has_kernel() const;
};

/// As the folder of an operation says it.
[[nodiscard]] operation_end end_in(std::string const& folder);
[[nodiscard]] boost::json::object to_json(operation_end const& end);
/// Writes it there. Errors: those of `write_text_file`.
[[nodiscard]] std::optional<lkt::error> write_end(std::string const& folder,
                                                  operation_end const& end);

/// A started program. It ends with this one, however this one ends.
class batch_child {
public:
    /// Its output goes to `log.txt` in `folder`, after what is there. Errors: `lkt.tune.start`.
    [[nodiscard]] static lkt::result<batch_child> start(batch_plan::start const& what,
                                                        std::string const& folder);

    /// Its status, once it has ended; 128 and the signal if it was killed.
    [[nodiscard]] std::optional<int> ended();
    /// As Ctrl-C does.
    void interrupt() const;
    /// The last whole line that it has said.
    [[nodiscard]] std::string last_line() const;
    /// What came of it; `before`: the time of earlier sessions.
    [[nodiscard]] operation_end outcome(int status, lkt::seconds before) const;

private:
    batch_child(pid_t process, std::string folder, std::uint64_t log_start);
    [[nodiscard]] std::string log() const;

    pid_t process_;
    std::string folder_;
    std::uint64_t log_start_;
    double began_;
};

/// Seconds from any moment.
[[nodiscard]] double seconds_now();

} // namespace lkt_tune
