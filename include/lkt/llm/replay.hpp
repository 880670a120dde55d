// SPDX-License-Identifier: BSL-1.0
// A chat model that answers from a cassette.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/cassette.hpp>
#include <lkt/llm/chat_model.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace lkt {

/// How a cassette answers.
struct replay_options {
    std::optional<replay_match> match{}; ///< absent: what the cassette's header says
    /// In order: so many replies are passed over, which an earlier session of the run was given.
    std::uint64_t given_before = 0;
};

/// Answers from a cassette, errors included, without any delay.
/// \li exact: a request gets the reply to the recorded request that equals it; equal requests get
///     theirs in the order of recording. Errors (unavailable): `lkt.replay.unknown-request`, which
///     shows the nearest recorded one; `lkt.replay.used-up`, all replies to it have been given.
/// \li in order: the n-th request gets the n-th reply, provided that it contains the texts that the
///     exchange expects. Errors (unavailable): `lkt.replay.unexpected`, `lkt.replay.used-up`. With
///     several threads the order depends on them, so the replies are not reproducible.
///
/// A cassette that cannot be used returns its error at each call; `defect` returns it beforehand.
/// Copies share the state of the replay.
class replay_model {
public:
    explicit replay_model(std::string const& path, replay_options options = {});
    explicit replay_model(result<cassette> tape, replay_options options = {});

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context);

    /// Why the cassette cannot be used.
    [[nodiscard]] std::optional<error> const& defect() const;
    [[nodiscard]] cassette_header const& header() const;
    [[nodiscard]] replay_match match() const;
    /// Replies given so far, and those that are left.
    [[nodiscard]] std::size_t given() const;
    [[nodiscard]] std::size_t left() const;
    /// How many of the given replies answered another request when they were recorded, or one that
    /// the cassette does not tell. Never other than 0 with an exact match.
    [[nodiscard]] std::size_t deviations() const;
    /// For reports: `recorded replies of NAME`, `replies written by hand`; with what a replay in
    /// order did not compare.
    [[nodiscard]] std::string description() const;

private:
    struct player;
    std::shared_ptr<player> player_;
};

} // namespace lkt
