// SPDX-License-Identifier: BSL-1.0
// From the command line's words to a problem.
#include "options.hpp"

#include <lkt/core/files.hpp>
#include <lkt/kernel/problem_file.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace lkt_tune {
namespace {

using lkt::result;

lkt::error usage(std::string message, std::string hint) {
    return {lkt::condition::rejected, "lkt.tune.usage", std::move(message), std::move(hint)};
}

/// Splits at `separator` outside brackets and parentheses.
std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (char c : text) {
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (c == separator && depth <= 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

result<std::pair<std::string, std::string>> name_and_value(std::string const& flag,
                                                           std::string const& text) {
    auto const at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
        return usage(flag + " '" + text + "' is not NAME=VALUE", "for example " + flag + " N=256");
    return std::pair(text.substr(0, at), text.substr(at + 1));
}

result<lkt::problem_size> parse_size(std::string const& flag,
                                     std::vector<std::string> const& words) {
    lkt::problem_size size;
    for (auto const& word : words)
        for (auto const& part : split(word, ',')) {
            auto const pair = name_and_value(flag, part);
            if (!pair) return pair.error();
            std::int64_t value = 0;
            auto const& [name, digits] = *pair;
            auto const end = digits.data() + digits.size();
            auto const [stop, failed] = std::from_chars(digits.data(), end, value);
            if (failed != std::errc{} || stop != end || value < 1 ||
                value > (std::int64_t{1} << 40))
                return usage(flag + " " + part + ": a size is a whole number from 1 to 2^40",
                             "for example " + flag + " " + name + "=256");
            if (std::any_of(
                    size.begin(), size.end(), [&](auto const& s) { return s.first == name; }))
                return usage(flag + " gives " + name + " twice", "give each size once");
            size.emplace_back(name, value);
        }
    return size;
}

result<double> number(std::string const& text) {
    double value = 0;
    auto const end = text.data() + text.size();
    auto const [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed != std::errc{} || stop != end || !std::isfinite(value))
        return usage("'" + text + "' is not a number", "write it like 0.5 or -1e3");
    return value;
}

/// `uniform(-1,1)`, `normal(0,1)`, `constant(0)`, `indices(N)`.
result<lkt::distribution> parse_fill(std::string const& text) {
    auto const open = text.find('(');
    auto const unknown =
        usage("'" + text + "' is not a way to fill a buffer",
              "write uniform(LOW,HIGH), normal(MEAN,STDDEV), constant(V) or indices(BELOW)");
    if (open == std::string::npos || text.back() != ')') return unknown;
    auto const name = text.substr(0, open);
    auto const inside = text.substr(open + 1, text.size() - open - 2);
    if (name == "indices") {
        auto below = lkt::expression::parse(inside);
        if (!below) return below.error();
        return lkt::distribution(lkt::indices{*below});
    }
    std::vector<double> values;
    for (auto const& part : split(inside, ',')) {
        auto const value = number(part);
        if (!value) return value.error();
        values.push_back(*value);
    }
    if (name == "uniform" && values.size() == 2 && values[0] <= values[1])
        return lkt::distribution(lkt::uniform{values[0], values[1]});
    if (name == "normal" && values.size() == 2 && values[1] >= 0)
        return lkt::distribution(lkt::normal{values[0], values[1]});
    if (name == "constant" && values.size() == 1)
        return lkt::distribution(lkt::constant{values[0]});
    return unknown;
}

/// `EXPR[:FILL][:in|out|inout]`
result<lkt::argument_spec> parse_argument(lkt::argument const& declared, std::string const& text) {
    lkt::argument_spec spec;
    auto const parts = split(text, ':');
    auto amount = lkt::expression::parse(parts[0]);
    if (!amount) return amount.error();
    (declared.pointer ? spec.count : spec.value) = *amount;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i] == "in")
            spec.flow = lkt::direction::in;
        else if (parts[i] == "out")
            spec.flow = lkt::direction::out;
        else if (parts[i] == "inout")
            spec.flow = lkt::direction::inout;
        else {
            auto fill = parse_fill(parts[i]);
            if (!fill) return fill.error();
            spec.fill = *fill;
        }
        if (!declared.pointer)
            return usage("--arg " + declared.name + ": a scalar takes a value only",
                         "drop ':" + parts[i] + "'");
    }
    return spec;
}

result<std::array<lkt::expression, 3>> parse_extents(std::string const& flag,
                                                     std::string const& text) {
    std::array<lkt::expression, 3> extents{1, 1, 1};
    auto const parts = split(text, ',');
    if (parts.size() > 3)
        return usage(flag + " '" + text + "' has more than three extents", "give X, X,Y or X,Y,Z");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto extent = lkt::expression::parse(parts[i]);
        if (!extent) return extent.error();
        extents[i] = *extent;
    }
    return extents;
}

/// Each argument's specification: what the user said, else the size of the same name.
std::optional<lkt::error> specify_arguments(lkt::problem& p,
                                            std::vector<std::string> const& words) {
    std::vector<bool> given(p.signature.arguments.size(), false);
    p.arguments.resize(p.signature.arguments.size());
    for (auto const& word : words) {
        auto const pair = name_and_value("--arg", word);
        if (!pair) return pair.error();
        auto const& declared = p.signature.arguments;
        auto const at = std::find_if(
            declared.begin(), declared.end(), [&](auto const& a) { return a.name == pair->first; });
        if (at == declared.end()) {
            std::string names;
            for (auto const& a : declared) names += (names.empty() ? "" : ", ") + a.name;
            return usage("kernel " + p.signature.name + " has no argument '" + pair->first + "'",
                         "its arguments are: " + names);
        }
        auto const i = static_cast<std::size_t>(at - declared.begin());
        if (given[i])
            return usage("--arg gives " + pair->first + " twice", "give each argument once");
        auto spec = parse_argument(*at, pair->second);
        if (!spec) return spec.error();
        p.arguments[i] = *spec;
        given[i] = true;
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i]) continue;
        auto const& a = p.signature.arguments[i];
        bool const is_size = std::any_of(
            p.size.begin(), p.size.end(), [&](auto const& s) { return s.first == a.name; });
        if (a.pointer)
            return usage("how many elements has the buffer '" + a.name + "' (" + a.spelling + ")?",
                         "pass --arg " + a.name + "=EXPR, for example --arg " + a.name + "=" +
                             (p.size.empty() ? "1024" : p.size[0].first));
        if (!is_size)
            return usage("what is the value of the scalar '" + a.name + "' (" + a.spelling + ")?",
                         "pass --arg " + a.name + "=EXPR, or give it as --size " + a.name +
                             "=VALUE");
        auto same = lkt::expression::parse(a.name);
        if (!same) return same.error();
        p.arguments[i].value = *same;
    }
    return std::nullopt;
}

result<lkt::problem> from_kernel_file(options const& o) {
    lkt::problem p;
    auto text = lkt::read_text_file(o.kernel_file);
    if (!text) return text.error();
    p.reference = {o.kernel_file.ends_with(".hip") ? lkt::language::hip : lkt::language::cuda,
                   std::move(*text),
                   o.kernel_file};
    auto found = lkt::find_kernel(p.reference, o.kernel_name);
    if (!found) return found.error();
    p.signature = std::move(*found);

    auto size = parse_size("--size", o.sizes);
    if (!size) return size.error();
    p.size = std::move(*size);
    for (auto const& word : o.also_sizes) {
        auto further = parse_size("--also-size", {word});
        if (!further) return further.error();
        // A further size names every dimension of the first, in any order.
        lkt::problem_size ordered;
        for (auto const& [name, unused] : p.size)
            for (auto const& dimension : *further)
                if (dimension.first == name) ordered.push_back(dimension);
        if (ordered.size() != p.size.size() || ordered.size() != further->size())
            return usage("--also-size " + word + " does not give the same sizes as --size",
                         "give each of them once: NAME=VALUE,NAME=VALUE");
        p.further_sizes.push_back(std::move(ordered));
    }
    for (auto const& word : o.parameters) {
        auto parameter = lkt::parse_parameter(word);
        if (!parameter) return parameter.error();
        p.parameters.push_back(std::move(*parameter));
    }
    for (auto const& word : o.restrictions) {
        auto restriction = lkt::expression::parse(word);
        if (!restriction) return restriction.error();
        p.restrictions.push_back(std::move(*restriction));
    }
    if (auto failed = specify_arguments(p, o.arguments)) return *failed;

    if (o.grid.empty() != o.block.empty())
        return usage("--grid and --block go together",
                     "give both, or neither for one thread an element of the sizes");
    if (o.grid.empty())
        p.launch = lkt::default_launch(p.size, p.parameters);
    else {
        auto grid = parse_extents("--grid", o.grid), block = parse_extents("--block", o.block);
        if (!grid) return grid.error();
        if (!block) return block.error();
        p.launch.grid = *grid;
        p.launch.block = *block;
    }
    if (!o.shared.empty()) {
        auto shared = lkt::expression::parse(o.shared);
        if (!shared) return shared.error();
        p.launch.shared_bytes = *shared;
    }
    return p;
}

} // namespace

lkt::result<lkt::problem> make_problem(options const& o) {
    if (o.problem_file.empty()) return from_kernel_file(o);
    return lkt::read_problem(o.problem_file);
}

} // namespace lkt_tune
