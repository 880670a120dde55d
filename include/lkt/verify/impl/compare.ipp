// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/compare.hpp>

#include <lkt/core/units.hpp>
#include <lkt/verify/detail/chunks.hpp>
#include <lkt/verify/detail/drawing.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/within.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

/// How far off a value is that differs too much, NaN counting as infinite; `lane_is_right` where it
/// does not.
constexpr double lane_is_right = -1;
inline double error_of(double expected, double got) {
    double const error = std::fabs(got - expected);
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// Elements that are the same bit by bit are right, so lanes are looked at only in the words of a
/// set whose elements are not all the same. `found` gets each word with its elements, until one for
/// which it returns false.
template <class Found>
void words_that_differ(argument_data const& expected,
                       argument_data const& got,
                       std::size_t first,
                       std::size_t last,
                       Found const& found) {
    std::size_t const one = expected.type.bytes();
    for (; first < last; first += 64) {
        std::size_t const end = std::min(first + 64, last);
        bool const same = std::memcmp(expected.bytes.data() + first * one,
                                      got.bytes.data() + first * one,
                                      (end - first) * one) == 0;
        if (!same && !found(first, end)) return;
    }
}

/// A mark for some of the chunks of the elements.
using chunk_marks = std::vector<unsigned char>;
[[nodiscard]] bool none_of(chunk_marks const& marks) {
    return std::find(marks.begin(), marks.end(), 1) == marks.end();
}

/// Which chunks are not the same bit by bit: that is said as fast as memory is read, and right.
[[nodiscard]] chunk_marks
chunks_that_differ(unsigned threads, argument_data const& expected, argument_data const& got) {
    chunk_marks differ(chunks_in(expected.count()));
    std::size_t const one = expected.type.bytes();
    auto const look = [&](std::size_t chunk, std::size_t first, std::size_t last) noexcept {
        differ[chunk] = std::memcmp(expected.bytes.data() + first * one,
                                    got.bytes.data() + first * one,
                                    (last - first) * one) != 0;
    };
    (void)for_each_chunk(expected.count(), threads, {}, look); // nobody stops it
    return differ;
}

/// Which of the chunks that differ have a wrong element; `any`: one such chunk is enough.
template <class ErrorAt>
[[nodiscard]] chunk_marks wrong_chunks(unsigned threads,
                                       argument_data const& expected,
                                       argument_data const& got,
                                       chunk_marks const& differ,
                                       ErrorAt const& error_at,
                                       bool any) {
    chunk_marks wrong(differ.size());
    std::atomic<bool> enough{false};
    unsigned const lanes = expected.type.lanes;
    auto const look = [&](std::size_t chunk, std::size_t first, std::size_t last) noexcept {
        if (differ[chunk] == 0 || enough.load(std::memory_order_relaxed)) return;
        words_that_differ(expected, got, first, last, [&](std::size_t k, std::size_t end) {
            for (std::size_t lane = k * lanes; lane < end * lanes; ++lane)
                if (error_at(lane) != lane_is_right) wrong[chunk] = 1;
            return wrong[chunk] == 0;
        });
        if (any && wrong[chunk] != 0) enough.store(true, std::memory_order_relaxed);
    };
    (void)for_each_chunk(expected.count(), threads, {}, look); // nobody stops it
    return wrong;
}

/// What is wrong in some of the elements.
struct wrong_part {
    std::uint64_t count = 0, first = 0, worst = 0;
    double worst_error = -1;

    void add(std::uint64_t element, double error, bool another) {
        if (another && count++ == 0) first = element;
        if (error > worst_error) worst_error = error, worst = element;
    }
    wrong_part& operator+=(wrong_part const& o) { // of later elements
        if (count == 0) first = o.first;
        count += o.count;
        if (o.worst_error > worst_error) worst_error = o.worst_error, worst = o.worst;
        return *this;
    }
};

/// `error_at(lane)` of every lane. Nearly every comparison finds all of them right, so that is
/// found out first; only then, where some are wrong, is there a set to mark them in.
template <class ErrorAt>
[[nodiscard]] std::optional<mismatch> compare_lanes(unsigned threads,
                                                    argument_data const& expected,
                                                    argument_data const& got,
                                                    chunk_marks const& differ,
                                                    ErrorAt const& error_at) {
    auto const wrong = wrong_chunks(threads, expected, got, differ, error_at, false);
    if (none_of(wrong)) return std::nullopt;
    static_assert(lanes_in_chunk % element_set::page == 0, "a page lies in one chunk");
    element_set marks(expected.count());
    unsigned const lanes = expected.type.lanes;
    auto const judge = [&](wrong_part& part, std::size_t first, std::size_t last) {
        if (wrong[first / lanes_in_chunk] == 0) return;
        words_that_differ(expected, got, first, last, [&](std::size_t k, std::size_t end) {
            for (; k < end; ++k)
                for (std::size_t lane = k * lanes; lane < (k + 1) * lanes; ++lane)
                    if (double const error = error_at(lane); error != lane_is_right) {
                        part.add(k, error, !marks[k]);
                        marks.mark(k); // no page of which two chunks share
                    }
            return true;
        });
    };
    auto const all = sum_of_chunks<wrong_part>(expected.count(), threads, judge);
    return mismatch{std::move(marks), all.count, all.first, all.worst, all.worst_error, {}};
}

/// What `f` makes of the function that `compare_lanes` needs.
template <class F>
auto with_errors(argument_data const& expected,
                 argument_data const& got,
                 tolerance bound,
                 bool nonfinite,
                 F const& f) {
    scalar_type const t = expected.type.scalar;
    auto const reals = [&](auto read) {
        return f([&expected, &got, bound, nonfinite, read](std::size_t lane) {
            double const e = read(expected, lane), g = read(got, lane);
            if (!nonfinite && !std::isfinite(e)) return lane_is_right;
            return element_within(bound, e, g) ? lane_is_right : error_of(e, g);
        });
    };
    if (is_floating(t)) return with_reader(t, reals);
    // Integers without a bound are exact; a difference in the 64th bit must not depend on doubles.
    bool const exact = bound == tolerance{};
    auto const integers = [&](auto bits) {
        return f([&expected, &got, bound, exact](std::size_t lane) {
            using bits_t = decltype(bits);
            if (expected.lane<bits_t>(lane) == got.lane<bits_t>(lane)) return lane_is_right;
            double const e = lane_as_double(expected, lane), g = lane_as_double(got, lane);
            return !exact && element_within(bound, e, g) ? lane_is_right : error_of(e, g);
        });
    };
    if (is_half_byte(t))
        return reals([](argument_data const& data, std::size_t lane) {
            return static_cast<double>(half_byte(data, lane));
        });
    std::size_t const size = size_of(t);
    if (size == 1) return integers(std::uint8_t{});
    if (size == 2) return integers(std::uint16_t{});
    if (size == 4) return integers(std::uint32_t{});
    return integers(std::uint64_t{});
}

/// The wrong elements of the chunks that differ.
std::optional<mismatch> mismatch_among(unsigned threads,
                                       argument_data const& expected,
                                       argument_data const& got,
                                       chunk_marks const& differ,
                                       tolerance bound,
                                       bool nonfinite) {
    return with_errors(expected, got, bound, nonfinite, [&](auto const& error_at) {
        return compare_lanes(threads, expected, got, differ, error_at);
    });
}

std::optional<mismatch> mismatch_on_threads(unsigned threads,
                                            argument_data const& expected,
                                            argument_data const& got,
                                            tolerance bound,
                                            bool nonfinite) {
    return mismatch_among(
        threads, expected, got, chunks_that_differ(threads, expected, got), bound, nonfinite);
}

bool differs(argument_data const& expected, argument_data const& got, tolerance bound) {
    unsigned const threads = threads_for(expected.lanes());
    auto const differ = chunks_that_differ(threads, expected, got);
    return with_errors(expected, got, bound, true, [&](auto const& error_at) {
        return !none_of(wrong_chunks(threads, expected, got, differ, error_at, true));
    });
}

/// What the figures of the errors are made of.
struct error_sums {
    double expected = 0, expected_squares = 0, errors = 0, squares = 0, products = 0;
    std::uint64_t lanes = 0;

    error_sums& operator+=(error_sums const& o) {
        expected += o.expected;
        expected_squares += o.expected_squares;
        errors += o.errors;
        squares += o.squares;
        products += o.products;
        lanes += o.lanes;
        return *this;
    }
};
struct distances {
    double largest = 0, sum = 0;
    std::uint64_t lanes = 0;

    distances& operator+=(distances const& o) {
        largest = std::max(largest, o.largest);
        sum += o.sum;
        lanes += o.lanes;
        return *this;
    }
};
/// Whether so few elements are wrong that the share covers them; a NaN is no jump.
bool excused(mismatch const& m,
             argument_data const& expected,
             argument_data const& got,
             double share) {
    if (static_cast<double>(m.count) > share * static_cast<double>(m.wrong.size())) return false;
    unsigned const lanes = expected.type.lanes;
    return m.wrong.all_of([&](std::uint64_t k) {
        for (std::size_t lane = k * lanes; lane < (k + 1) * lanes; ++lane)
            if (std::isnan(lane_as_double(got, lane)) &&
                !std::isnan(lane_as_double(expected, lane)))
                return false;
        return true;
    });
}

std::optional<whole_error> error_as_a_whole(argument_data const& expected,
                                            error_figures const& f,
                                            error_limits const& limits) {
    constexpr std::size_t enough =
        64; // few errors need not cancel, nor one that many elements have
    constexpr std::size_t most = 1024;
    constexpr double alike = 0x1p-10; // nor do those of sums of the same terms
    // Below the smallest normal number digits are lost: there errors are parts of that.
    double const part = std::min(1.0, f.scale / smallest_normal(expected.type.scalar));
    double const bias = part * std::max(std::fabs(f.mean), std::fabs(f.factor));
    double const rms = part * f.rms;
    bool const by_rms = rms > limits.rms;
    if ((!by_rms && !(bias > limits.bias)) || f.lanes < enough || !(f.scale > 0) ||
        f.spread < alike)
        return std::nullopt;
    std::set<double> values;
    for (std::size_t lane = 0; lane < expected.lanes() && values.size() < most; ++lane)
        if (double const e = lane_as_double(expected, lane); std::isfinite(e)) values.insert(e);
    if (values.size() < enough) return std::nullopt;
    if (by_rms) return whole_error{true, rms};
    // The mean of so many errors without a common direction.
    double const chance = 4 * rms / std::sqrt(static_cast<double>(values.size()));
    return bias > chance ? std::optional(whole_error{false, bias}) : std::nullopt;
}

/// Elements that are right one by one, judged together.
std::optional<mismatch> wrong_as_a_whole(argument_data const& expected,
                                         argument_data const& got,
                                         chunk_marks const& differ,
                                         error_limits const& limits) {
    error_figures const f = figures_of(expected, got);
    auto const broken = error_as_a_whole(expected, f, limits);
    if (!broken) return std::nullopt;
    bool const by_rms = broken->by_rms;
    // Marked are those beyond the limit; the worst alone, where none is.
    auto const beyond = [&](double limit) {
        return with_reader(expected.type.scalar, [&](auto read) {
            auto const error_at = [&](std::size_t lane) {
                double const error = std::fabs(read(got, lane) - read(expected, lane));
                return error > limit ? error : lane_is_right;
            };
            return compare_lanes(threads_for(expected.lanes()), expected, got, differ, error_at);
        });
    };
    auto found = beyond((by_rms ? limits.rms : limits.bias) * f.scale);
    if (!found) {
        found = beyond(0);
        if (!found) return std::nullopt;
        found->wrong = element_set(expected.count());
        found->wrong.mark(found->worst);
        found->count = 1;
        found->first = found->worst;
    }
    found->whole =
        by_rms ? "no element is far off, but the root mean square of all errors is " +
                     significant(broken->size) + " of that of the expected values, where " +
                     significant(limits.rms) + " is allowed"
               : "no element is far off, but all err in one direction, by " +
                     significant(broken->size) + " of the expected values on average, where " +
                     significant(limits.bias) + " is allowed";
    return found;
}

} // namespace detail

std::optional<mismatch>
find_mismatch(argument_data const& expected, argument_data const& got, tolerance bound) {
    return detail::mismatch_on_threads(detail::threads_for(expected.lanes()), expected, got, bound);
}

output_error distances_of(argument_data const& expected, argument_data const& got) {
    auto const all = detail::with_reader(expected.type.scalar, [&](auto read) {
        auto const part = [&](detail::distances& sum, std::size_t first, std::size_t last) {
            for (std::size_t lane = first; lane < last; ++lane) {
                double const d = std::fabs(read(got, lane) - read(expected, lane));
                if (std::isfinite(d)) sum += {d, d, 1};
            }
        };
        return detail::sum_of_chunks<detail::distances>(
            expected.lanes(), detail::threads_for(expected.lanes()), part);
    });
    output_error e;
    e.largest = all.largest;
    e.values = all.lanes;
    if (e.values > 0) e.mean = all.sum / static_cast<double>(e.values);
    return e;
}

error_figures figures_of(argument_data const& expected, argument_data const& got) {
    auto const sums = [&](auto read_expected, auto read) {
        auto const part = [&](detail::error_sums& sum, std::size_t first, std::size_t last) {
            for (std::size_t lane = first; lane < last; ++lane) {
                double const e = read_expected(expected, lane), d = read(got, lane) - e;
                if (!std::isfinite(d)) continue; // of what is not finite, or beside it
                sum += {e, e * e, d, d * d, d * e, 1};
            }
        };
        return detail::sum_of_chunks<detail::error_sums>(
            expected.lanes(), detail::threads_for(expected.lanes()), part);
    };
    auto const exactly = [](argument_data const& data, std::size_t lane) {
        return data.lane<double>(lane);
    };
    auto const all = detail::with_reader(got.type.scalar, [&](auto read) {
        return expected.type.scalar == got.type.scalar ? sums(read, read) : sums(exactly, read);
    });
    error_figures f;
    f.lanes = all.lanes;
    if (all.lanes == 0) return f;
    auto const n = static_cast<double>(all.lanes);
    f.scale = std::sqrt(all.expected_squares / n);
    if (!(f.scale > 0) || !std::isfinite(f.scale)) return f;
    double const mean = all.expected / n / f.scale;
    f.spread = std::sqrt(std::max(0.0, 1 - mean * mean));
    f.rms = std::sqrt(all.squares / n) / f.scale;
    f.mean = all.errors / n / f.scale;
    f.factor = all.products / all.expected_squares;
    return f;
}

std::optional<mismatch> judge_output(argument_data const& expected,
                                     argument_data const& got,
                                     tolerance bound,
                                     error_limits const& limits) {
    unsigned const threads = detail::threads_for(expected.lanes());
    auto const differ = detail::chunks_that_differ(threads, expected, got);
    // The usual case: no error, so none in sum either.
    if (detail::none_of(differ)) return std::nullopt;
    auto found = detail::mismatch_among(threads, expected, got, differ, bound, limits.nonfinite);
    if (found && bound.share > 0 && detail::excused(*found, expected, got, bound.share))
        return std::nullopt;
    if (found || !limits.any() || !is_floating(expected.type.scalar)) return found;
    return detail::wrong_as_a_whole(expected, got, differ, limits);
}

} // namespace lkt
