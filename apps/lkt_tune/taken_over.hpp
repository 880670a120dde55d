// SPDX-License-Identifier: BSL-1.0
// What a saved run brings along when it goes on. Its folder may come from somebody else, who must
// not decide what is done with this user's rights, files, keys and money.
#pragma once

#include <lkt/core/result.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace lkt_tune {

/// Options that name a file or folder which a run writes, or keeps something in.
inline constexpr std::string_view places[] = {
    "report", "json", "trace", "output", "record", "prices", "cache", "store", "device-queue"};

/// What only this user can make on this machine from these texts: it takes the user's key, a file
/// that is made where there is none (`$XDG_STATE_HOME/lkt/key`, `~/.local/state/lkt/key`). Empty:
/// there can be no such file.
[[nodiscard]] std::string mark_of(std::initializer_list<std::string_view> texts);

/// Words that a run was begun with, and whether their mark says that it was begun here.
struct saved_words {
    std::vector<std::string> words;
    bool own = false;
};

/// Those that hold for a run which goes on with the words `given`; says which do not, unless they
/// are given again. Nothing that runs a file with the user's rights is taken over; of a run of
/// somebody else also nothing that writes files or asks models. Errors: usage where somebody else's
/// run is for writing a file, or words name a file of options (saved words have these options).
[[nodiscard]] lkt::result<std::vector<std::string>>
taken_over(saved_words saved, std::vector<std::string> const& given);

} // namespace lkt_tune
