// SPDX-License-Identifier: BSL-1.0
// How hidden sizes are drawn and rounded to the constraints.
#pragma once

#include <lkt/kernel/problem.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail::size_parts {

[[nodiscard]] inline bool all_hold(std::vector<expression> const& conditions,
                                   expression_scope const& scope) {
    return std::all_of(conditions.begin(), conditions.end(), [&](expression const& c) {
        auto const holds = c.evaluate_condition(scope);
        return holds && *holds;
    });
}

/// The default configuration, and each in which one parameter differs from it.
[[nodiscard]] inline std::vector<configuration> neighbouring_configurations(problem const& task) {
    configuration const usual = default_configuration(task.parameters);
    std::vector<configuration> all{usual};
    for (std::size_t k = 0; k < task.parameters.size(); ++k)
        for (std::size_t v = 1; v < task.parameters[k].values.size(); ++v) {
            all.push_back(usual);
            all.back().values[k].second = task.parameters[k].values[v];
        }
    return all;
}

/// Whole numbers of up to 7 digits in an expression, but for positions: `ProblemSize[3] % 48` has
/// 48.
inline void add_numbers(std::string_view text, std::vector<std::int64_t>& numbers) {
    auto const digit = [&](std::size_t k) {
        return k < text.size() && std::isdigit(static_cast<unsigned char>(text[k])) != 0;
    };
    for (std::size_t k = 0; k < text.size();) {
        bool const begins =
            digit(k) &&
            (k == 0 || (text[k - 1] != '[' && text[k - 1] != '_' && text[k - 1] != '.' &&
                        std::isalnum(static_cast<unsigned char>(text[k - 1])) == 0));
        std::size_t end = k + 1;
        while (begins && digit(end)) ++end;
        if (begins && end - k <= 7)
            numbers.push_back(std::stoll(std::string(text.substr(k, end - k))));
        k = end;
    }
}

/// Where tiles may end: what a size is chosen around.
[[nodiscard]] inline std::vector<std::int64_t> borders_of(problem const& task) {
    std::vector<std::int64_t> all{32, 64, 128};
    for (tunable_parameter const& p : task.parameters)
        for (parameter_value const& v : p.values)
            if (auto const* i = std::get_if<std::int64_t>(&v)) all.push_back(*i);
    for (configuration const& config : neighbouring_configurations(task))
        for (expression const& e : task.launch.block)
            if (auto const extent = e.evaluate_integer(scope_of(task.size, config)))
                all.push_back(*extent);
    for (expression const& e : task.size_constraints) add_numbers(e.text(), all);
    std::erase_if(all, [](std::int64_t b) { return b < 2 || b > 4096; });
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

/// Random decisions, one after the other.
class decisions {
public:
    explicit decisions(random_stream const& stream) : stream_(stream) {}
    [[nodiscard]] std::uint64_t operator()(std::uint64_t count) {
        return below(count, stream_.bits(next_++));
    }
    template <class T>
    [[nodiscard]] T of(std::vector<T> const& values) {
        return values[(*this)(values.size())];
    }

private:
    random_stream stream_;
    std::uint64_t next_ = 0;
};

enum class kind : unsigned char {
    between,        ///< anywhere up to the sizes that the problem names
    beyond,         ///< one extent larger than any that it names
    beside_named,   ///< next to such an extent
    unequal,        ///< one long extent among short ones
    beside_borders, ///< next to where tiles end
    equal,          ///< one extent for all
    smallest,
    odd,
    largest, ///< as the constraints allow
    any
};

/// The parts of conditions joined by `and`: each is a constraint that a size is rounded to.
inline void add_parts(expression const& whole, std::vector<expression>& parts) {
    std::string_view const text = whole.text();
    std::vector<expression> found;
    std::size_t from = 0;
    int depth = 0;
    auto const take = [&](std::size_t to) {
        auto part = expression::parse(text.substr(from, to - from));
        if (part) found.push_back(std::move(*part));
        return part.has_value();
    };
    bool split = text.find(" or ") == text.npos && text.find(" if ") == text.npos &&
                 text.find("||") == text.npos;
    for (std::size_t k = 0; split && k < text.size(); ++k) {
        if (text[k] == '(' || text[k] == '[') ++depth;
        if (text[k] == ')' || text[k] == ']') --depth;
        if (depth != 0 || text.substr(k, 5) != " and ") continue;
        split = take(k);
        from = k + 5;
    }
    if (split && take(text.size()))
        parts.insert(parts.end(), found.begin(), found.end());
    else
        parts.push_back(whole);
}

/// Up to so many elements of all arguments, and so many steps: also where the arguments are small,
/// the work should be (a product of matrices takes as many steps as its three extents multiplied).
struct size_limits {
    double elements = 0, steps = 0;
};
[[nodiscard]] inline double steps_of(problem_size const& size) {
    double steps = 1;
    for (auto const& [name, extent] : size)
        steps *= static_cast<double>(std::max<std::int64_t>(extent, 1));
    return steps;
}

class size_sampler {
public:
    size_sampler(problem const& task, size_options const& options)
        : task_(task), borders_(borders_of(task)) {
        for (expression const& e : task.size_constraints) {
            add_numbers(e.text(), numbers_);
            add_parts(e, constraints_);
        }
        std::sort(numbers_.begin(), numbers_.end());
        numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
        constexpr double most_elements = 0x1p25, most_steps = 0x1p26;
        auto const most = static_cast<double>(options.max_elements);
        double const elements =
            static_cast<double>(detail::elements_at(task, task.size).value_or(0));
        limits_ = {std::max(most, std::min(2.5 * elements, most_elements)),
                   std::max(4 * most, std::min(2.5 * steps_of(task.size), most_steps))};
        usual_ = {most, 4 * most};
    }

    /// A size of this kind that is valid; nothing where this one came out invalid. `attempt` counts
    /// from 0: the first of the largest size has all extents as large as can be.
    [[nodiscard]] std::optional<problem_size> sample(kind k, int attempt, decisions& decide) const {
        problem_size size = task_.size;
        std::size_t const chosen = decide(size.size());
        bool const all = k == kind::largest && attempt == 0;
        if (k == kind::beside_named) size = named(decide(1 + task_.further_sizes.size()));
        for (std::size_t d = 0; d < size.size(); ++d)
            size[d].second = extent(k, d, size[d].second, all || d == chosen, decide);
        if (k == kind::equal)
            for (auto& [name, extent] : size) extent = size[chosen].second;
        // A kernel may have another way for extents that have to do with each other.
        if (k == kind::between || k == kind::any)
            for (std::size_t d = 1; d < size.size(); ++d) {
                std::int64_t const other = size[decide(d)].second;
                std::vector<std::int64_t> const tied{other, other, 2 * other, other / 2, other + 1};
                if (decide(4) == 0) size[d].second = decide.of(tied);
            }
        size_limits const& most = k == kind::beyond ? limits_ : usual_;
        bool const keeps = k == kind::beyond || k == kind::unequal || k == kind::beside_named ||
                           k == kind::largest;
        if (!shrink(size, keeps ? chosen : size.size(), most)) return std::nullopt;
        if (k == kind::equal) {
            std::int64_t least = size[chosen].second;
            for (auto const& [name, extent] : size) least = std::min(least, extent);
            for (auto& [name, extent] : size) extent = least;
        }
        round(size);
        if (!holds_all(size) || !fits(size, most)) return std::nullopt;
        return size;
    }

private:
    [[nodiscard]] problem_size const& named(std::size_t k) const {
        return k == 0 ? task_.size : task_.further_sizes[k - 1];
    }
    /// The smallest and the largest extent that the problem names.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> named_extents(std::size_t d) const {
        std::int64_t low = task_.size[d].second, high = low;
        for (problem_size const& s : task_.further_sizes) {
            low = std::min(low, s[d].second);
            high = std::max(high, s[d].second);
        }
        return {std::max<std::int64_t>(low, 1), std::max<std::int64_t>(high, 1)};
    }
    /// Each factor of two as often as any other.
    [[nodiscard]] static std::int64_t
    log_uniform(std::int64_t low, std::int64_t high, decisions& decide) {
        double const span = std::log2(static_cast<double>(high) / static_cast<double>(low));
        double const part = static_cast<double>(decide(1 << 20)) / (1 << 20);
        return std::clamp(
            static_cast<std::int64_t>(static_cast<double>(low) * std::exp2(part * span) + 0.5),
            low,
            high);
    }

    /// `now`: what stands there.
    [[nodiscard]] std::int64_t
    extent(kind k, std::size_t d, std::int64_t now, bool chosen, decisions& decide) const {
        static std::vector<std::int64_t> const primes{
            3, 5, 7, 11, 13, 17, 23, 31, 37, 47, 61, 97, 127, 131, 251, 257, 509, 521, 1021};
        auto const [low, high] = named_extents(d);
        auto const multiple = [&](std::uint64_t most) {
            return decide.of(borders_) * static_cast<std::int64_t>(1 + decide(most));
        };
        auto const whole = [&](std::uint64_t count) {
            return static_cast<std::int64_t>(decide(count));
        };
        switch (k) {
        case kind::between:
            return log_uniform(low, std::max<std::int64_t>(high, 64), decide);
        case kind::beyond:
            if (!chosen) return log_uniform(low, high, decide);
            return high + 1 + (decide(3) == 0 ? whole(9) : log_uniform(1, high, decide));
        case kind::beside_named:
            if (!chosen && decide(2) == 0) return now;
            return std::max<std::int64_t>(1, now + (decide(2) == 0 ? 1 : -1) * (1 + whole(9)));
        case kind::unequal:
            if (!chosen) return decide(2) == 0 ? 1 : 2 + whole(3);
            return decide(2) == 0 ? 256 + multiple(64) + 1 : 1021 + 2 * whole(8000);
        case kind::beside_borders:
            return multiple(3) + (decide(2) == 0 ? 1 : -1);
        case kind::equal:
            return log_uniform(2, std::max<std::int64_t>(high, 64), decide);
        case kind::odd:
            return decide.of(primes);
        case kind::smallest:
            return whole(3);
        case kind::largest:
            if (chosen) return most(d).value_or(now);
            break;
        case kind::any:
            break;
        }
        switch (decide(5)) {
        case 0:
            return multiple(8);
        case 1:
            return multiple(8) + whole(3) - 1;
        case 2:
            return decide.of(primes);
        case 3:
            return task_.size[d].second;
        default:
            return whole(70);
        }
    }

    [[nodiscard]] bool fits(problem_size const& size, size_limits const& most) const {
        if (steps_of(size) > most.steps) return false;
        auto const elements = detail::elements_at(task_, size);
        return !elements || static_cast<double>(*elements) <= most.elements;
    }
    /// Halves extents, the longest one first and `kept` not, until the size fits.
    [[nodiscard]] bool shrink(problem_size& size, std::size_t kept, size_limits const& most) const {
        while (!fits(size, most)) {
            std::int64_t* longest = nullptr;
            for (std::size_t d = 0; d < size.size(); ++d)
                if (d != kept && size[d].second > 1 &&
                    (longest == nullptr || size[d].second > *longest))
                    longest = &size[d].second;
            if (longest == nullptr) return false;
            *longest = (*longest + 1) / 2;
        }
        return true;
    }

    [[nodiscard]] bool holds_all(problem_size const& size) const {
        return all_hold(constraints_, scope_of(size, {}));
    }
    [[nodiscard]] std::size_t holding(problem_size const& size) const {
        auto const scope = scope_of(size, {});
        return static_cast<std::size_t>(
            std::count_if(constraints_.begin(), constraints_.end(), [&](expression const& c) {
                auto const holds = c.evaluate_condition(scope);
                return holds && *holds;
            }));
    }
    /// What extent `d` may become so that a constraint holds: a multiple of a number in one, the
    /// number itself, or what another extent makes of it.
    [[nodiscard]] std::vector<std::int64_t> roundings(problem_size const& size,
                                                      std::size_t d) const {
        std::int64_t const now = size[d].second;
        std::vector<std::int64_t> to;
        auto const multiples_of = [&](std::int64_t of) {
            if (of < 2) return;
            std::int64_t const down = now / of * of;
            to.insert(to.end(), {down, down + of, down + 1, down - 1});
        };
        for (std::int64_t const n : numbers_) {
            multiples_of(n);
            to.insert(to.end(), {n, n + 1, n - 1});
        }
        for (std::size_t e = 0; e < size.size(); ++e) {
            if (e == d) continue;
            std::int64_t const other = size[e].second;
            multiples_of(other);
            to.insert(to.end(), {other, other + 1, other - 1, 2 * other, other / 2});
        }
        for (std::int64_t power = 1; power <= now; power *= 2)
            if (power * 2 > now) to.insert(to.end(), {power, 2 * power});
        for (auto const& s : task_.further_sizes) to.push_back(s[d].second);
        to.push_back(task_.size[d].second);
        std::erase_if(to, [](std::int64_t v) { return v < 0; });
        return to;
    }
    /// Moves extents to the nearest values that meet more constraints, one at a time; where that
    /// does not help, all of them to multiples of one number.
    void round(problem_size& size) const {
        climb(size);
        for (std::size_t k = 0; k < numbers_.size() && !holds_all(size); ++k) {
            if (numbers_[k] < 2) continue;
            problem_size other = size;
            for (auto& [name, extent] : other)
                extent = std::max(extent / numbers_[k], std::int64_t{1}) * numbers_[k];
            climb(other);
            if (holds_all(other)) size = std::move(other);
        }
    }
    void climb(problem_size& size) const {
        std::size_t held = holding(size);
        for (std::size_t turn = 0; turn < 3 * size.size() && held < constraints_.size(); ++turn) {
            problem_size best = size;
            double distance = 0;
            std::size_t most = held;
            for (std::size_t d = 0; d < size.size(); ++d)
                for (std::int64_t const to : roundings(size, d)) {
                    problem_size moved = size;
                    moved[d].second = to;
                    std::size_t const now = holding(moved);
                    double const far = std::fabs(std::log2(
                        (static_cast<double>(to) + 1) / (static_cast<double>(size[d].second) + 1)));
                    if (now < most || now == held || (now == most && far >= distance)) continue;
                    most = now;
                    distance = far;
                    best = std::move(moved);
                }
            if (most == held) return;
            held = most;
            size = std::move(best);
        }
    }

    /// The largest extent that a number in the constraints allows where the others are the task's.
    [[nodiscard]] std::optional<std::int64_t> most(std::size_t d) const {
        std::optional<std::int64_t> found;
        problem_size size = task_.size;
        for (std::int64_t const limit : numbers_)
            for (std::int64_t const extent : {limit, limit - 1}) {
                size[d].second = extent;
                if (extent > found.value_or(0) && holds_all(size)) found = extent;
            }
        return found;
    }

    problem const& task_;
    std::vector<std::int64_t> borders_, numbers_; ///< `numbers_`: of the constraints
    std::vector<expression> constraints_;
    size_limits limits_, usual_;
};

} // namespace lkt::detail::size_parts
