// SPDX-License-Identifier: BSL-1.0
// What an `out` argument holds before a launch.
#pragma once

#include <lkt/core/secret_stream.hpp>
#include <lkt/kernel/value_type.hpp>

#include <cstddef>
#include <span>

namespace lkt {

/// What an `out` argument holds before a launch.
enum class fill_kind : unsigned char {
    noise,        ///< bits of a secret stream
    zeros,        ///< like unused memory
    ones,         ///< the number 1
    nans,         ///< NaNs, each with a payload of its own
    other_test,   ///< what is right for other inputs
    nearly_right, ///< the right values, except some elements, which are noise
};

/// Which kinds a launch may get.
struct fill_choices {
    /// The launch must show every element that is not written: noise.
    bool certain = false;
    bool nans = false;                             ///< the elements are floating-point numbers
    bool other_test = false, nearly_right = false; ///< such contents are available
};

/// The contents of argument `argument` before launch `launch` (warm-ups are -1, -2, ...), drawn
/// from `run`, the key of a run's secrets. Of each ten launches (0 to 9, 10 to 19, ...) five get
/// noise and five the other kinds, in random order; an unavailable kind is replaced by noise.
///
/// An element that the kernel does not write is wrong in a launch on noise, NaNs, ones (except
/// where 1 is right) and nearly right contents (in one of eight elements), and may be right in one
/// on zeros or on another test's outputs. So the first launch of `run_request::keep` must be a
/// `certain` one: a single launch is judged on noise, and a series on noise and on other kinds.
[[nodiscard]] fill_kind
fill_of_launch(secret_key const& run, int launch, std::size_t argument, fill_choices choices);

/// The stream of bytes that belongs to the fill of one argument before one launch.
[[nodiscard]] secret_key fill_key(secret_key const& run, int launch, std::size_t argument);

/// Writes what `fill_of_launch` says. `key` is that of `fill_key`; `like` has the contents that are
/// right, for another test or for this one, and as many bytes as `to`; the other kinds do not look
/// at it. Noise repeats itself after `noise_period` bytes. One element in each eight that are
/// nearly right holds noise.
void write_fill(std::span<std::byte> to,
                fill_kind kind,
                secret_key const& key,
                scalar_type type,
                std::span<std::byte const> like = {});

inline constexpr std::size_t noise_period = std::size_t{256} << 10;

/// Of eight elements that are nearly right, the place of the one that is not.
[[nodiscard]] constexpr unsigned place_of_noise(std::byte drawn) {
    return std::to_integer<unsigned>(drawn) % 8;
}

} // namespace lkt
