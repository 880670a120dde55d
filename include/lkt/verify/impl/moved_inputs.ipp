// SPDX-License-Identifier: BSL-1.0
// Inputs that are next to those of a test.
#pragma once

#include <lkt/verify/detail/conditioning.hpp>
#include <lkt/verify/sound_tests.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/detail/chunks.hpp>
#include <lkt/verify/detail/expecting.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/random.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace lkt {

namespace detail::soundness {

/// The floating type of which a unit in the last place is what rounding makes of an input.
scalar_type moving_type(problem const& task) {
    auto const wide = [](argument const& a) { return a.type.scalar == scalar_type::float64; };
    auto const& all = task.signature.arguments;
    return std::any_of(all.begin(), all.end(), wide) ? scalar_type::float64 : scalar_type::float32;
}

bool moves(problem const& task, test_case const& test, std::size_t argument) {
    return task.flow(argument) != direction::out && !task.arguments[argument].scratch &&
           test.arguments[argument].type.scalar == moving_type(task) &&
           (!test.arguments[argument].buffer || fair_values(task.signature.arguments[argument],
                                                            task.arguments[argument],
                                                            scope_of(test.size, {})));
}

/// The largest finite number among those that move.
template <class Real>
Real largest_of(problem const& task, test_case const& test) {
    Real largest = 0;
    for (std::size_t k = 0; k < test.arguments.size(); ++k) {
        if (moves(task, test, k))
            largest = std::max(largest, static_cast<Real>(largest_magnitude(test.arguments[k])));
    }
    return largest;
}

/// In which direction each lane goes, and how far.
class drawn_moves {
public:
    drawn_moves(moving_style const& how, random_stream const& stream)
        : how_(how), stream_(stream) {}

    struct move {
        bool up = false;
        std::uint64_t times = 1;
    };
    /// Lanes are asked in their order. `number` has the bits of what is there.
    [[nodiscard]] move operator()(std::size_t lane, std::uint64_t number) {
        if (how_.equals_alike) {
            auto const drawn = stream_.block(number);
            return {((drawn[0] & 1) != 0) != how_.reversed, 1 + below(how_.farthest, drawn[1])};
        }
        if (lane / 64 != next_) next_ = lane / 64, directions_ = stream_.bits(next_);
        move m{(directions_ >> lane % 64 & 1) != how_.reversed};
        if (how_.farthest > 1) m.times += below(how_.farthest, stream_.bits(distances + lane));
        return m;
    }

private:
    /// Where the stream's numbers begin that say how far.
    static constexpr std::uint64_t distances = std::uint64_t{1} << 40;

    moving_style how_;
    random_stream stream_;
    std::size_t next_ = ~std::size_t{0};
    std::uint64_t directions_ = 0; // of 64 lanes
};

/// All lanes by the same, zeros, too.
template <class Real, class Bits>
void move_alike(argument_data& data, Real step, value_bounds within, drawn_moves ways) {
    for (std::size_t lane = 0; lane < data.lanes(); ++lane) {
        Real const value = data.lane<Real>(lane);
        Bits bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        auto const go = ways(lane, bits);
        if (!std::isfinite(value)) continue;
        // At an end of the domain there is one way only.
        for (bool const up : {go.up, !go.up}) {
            Real const by = step * static_cast<Real>(go.times);
            Real const moved = up ? value + by : value - by;
            if (!std::isfinite(moved) || !within.holds(static_cast<double>(moved))) continue;
            std::memcpy(data.bytes.data() + lane * sizeof moved, &moved, sizeof moved);
            break;
        }
    }
}

/// Lanes of `Real`, whose bits as a `Bits` are a sign and, below it, a magnitude that grows with
/// the number's.
template <class Real, class Bits>
void move_lanes(argument_data& data,
                std::uint64_t units,
                value_bounds within,
                drawn_moves const& all) {
    constexpr Bits magnitude = static_cast<Bits>(~Bits{0}) >> 1;
    auto const some = [&](std::size_t, std::size_t first, std::size_t last) noexcept {
        drawn_moves ways = all;
        for (std::size_t lane = first; lane < last; ++lane) {
            std::byte* const place = data.bytes.data() + lane * sizeof(Bits);
            Bits bits = 0;
            std::memcpy(&bits, place, sizeof bits);
            auto const go = ways(lane, bits);
            std::uint64_t const far = units * go.times;
            if ((bits & magnitude) <= far) continue; // 0, or next to it
            // From the largest number, and from an end of the domain, there is one way only; from
            // NaN and infinity none.
            if (!std::isfinite(data.lane<Real>(lane))) continue;
            for (bool const up : {go.up, !go.up}) {
                auto const there = static_cast<Bits>(up ? bits + far : bits - far);
                Real moved = 0;
                std::memcpy(&moved, &there, sizeof moved);
                if (!std::isfinite(moved) || !within.holds(static_cast<double>(moved))) continue;
                std::memcpy(place, &there, sizeof there);
                break;
            }
        }
    };
    (void)for_each_chunk(data.lanes(), threads_for(data.lanes()), {}, some); // nobody stops it
}

template <class Real, class Bits>
test_case moved_in(problem const& task,
                   test_case const& test,
                   std::uint64_t units,
                   std::uint64_t seed,
                   std::uint32_t t,
                   moving_style const& how) {
    test_case moved = test;
    Real step = 0;
    if (how.unit == unit_of::largest) {
        Real const largest = largest_of<Real>(task, test);
        step = (largest - std::nextafter(largest, Real{0})) * static_cast<Real>(units);
    }
    for (std::size_t k = 0; k < moved.arguments.size(); ++k) {
        if (!moves(task, test, k)) continue;
        // Neither generators nor the oracle use the upper quarter of the test numbers. What is
        // equal may be in two arguments.
        std::uint32_t const of =
            how.equals_alike ? ~std::uint32_t{0} : static_cast<std::uint32_t>(k);
        drawn_moves const ways(how, {seed, 0xc0000000u + t, of});
        value_bounds const within = bounds_of(task.arguments[k]);
        if (how.unit == unit_of::largest)
            move_alike<Real, Bits>(moved.arguments[k], step, within, ways);
        else
            move_lanes<Real, Bits>(moved.arguments[k], units, within, ways);
    }
    return moved;
}

test_case moved_wide(problem const& task,
                     test_case const& test,
                     std::uint64_t units,
                     std::uint64_t seed,
                     std::uint32_t t,
                     moving_style const& how) {
    return moved_in<double, std::uint64_t>(task, test, units, seed, t, how);
}

} // namespace detail::soundness

std::uint32_t units_to_move(problem const& task, prepared_test const& test) {
    double terms = 1;
    for (argument_data const& output : test.expected)
        terms =
            std::max(terms, reduction_length(task, test.test, static_cast<double>(output.lanes())));
    return static_cast<std::uint32_t>(std::min(std::sqrt(terms), 0x1p12));
}

test_case moved_by_units(problem const& task,
                         test_case const& test,
                         std::uint32_t units,
                         std::uint64_t seed,
                         std::uint32_t t,
                         moving_style how) {
    using namespace detail::soundness;
    return moving_type(task) == scalar_type::float64
               ? moved_wide(task, test, units, seed, t, how)
               : moved_in<float, std::uint32_t>(task, test, units, seed, t, how);
}

} // namespace lkt
