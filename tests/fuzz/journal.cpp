// SPDX-License-Identifier: BSL-1.0
// Journals from anywhere. The first byte chooses: the rest is a file as it is; records that are
// framed as lkt would; a State; a cursor.
#include "support/property.hpp"

#include <lkt/nodes/tuning_state.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/codec.hpp>
#include <lkt/store/detail/record.hpp>
#include <lkt/store/journal.hpp>
#include <lkt/store/journal_memory.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/repeated.hpp>
#include <lkt/tuner/pipeline.hpp>
#include <lkt/version.hpp>

#include <string>

namespace {

using lkt_fuzz::require;
using strategy = lkt::tuning_pipeline<lkt::repeated<lkt::one_prompt<>>>;

void read_journal(std::string bytes, std::string_view input) {
    lkt::journal_memory sink{std::move(bytes)};
    auto const size = sink.bytes.size();
    auto journal = lkt::journal::over(sink);
    if (!journal) {
        require(sink.bytes.size() == size, "what is refused is left as it is", input);
        return;
    }
    require(sink.bytes.size() <= size, "a torn tail makes it shorter", input);
    strategy::state state;
    lkt::cursor<strategy> at;
    if (auto const resumed = lkt::resume<strategy>(*journal, state, at); resumed && *resumed)
        require(at.valid(), "a cursor that is given is at a node", input);
    auto parts = journal->saved();
    parts.resize(2, "new");
    require(journal->save(parts).has_value(), "what is read can be gone on with", input);
    auto again = lkt::journal::over(sink);
    require(again && again->notes().empty(), "what was cut is whole", input);
}

/// Kind and length of each record before its payload.
std::string framed(std::string_view input) {
    using namespace lkt::detail;
    std::string header;
    lkt::byte_writer w(header);
    w.number(journal_format);
    w.text(lkt::version);
    std::string file(journal_magic);
    file += lkt::detail::framed(record_kind::header, header, file.size());
    while (input.size() >= 2) {
        auto const kind = static_cast<unsigned char>(input[0]) % (last_record_kind + 1);
        auto const length = std::size_t{static_cast<unsigned char>(input[1])};
        auto const payload = input.substr(2, length);
        input.remove_prefix(2 + payload.size());
        file += lkt::detail::framed(static_cast<record_kind>(kind), payload, file.size());
    }
    return file;
}

template <class T>
void read_value(std::string_view bytes) {
    T value{};
    if (!lkt::decode(bytes, value)) return;
    auto const written = lkt::encoded(value);
    T again{};
    require(lkt::decode(written, again).has_value(), "what is written can be read", bytes);
    require(lkt::encoded(again) == written, "what is read is what was written", bytes);
}

} // namespace

lkt_fuzz::target const here("journal", [](std::uint8_t const* data, std::size_t size) {
    if (size < 1) return 0;
    std::string_view const input(reinterpret_cast<char const*>(data) + 1, size - 1);
    switch (data[0] % 4) {
    case 0:
        read_journal(std::string(input), input);
        break;
    case 1:
        read_journal(framed(input), input);
        break;
    case 2:
        read_value<strategy::state>(input);
        break;
    default:
        read_value<lkt::cursor<strategy>>(input);
    }
    return 0;
});
