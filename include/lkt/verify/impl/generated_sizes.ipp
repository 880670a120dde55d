// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/generated_sizes.hpp>

#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace lkt {

namespace detail::size_parts {

bool all_hold(std::vector<expression> const& conditions, expression_scope const& scope) {
    return std::all_of(conditions.begin(), conditions.end(), [&](expression const& c) {
        auto const holds = c.evaluate_condition(scope);
        return holds && *holds;
    });
}

/// The default configuration, and each in which one parameter differs from it.
std::vector<configuration> neighbouring_configurations(problem const& task) {
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
void add_numbers(std::string_view text, std::vector<std::int64_t>& numbers) {
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
std::vector<std::int64_t> borders_of(problem const& task) {
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

enum class kind : unsigned char { beside_borders, unequal, odd, smallest, largest, between, any };

class size_sampler {
public:
    explicit size_sampler(problem const& task) : task_(task), borders_(borders_of(task)) {
        for (expression const& e : task.size_constraints) add_numbers(e.text(), limits_);
    }

    /// `attempt` counts from 0: the first of the largest size has all extents as large as can be.
    [[nodiscard]] problem_size sample(kind k, int attempt, decisions& decide) const {
        problem_size size = task_.size;
        std::size_t const longest = decide(size.size());
        bool const all = k == kind::largest && attempt == 0;
        for (std::size_t d = 0; d < size.size(); ++d)
            size[d].second = extent(k, d, all || d == longest, decide);
        if (k == kind::unequal || k == kind::largest) return size;
        // Constraints may tie one extent to another.
        for (std::size_t d = 1; d < size.size(); ++d) {
            std::int64_t const other = size[decide(d)].second;
            std::vector<std::int64_t> const tied{other, other, 2 * other, other / 2, other + 1};
            if (decide(3) == 0) size[d].second = decide.of(tied);
        }
        return size;
    }

private:
    [[nodiscard]] std::int64_t
    extent(kind k, std::size_t d, bool longest, decisions& decide) const {
        static std::vector<std::int64_t> const primes{
            3, 5, 7, 11, 13, 17, 23, 31, 37, 47, 61, 97, 127, 131, 251, 257, 509, 521, 1021};
        auto const multiple = [&](std::uint64_t most) {
            return decide.of(borders_) * static_cast<std::int64_t>(1 + decide(most));
        };
        auto const whole = [&](std::uint64_t count) {
            return static_cast<std::int64_t>(decide(count));
        };
        switch (k) {
        case kind::beside_borders:
            return multiple(3) + (decide(2) == 0 ? 1 : -1);
        case kind::unequal:
            if (!longest) return 1 + whole(3);
            return decide(2) == 0 ? 256 + multiple(64) + 1 : 1021 + 2 * whole(8000);
        case kind::odd:
            return decide.of(primes);
        case kind::smallest:
            return whole(3);
        case kind::largest:
            if (longest) return most(d).value_or(task_.size[d].second);
            break;
        case kind::between:
            return 1 + whole(static_cast<std::uint64_t>(
                           std::max<std::int64_t>(task_.size[d].second, 64)));
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

    /// The largest extent that a number in the constraints allows where the others are the task's.
    [[nodiscard]] std::optional<std::int64_t> most(std::size_t d) const {
        std::optional<std::int64_t> found;
        problem_size size = task_.size;
        for (std::int64_t const limit : limits_)
            for (std::int64_t const extent : {limit, limit - 1}) {
                size[d].second = extent;
                if (extent > found.value_or(0) &&
                    all_hold(task_.size_constraints, scope_of(size, {})))
                    found = extent;
            }
        return found;
    }

    problem const& task_;
    std::vector<std::int64_t> borders_, limits_;
};

/// Also where the arguments are small, the work should be: a product of matrices takes as many
/// steps as its three extents multiplied.
bool cheap(problem_size const& size) {
    double steps = 1;
    for (auto const& [name, extent] : size)
        steps *= static_cast<double>(std::max<std::int64_t>(extent, 1));
    return steps <= 0x1p22;
}

} // namespace detail::size_parts

bool fair_size(problem const& task, problem_size const& size) {
    using namespace detail::size_parts;
    if (!all_hold(task.size_constraints, scope_of(size, {}))) return false;
    if (!detail::elements_at(task, size)) return false;
    bool usual = true;
    for (configuration const& config : neighbouring_configurations(task)) {
        auto const scope = scope_of(size, config);
        bool const allowed = all_hold(task.restrictions, scope);
        if ((usual && !allowed) || (allowed && !task.launch.evaluate(scope))) return false;
        usual = false;
    }
    return true;
}

std::vector<problem_size> generated_sizes(problem const& task, size_options const& options) {
    using namespace detail::size_parts;
    std::vector<problem_size> found;
    if (task.size_constraints.empty() || task.size.empty()) return found;
    size_sampler const sampler(task);
    auto const wanted = [&](problem_size const& size) {
        if (size == task.size || !cheap(size)) return false;
        auto const among = [&](std::vector<problem_size> const& known) {
            return std::find(known.begin(), known.end(), size) != known.end();
        };
        if (among(task.further_sizes) || among(found)) return false;
        // The cheapest question first: most samples break a constraint.
        if (!all_hold(task.size_constraints, scope_of(size, {}))) return false;
        auto const elements = detail::elements_at(task, size);
        return elements && *elements <= options.max_elements && fair_size(task, size);
    };
    static constexpr kind kinds[] = {kind::beside_borders,
                                     kind::unequal,
                                     kind::odd,
                                     kind::smallest,
                                     kind::largest,
                                     kind::between};
    for (int n = 0; n < options.count; ++n) {
        decisions decide({options.seed, 0x10000000u + static_cast<std::uint32_t>(n), 0});
        std::optional<problem_size> one;
        for (int t = 0; t < 2000 && !one; ++t) {
            kind const k = t < 500 ? kinds[n % std::ssize(kinds)] : kind::any;
            problem_size size = sampler.sample(k, t, decide);
            if (wanted(size)) one = std::move(size);
        }
        if (one) found.push_back(std::move(*one));
    }
    return found;
}

} // namespace lkt
