// SPDX-License-Identifier: BSL-1.0
// What can be asked about a compiled kernel, and how it is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lkt {

/// A counter of the device that may be asked for by its name.
struct offered_counter {
    std::string name;    ///< `dram_read_bytes`
    std::string unit;    ///< `bytes`, `%`, `instructions of a thread`
    std::string meaning; ///< in a few words; may be empty
    friend bool operator==(offered_counter const&, offered_counter const&) = default;
};

/// What a back end can tell of a kernel besides its time. Each text says what an answer holds, in
/// the words that a model reads; what is empty is not offered.
struct evidence_offer {
    std::string compiler{}; ///< what the compiler did: `registers and spills of a thread`
    std::string code{};     ///< the machine code: `SASS, by nvdisasm`
    std::string stalls{};   ///< what threads waited for, by line of the text
    std::vector<offered_counter> counters{};

    [[nodiscard]] bool empty() const {
        return compiler.empty() && code.empty() && stalls.empty() && counters.empty();
    }
    friend bool operator==(evidence_offer const&, evidence_offer const&) = default;
};

/// What a question to a back end is about.
enum class evidence_kind : unsigned char { compiler, code, stalls, counters };

/// One question about a compiled kernel. Only what the kind names counts.
struct evidence_question {
    evidence_kind what = evidence_kind::compiler;
    std::int64_t line = 0; ///< code: that belongs to this line of the text and those beside it;
                           ///< 0: to any
    std::string
        containing{}; ///< code: instructions that contain this, whatever the case; empty: any
    std::vector<std::string> counters{}; ///< names, as offered
    friend bool operator==(evidence_question const&, evidence_question const&) = default;
};

/// How many lines an answer of a back end has at most.
inline constexpr std::size_t evidence_lines = 80;

} // namespace lkt
