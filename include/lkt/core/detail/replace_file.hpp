// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace lkt::detail::files {

/// Writes a hidden file beside `path` and renames it. 0, or what went wrong (`errno`); then nothing
/// is left behind. `flush`: it is on the disk, and so is its name, before this returns.
[[nodiscard]] int replace_file(std::string const& path,
                               std::string_view text,
                               bool flush,
                               mode_t created = 0666,
                               std::optional<mode_t> changed = {});

/// Whether this is a name of such a hidden file, for a file with a name that contains `part`.
[[nodiscard]] bool is_hidden_copy(std::string_view name, std::string_view part);

} // namespace lkt::detail::files
