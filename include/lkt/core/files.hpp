// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lkt {

/// Default of the most bytes that are read from a file that should be text.
inline constexpr std::size_t max_text_file_bytes = std::size_t{64} << 20;

/// The whole of a file or pipe, but for the mark that editors put before UTF-8 (EF BB BF). Errors:
/// `lkt.file.missing` (unavailable); rejected: `lkt.file.read` (a folder, a device, no permission),
/// `lkt.file.large` (more than `limit` bytes).
[[nodiscard]] result<std::string> read_text_file(std::string const& path,
                                                 std::size_t limit = max_text_file_bytes);

/// Replaces or creates `path` atomically: readers see the old text or the new one, even if the
/// writer is killed. The text first goes to a hidden file beside it, and is flushed before the
/// rename. A pipe or device is written to directly; a link keeps its target. Errors:
/// `lkt.file.full` (exhausted: disk, quota, file size limit), `lkt.file.write` (rejected).
[[nodiscard]] std::optional<error> write_text_file(std::string const& path, std::string_view text);

/// Whether `write_text_file` has a chance, for asking before hours of work. Tries it out with an
/// empty hidden file, so it leaves the file itself alone.
[[nodiscard]] std::optional<error> check_writable(std::string const& path);

} // namespace lkt
