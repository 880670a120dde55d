// SPDX-License-Identifier: BSL-1.0
// Records: `length, kind, check of these and of the place, payload, check of the payload`.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/store/bytes.hpp>
#include <lkt/store/detail/checksum.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail {

inline constexpr std::string_view journal_magic = "lkt journal\n";
inline constexpr std::uint32_t journal_format = 1;

enum class record_kind : unsigned char {
    header,   ///< format, version of lkt
    identity, ///< graph, layout
    snapshot, ///< all parts
    delta,    ///< parts that changed
    reply,    ///< request, reply
    forget,   ///< the replies so far are used up
    fact,     ///< name, value
    result,   ///< of a part of the interrupted node
};
inline constexpr auto last_record_kind = static_cast<unsigned char>(record_kind::result);

struct record {
    record_kind kind = record_kind::header;
    std::string_view payload;
    std::uint64_t at = 0; ///< where it begins
};

/// The bytes of a record at offset `at`. The payload is shorter than 4 GiB.
[[nodiscard]] std::string framed(record_kind kind, std::string_view payload, std::uint64_t at);

/// Reads one record after the other.
class record_reader {
public:
    explicit record_reader(std::string_view file) : file_(file) {}

    /// The next one; nothing at the end, be it torn or not. Errors: `lkt.journal.damaged`.
    [[nodiscard]] result<std::optional<record>> next();
    [[nodiscard]] std::uint64_t at() const { return at_; }
    /// Bytes of a last record that was not written to its end.
    [[nodiscard]] std::uint64_t torn() const { return torn_; }
    void skip(std::size_t bytes) { at_ += bytes; }

private:
    [[nodiscard]] error damaged(char const* what) const;
    [[nodiscard]] std::optional<record> end_here();

    std::string_view file_;
    std::uint64_t at_ = 0, torn_ = 0;
};

} // namespace lkt::detail
