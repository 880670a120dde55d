// SPDX-License-Identifier: BSL-1.0
// What both kinds of traces need: a file that never ends a run, and events as JSON. Whoever
// includes it pays for Boost.JSON.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/graph/observe.hpp>
#include <lkt/nodes/progress_event.hpp>

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail {

/// Written through to the system with each text, so that all of them are there when the process is
/// killed. The first failure is remembered, and nothing is written after it.
class trace_file {
public:
    /// Makes the file or, unless `go_on`, empties it. Errors: those of `write_text_file`.
    [[nodiscard]] static result<trace_file> open(std::string const& path, bool go_on);
    trace_file(trace_file&& other) noexcept;
    trace_file& operator=(trace_file&&) = delete;
    ~trace_file();

    void write(std::string_view text);
    /// What an earlier session wrote.
    [[nodiscard]] std::string text();
    /// What is written next follows the first `size` bytes, and nothing else does.
    void cut(std::size_t size);
    [[nodiscard]] std::optional<error> const& trouble() const { return trouble_; }

private:
    trace_file(std::string path, int descriptor);

    std::string path_;
    int descriptor_;
    std::optional<error> trouble_;
};

/// `{condition, code, message}`.
[[nodiscard]] boost::json::object trace_json(error const& e);
/// What an exit says beside where it was; the same of a retry and of a progress event.
[[nodiscard]] boost::json::object trace_json(node_exit const& x);
[[nodiscard]] boost::json::object trace_json(retry_event const& r);
[[nodiscard]] boost::json::object trace_json(progress_event const& e);

/// The steady clock, where no other is given.
[[nodiscard]] std::function<seconds()> trace_clock(std::function<seconds()> given);

[[nodiscard]] std::int64_t microseconds(seconds t);

} // namespace lkt::detail
