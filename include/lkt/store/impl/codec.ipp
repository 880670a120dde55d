// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/codec.hpp>

namespace lkt::detail {

error no_such_value(byte_reader const& r, std::string_view type) {
    std::string what = "the bytes are not a value of " + std::string(type) + ": ";
    what += r.good() ? std::to_string(r.left()) + " of them are left over"
                     : std::string(r.why()) + ", at byte " + std::to_string(r.fault());
    return {condition::rejected, "lkt.journal.value", std::move(what), {}};
}

} // namespace lkt::detail

namespace lkt {

void value_codec<expression>::write(byte_writer& w, expression const& e) { w.text(e.text()); }

void value_codec<expression>::read(byte_reader& r, expression& e) {
    auto const text = r.text();
    if (!r.good()) return;
    auto parsed = expression::parse(text);
    if (!parsed) return r.fail("a text is not an expression");
    e = std::move(*parsed);
}

std::uint64_t value_codec<expression>::shape() { return shape_of<std::string>(); }

} // namespace lkt
