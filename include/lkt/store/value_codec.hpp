// SPDX-License-Identifier: BSL-1.0
// How a type says how it is written, without what it takes to write anything.
#pragma once

#include <lkt/lang/expression/expression.hpp>
#include <lkt/store/bytes.hpp>

#include <cstdint>

namespace lkt {

/// Specialise this for a type that cannot be encoded member by member:
/// \li `static void write(byte_writer&, T const&)`
/// \li `static void read(byte_reader&, T&)`, which calls `fail` for bytes that are not a T
/// \li `static std::uint64_t shape()`: a number that changes whenever the meaning of the bytes
///     changes
template <class T>
struct value_codec;

/// For a struct whose members are written and read in one file of a program instead of in each that
/// journals it. Beside the struct: `template <> struct lkt::value_codec<mine> :
/// lkt::compiled_codec<mine> {};` and `extern template struct lkt::compiled_codec<mine>;`; in one
/// file, after <lkt/store/codec.hpp>: `template struct lkt::compiled_codec<mine>;`.
template <class T>
struct compiled_codec {
    static void write(byte_writer& w, T const& value);
    static void read(byte_reader& r, T& value);
    static std::uint64_t shape();
};

/// An expression is its text.
template <>
struct value_codec<expression> {
    static void write(byte_writer& w, expression const& e);
    static void read(byte_reader& r, expression& e);
    static std::uint64_t shape();
};

} // namespace lkt
