// SPDX-License-Identifier: BSL-1.0
// From the command line's words to a problem.
#include "errors.hpp"
#include "options.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/near_name.hpp>
#include <lkt/kernel/bound_scalars.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/problems/kernel_note.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/search/space.hpp>
#include <lkt/tuner/detail/argument_text.hpp>
#include <lkt/tuner/problem_from.hpp>
#include <lkt/verify/torch_module.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

namespace lkt_tune {
namespace {

using lkt::result;

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
        for (auto const& part : lkt::detail::split_outside_brackets(word, ',')) {
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

result<lkt::kernel_options> kernel_options_of(options const& o) {
    lkt::kernel_options k;
    k.kernel = o.kernel_name;
    auto size = parse_size("--size", o.sizes);
    if (!size) return size.error();
    k.size = std::move(*size);
    for (auto const& word : o.also_sizes) {
        auto further = parse_size("--also-size", {word});
        if (!further) return further.error();
        // A further size names every dimension of the first, in any order.
        lkt::problem_size ordered;
        for (auto const& [name, unused] : k.size)
            for (auto const& dimension : *further)
                if (dimension.first == name) ordered.push_back(dimension);
        if (ordered.size() != k.size.size() || ordered.size() != further->size())
            return usage("--also-size " + word + " does not give the same sizes as --size",
                         "give each of them once: NAME=VALUE,NAME=VALUE");
        k.further_sizes.push_back(std::move(ordered));
    }
    for (auto const& word : o.arguments) {
        auto pair = name_and_value("--arg", word);
        if (!pair) return pair.error();
        k.arguments.push_back(std::move(*pair));
    }
    for (auto const& word : o.parameters) {
        auto parameter = lkt::parse_parameter(word);
        if (!parameter)
            return usage("--tune: " + parameter.error().message, parameter.error().hint);
        k.parameters.push_back(std::move(*parameter));
    }
    k.restrictions = o.restrictions;
    bool const wgsl = o.kernel_file.ends_with(".wgsl"); // its text says the block
    if (!wgsl && o.grid.empty() != o.block.empty())
        return usage("--grid and --block need each other",
                     "give both; or neither, for one thread per element of the sizes");
    if (!o.grid.empty()) {
        k.grid = lkt::detail::split_outside_brackets(o.grid, ',');
        if (!o.block.empty()) k.block = lkt::detail::split_outside_brackets(o.block, ',');
    }
    k.shared_bytes = o.shared;
    k.flops = o.flops;
    return k;
}

/// What this program wrote of a kernel (`--output`) counts where the command line says nothing.
result<void> take_note(lkt::kernel_source& source, lkt::kernel_options& k) {
    auto note = lkt::read_kernel_note(source);
    if (!note) return note.error();
    if (!*note) return {};
    lkt::candidate& kernel = **note;
    source = std::move(kernel.source);
    for (lkt::tunable_parameter& p : kernel.parameters)
        if (std::none_of(k.parameters.begin(), k.parameters.end(), [&](auto const& given) {
                return given.name == p.name;
            }))
            k.parameters.push_back(std::move(p));
    if (k.size.empty() || !k.grid.empty() || !k.block.empty()) return {};
    for (lkt::expression const& e : kernel.launch.grid) k.grid.push_back(e.text());
    if (source.language != lkt::language::wgsl) // its text says it
        for (lkt::expression const& e : kernel.launch.block) k.block.push_back(e.text());
    if (k.shared_bytes.empty()) k.shared_bytes = kernel.launch.shared_bytes.text();
    return {};
}

/// A name that is neither a size nor a parameter, in an expression of the command line.
std::optional<lkt::error> unknown_name(lkt::problem const& p) {
    if (p.size.empty()) return std::nullopt; // a model is asked for them
    auto const scope = lkt::scope_of(p.size, lkt::default_configuration(p.parameters));
    std::vector<std::string_view> known;
    for (auto const& [name, unused] : scope.values) known.push_back(name);
    auto const fault = [&](std::string const& what,
                           lkt::expression const& e) -> std::optional<lkt::error> {
        for (std::string const& name : e.names()) {
            if (std::find(known.begin(), known.end(), name) != known.end()) continue;
            auto const value = e.evaluate(scope);
            if (!value)
                return usage(what + ": " + value.error().message + lkt::did_you_mean(name, known),
                             value.error().hint);
        }
        return std::nullopt;
    };
    for (std::size_t k = 0; k < p.arguments.size(); ++k)
        for (lkt::expression const* e : {&p.arguments[k].count, &p.arguments[k].value})
            if (auto wrong = fault("--arg " + p.signature.arguments[k].name, *e)) return wrong;
    for (lkt::expression const& e : p.launch.grid)
        if (auto wrong = fault("--grid", e)) return wrong;
    for (lkt::expression const& e : p.launch.block)
        if (auto wrong = fault("--block", e)) return wrong;
    if (auto wrong = fault("--shared", p.launch.shared_bytes)) return wrong;
    for (lkt::expression const& e : p.restrictions)
        if (auto wrong = fault("--restrict", e)) return wrong;
    return std::nullopt;
}

/// The original runs with the first values, which have to meet the restrictions.
std::optional<lkt::error> excluded_default(lkt::problem const& p) {
    if (p.size.empty() || p.restrictions.empty()) return std::nullopt;
    auto const space = lkt::search_space::make(p.parameters, p.restrictions, p.size);
    auto const given = lkt::default_configuration(p.parameters);
    if (!space || space->empty() || space->contains(given)) return std::nullopt;
    auto const first = lkt::search_space::cursor(*space).next();
    return usage("the original runs with the first value of each --tune, and " +
                     lkt::configuration_words(given) + " breaks a --restrict",
                 "put the values of a configuration first that meets all of them, such as " +
                     lkt::configuration_words(first.value_or(given)));
}

/// What is wrong with an expression, by the option that holds it.
lkt::error wrong_expression(lkt::error wrong) {
    using named = std::pair<std::string_view, char const*>;
    for (auto const& [member, option] : {named("restriction: ", "--restrict: "),
                                         named("grid: ", "--grid: "),
                                         named("block: ", "--block: "),
                                         named("shared_bytes: ", "--shared: "),
                                         named("flops: ", "--flops: ")})
        if (wrong.message.starts_with(member)) wrong.message.replace(0, member.size(), option);
    if (wrong.hint.empty())
        wrong.hint = "write it over sizes and parameters, such as 'ceil_div(n, 4 * BLOCK)'";
    return usage(std::move(wrong.message), std::move(wrong.hint));
}

lkt::language language_of_file(std::string const& file) {
    if (file.ends_with(".wgsl")) return lkt::language::wgsl;
    return file.ends_with(".hip") ? lkt::language::hip : lkt::language::cuda;
}

result<lkt::problem_draft> from_kernel_file(options const& o) {
    auto k = kernel_options_of(o);
    if (!k) return k.error();
    auto text = lkt::read_text_file(o.kernel_file);
    if (!text) return text.error();
    lkt::kernel_source source{language_of_file(o.kernel_file), std::move(*text), o.kernel_file};
    if (auto const ok = take_note(source, *k); !ok) return ok.error();
    auto const made = [&]() -> result<lkt::problem_draft> {
        if (!o.model.empty() || o.describe) return lkt::draft_from(std::move(source), *k);
        auto whole = lkt::problem_from(std::move(source), *k);
        if (!whole) return whole.error();
        return lkt::problem_draft{std::move(*whole), {}, false};
    }();
    if (made)
        for (auto const wrong : {unknown_name, excluded_default})
            if (auto const why = wrong(made->known)) return *why;
    // What is wrong with the command line's own words is a matter of usage.
    if (!made &&
        (made.error().code == "lkt.expression.parse" || made.error().code == "lkt.problem.launch"))
        return wrong_expression(made.error());
    if (!made && made.error().code == "lkt.problem.argument")
        return usage(made.error().message, // a question is one that a model may answer
                     made.error().hint + (o.model.empty() && made.error().message.ends_with('?')
                                              ? "; or pass --model to ask a model for it"
                                              : ""));
    return made;
}

} // namespace

std::optional<lkt::language> language_called(std::string const& name) {
    if (name == "cuda") return lkt::language::cuda;
    if (name == "hip") return lkt::language::hip;
    if (name == "wgsl") return lkt::language::wgsl;
    return std::nullopt;
}

namespace {

/// The file is the user's own, but it runs confined, as an oracle does.
result<lkt::problem_draft> from_torch_module(options const& o) {
    auto const colon = o.torch_module.rfind(':');
    std::string const file = o.torch_module.substr(0, colon);
    auto text = lkt::read_text_file(file);
    if (!text) return text.error();
    lkt::torch_module module;
    module.text = std::move(*text);
    module.name = o.torch_module.substr(colon + 1);
    module.origin = file;
    std::string kernel;
    for (char const c : std::filesystem::path(file).stem().string())
        kernel += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    module.kernel = "torch_" + kernel;
    auto const problem = lkt::problem_of_module(module);
    if (!problem) return problem.error();
    auto read = lkt::parse_problem_file(*problem, {}, file, language_called(o.language));
    if (!read) return read.error();
    return lkt::problem_draft{std::move(read->task), {}, false};
}

/// The kernel of `file` in the place of the problem's own, with the parameters and the launch that
/// the file notes, if it does.
result<void> begin_with(std::string const& file, lkt::problem& task) {
    auto text = lkt::read_text_file(file);
    if (!text) return text.error();
    lkt::kernel_source source{language_of_file(file), std::move(*text), file};
    if (source.language != task.reference.language)
        return usage(file + " is " + std::string(to_string(source.language)) +
                         ", and the problem's kernel is " +
                         std::string(to_string(task.reference.language)),
                     "give a kernel in the problem's language");
    auto noted = lkt::read_kernel_note(source);
    if (!noted) return noted.error();
    if (*noted) {
        task.launch = lkt::over_sizes((*noted)->launch, task, (*noted)->parameters);
        task.parameters = std::move((*noted)->parameters);
        task.restrictions.clear(); // one configuration is left
        source = std::move((*noted)->source);
    }
    if (auto const wrong = lkt::check_signature(task.signature, source))
        return usage(
            file + " cannot stand for the problem's kernel: " + lkt::describe(lkt::failure(*wrong)),
            "give a kernel with the same name and arguments");
    task.reference = std::move(source);
    task.unwritten = false;
    return {};
}

} // namespace

lkt::result<lkt::problem_draft> make_problem(options const& o) {
    if (!o.torch_module.empty()) return from_torch_module(o);
    if (o.problem_file.empty()) return from_kernel_file(o);
    auto whole = lkt::read_problem(o.problem_file, language_called(o.language));
    if (whole && whole->unwritten && !o.kernel_file.empty()) // its kernel is in any language
        whole = lkt::read_problem(o.problem_file, language_of_file(o.kernel_file));
    if (!whole) return whole.error();
    if (!o.kernel_file.empty())
        if (auto const ok = begin_with(o.kernel_file, *whole); !ok) return ok.error();
    return lkt::problem_draft{std::move(*whole), {}, false};
}

std::string oracle_of(options const& o, lkt::problem const& task) {
    bool const others = !o.kernel_file.empty() && !o.problem_file.empty() && !task.oracle;
    return o.oracle_file.empty() && others ? o.problem_file : o.oracle_file;
}

} // namespace lkt_tune
