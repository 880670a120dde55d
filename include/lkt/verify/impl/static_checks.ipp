// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/static_checks.hpp>

#include <lkt/lang/expanded_text.hpp>
#include <lkt/lang/unread_parameters.hpp>
#include <lkt/verify/detail/static_comments.hpp>
#include <lkt/verify/detail/static_numbers.hpp>
#include <lkt/verify/detail/static_scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail::statics {

/// What the original has, its candidates may have too.
struct allowance {
    std::set<static_rule> rules;
    std::set<std::string> headers, constant_memory, comments;
    std::set<std::string> assembly; ///< the strings of its statements
    std::set<std::string> names;    ///< that conditions may ask for
    std::set<std::string> unread;   ///< parameters
    std::set<std::int64_t> numbers;
    bool tensor_maps = false; ///< it has some
};

void add_names(std::set<std::string>& to, std::vector<tunable_parameter> const& parameters) {
    for (tunable_parameter const& p : parameters) to.insert(p.name);
}

result<allowance> allowance_of(problem const& task) {
    kernel_source const& original = task.reference;
    auto const text = expand_text(original);
    if (!text) return text.error();
    allowance a;
    add_names(a.names, task.parameters);
    scanner its(*text, original.language, a.names, ptx_policy::listed);
    its.run();
    a.tensor_maps = its.has_tensor_maps();
    a.names.insert(its.defined().begin(), its.defined().end());
    // What the original asks, its candidates may ask, too.
    for (static_finding const& f : its.findings)
        if (f.rule == static_rule::environment) a.names.insert(f.what);
    for (static_finding const& f : its.findings)
        // Another header, array or instruction is not allowed by having one.
        if (f.rule != static_rule::include && f.rule != static_rule::constant_memory &&
            f.rule != static_rule::environment && f.rule != static_rule::assembly)
            a.rules.insert(f.rule);
    for (std::string& name :
         unread_parameters(original, task.signature.name, task.launch, task.parameters))
        a.unread.insert(std::move(name));
    a.constant_memory = std::move(its.unfilled_memory);
    a.assembly = std::move(its.assembly_strings);
    for (static_finding const& f : its.findings) {
        if (f.rule == static_rule::include) a.headers.insert(f.what);
        // As a finding has it, shortened.
        if (f.rule == static_rule::constant_memory) a.constant_memory.insert(f.what);
    }
    for (literal_value const& v : literal_values(text->seen)) a.numbers.insert(v.value);
    for (comment& c : comments_of(original.text, original.language == language::wgsl))
        a.comments.insert(std::move(c.words));
    return a;
}

bool allowed(static_finding const& f, allowance const& by) {
    if (f.rule == static_rule::include) return by.headers.contains(f.what);
    if (f.rule == static_rule::constant_memory) return by.constant_memory.contains(f.what);
    if (f.rule == static_rule::fake_tuning) return by.unread.contains(f.what);
    return by.rules.contains(f.rule);
}

void find_sizes(scanner& in, expanded_text const& text, problem const& task, allowance const& by) {
    std::set<std::int64_t> const telling = telling_numbers(task.size);
    for (literal_value const& v : literal_values(text.seen))
        if (telling.contains(v.value) && !by.numbers.contains(v.value))
            in.find(static_rule::size_constant,
                    text.seen[v.token].tok.where,
                    std::to_string(v.value),
                    no_size);
}

/// Words of the text values that parameters may take. They are no part of the text, so a finding
/// has no place in it.
result<std::vector<static_finding>>
in_values(candidate const& k, std::set<std::string> const& known, ptx_policy ptx) {
    std::set<std::string> values;
    for (tunable_parameter const& p : k.parameters)
        for (parameter_value const& v : p.values)
            if (auto const* text = std::get_if<std::string>(&v)) values.insert(*text);
    std::string all;
    for (std::string const& v : values) all += v + "\n";
    if (all.empty() || k.source.language == language::wgsl) return std::vector<static_finding>();
    auto const text = expand_text({k.source.language, std::move(all), {}});
    if (!text) return text.error();
    scanner its(*text, k.source.language, known, ptx);
    its.run();
    for (static_finding& f : its.findings) f.where = {};
    return std::move(its.findings);
}

result<std::vector<static_finding>>
judged(std::vector<static_finding> found, allowance const& original, static_policy const& policy) {
    std::erase_if(found, [&](static_finding& f) {
        f.severity = policy.of(f.rule);
        return f.severity == static_severity::off || allowed(f, original);
    });
    std::sort(found.begin(), found.end(), [](static_finding const& a, static_finding const& b) {
        return std::tie(a.where.line, a.where.column, a.rule, a.what) <
               std::tie(b.where.line, b.where.column, b.rule, b.what);
    });
    return found;
}

result<std::vector<static_finding>> found_in(kernel_source const& source,
                                             problem const& task,
                                             allowance const& original,
                                             ptx_policy ptx) {
    auto const text = expand_text(source);
    if (!text) return text.error();
    scanner its(*text, source.language, original.names, ptx, original.assembly);
    its.run();
    if (ptx != ptx_policy::listed && its.has_tensor_maps() && !original.tensor_maps)
        its.find(static_rule::assembly, {}, std::string(tensor_map_word), no_map_policy);
    find_sizes(its, *text, task, original);
    for (comment const& c : comments_of(source.text, source.language == language::wgsl))
        if (speaks_to_a_model(c.words) && !original.comments.contains(c.words))
            its.find(static_rule::injection, c.where, c.words.substr(1), no_injection);
    return std::move(its.findings);
}

} // namespace lkt::detail::statics

namespace lkt {

result<std::vector<static_finding>>
static_findings(kernel_source const& source, problem const& task, static_policy const& policy) {
    return static_findings(candidate{source, {}, {}, {}, {}}, task, policy);
}

result<std::vector<static_finding>>
static_findings(candidate const& k, problem const& task, static_policy const& policy) {
    namespace ds = detail::statics;
    if (policy == static_policy::all(static_severity::off)) return std::vector<static_finding>();
    auto original = ds::allowance_of(task);
    if (!original) return original.error();
    ds::add_names(original->names, k.parameters);
    auto found = ds::found_in(k.source, task, *original, policy.ptx);
    if (!found) return found.error();
    auto const more = ds::in_values(k, original->names, policy.ptx);
    if (!more) return more.error();
    found->insert(found->end(), more->begin(), more->end());
    for (std::string& name :
         unread_parameters(k.source, task.signature.name, k.launch, k.parameters))
        found->push_back({static_rule::fake_tuning,
                          static_severity::off,
                          {},
                          std::move(name),
                          "nothing reads this tunable parameter, so all its values are the same "
                          "kernel; use it, or do not offer it"});
    return ds::judged(std::move(*found), *original, policy);
}

std::string describe(static_finding const& f) {
    std::string const place = to_string(f.where);
    return std::string(code_of(f.rule)) + (place.empty() ? "" : " at " + place) + ": `" + f.what +
           "`: " + f.why;
}

} // namespace lkt
