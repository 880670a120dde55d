// SPDX-License-Identifier: BSL-1.0
// Arrays in NumPy's files, which scripts and recordings hand over.
#include "support/property.hpp"

#include <lkt/verify/npy.hpp>

#include <algorithm>
#include <span>

namespace {

using lkt_fuzz::require;

/// The elements that a shape stands for; a shape with a 0 has none, however large the rest.
std::uint64_t elements_of(lkt::npy_array const& array) {
    std::uint64_t count = 1;
    if (std::find(array.shape.begin(), array.shape.end(), 0U) != array.shape.end()) return 0;
    for (std::uint64_t const extent : array.shape) count *= extent;
    return count;
}

void check_array(lkt::npy_array const& array, std::size_t file_bytes) {
    require(array.type != lkt::scalar_type::bfloat16, "NumPy has no bfloat16");
    require(array.bytes.size() <= file_bytes, "an array is no larger than its file");
    require(array.bytes.size() % lkt::size_of(array.type) == 0, "elements are whole");
    require(array.count() == elements_of(array), "as many elements as the shape says");
    if (array.type == lkt::scalar_type::boolean)
        for (std::byte const value : array.bytes)
            require(value <= std::byte{1}, "a bool is 0 or 1");
}

} // namespace

lkt_fuzz::target const here("npy", [](std::uint8_t const* data, std::size_t size) {
    auto const file = std::as_bytes(std::span(data, size));
    auto rest = file;
    auto const first = lkt::take_npy(rest);
    auto const whole = lkt::parse_npy(file);
    if (!first) {
        lkt_fuzz::require_error(first.error());
        require(first.error().code == "lkt.verify.npy", "the code is documented");
        require(rest.size() == size, "nothing is taken after an error");
        require(!whole, "a file without a first array is no array");
        return 0;
    }
    check_array(*first, size);
    require(rest.size() < size, "something was taken");
    require(whole.has_value() == rest.empty(), "one array is one file");
    if (whole)
        require(*whole == *first, "two doors, one answer");
    else
        lkt_fuzz::require_error(whole.error());

    // What is written reads back as the same, alone and before others.
    std::string text;
    lkt::append_npy(text, first->type, first->shape, first->bytes);
    std::size_t const one = text.size();
    auto const again = lkt::parse_npy(std::as_bytes(std::span(text)));
    require(again.has_value() && *again == *first, "what is written reads back as the same", text);
    lkt::append_npy(text, first->type, first->shape, first->bytes);
    auto both = std::as_bytes(std::span(text));
    auto const taken = lkt::take_npy(both);
    require(taken.has_value() && *taken == *first, "the first of two reads back", text);
    require(both.size() == text.size() - one, "the second of two is left", text);
    return 0;
});
