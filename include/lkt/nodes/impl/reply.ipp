// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/reply.hpp>

#include <lkt/kernel/bound_scalars.hpp>
#include <lkt/lang/cuda/includes.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/lang/fixed_block.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/llm/extract_code.hpp>
#include <lkt/nodes/detail/metadata.hpp>
#include <lkt/nodes/detail/settle_parameters.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/search/space.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace lkt {

namespace detail {

/// Names in `e` that are neither sizes nor parameters.
[[nodiscard]] inline std::string unknown_name(expression const& e,
                                              problem const& task,
                                              std::vector<tunable_parameter> const& parameters) {
    auto const is = [](auto const& names, std::string const& name, auto get) {
        return std::any_of(
            names.begin(), names.end(), [&](auto const& n) { return get(n) == name; });
    };
    for (std::string const& name : e.names())
        if (!is(task.size, name, [](auto const& s) { return s.first; }) &&
            !is(parameters, name, [](auto const& p) { return p.name; }))
            return name;
    return {};
}

[[nodiscard]] inline std::string known_names(problem const& task,
                                             std::vector<tunable_parameter> const& parameters) {
    std::string text = "problem sizes: " + size_words(task.size) + "; parameters: ";
    std::string names;
    for (auto const& p : parameters) names += (names.empty() ? "" : ", ") + p.name;
    return text + (names.empty() ? "none" : names);
}

/// Where the kernel's text fixes its block, that is the launch's, and the grid follows it.
inline std::optional<failure> take_fixed_block(candidate& c,
                                               metadata const& given,
                                               problem const& task,
                                               std::vector<std::string>& notes) {
    auto const fixed = fixed_block(c.source, task.signature.name, c.parameters);
    if (!fixed) return failure(refused{"@workgroup_size", fixed.error().message, {}});
    if (!*fixed) return std::nullopt;
    block_formula const one{1, 1, 1};
    if (given.launch) {
        if (given.launch->block != one && given.launch->block != **fixed)
            notes.push_back("the block of the reply's launch was left out, since the kernel's "
                            "@workgroup_size says it");
        c.launch.block = **fixed;
        return std::nullopt;
    }
    auto launch = with_block(c.launch, **fixed);
    if (!launch) return failure(launch_failed{launch.error().message});
    c.launch = std::move(*launch);
    return std::nullopt;
}

/// A launch that is kept needs its parameters, also where the reply lists others.
inline void
keep_parameters_of_launch(candidate& c, candidate const& before, std::vector<std::string>& notes) {
    std::vector<expression> all{c.launch.shared_bytes};
    for (auto const* extents : {&c.launch.grid, &c.launch.block})
        all.insert(all.end(), extents->begin(), extents->end());
    for (tunable_parameter const& p : before.parameters) {
        bool const listed = std::any_of(c.parameters.begin(),
                                        c.parameters.end(),
                                        [&](auto const& q) { return q.name == p.name; });
        bool const used = std::any_of(all.begin(), all.end(), [&](expression const& e) {
            auto const names = e.names();
            return std::find(names.begin(), names.end(), p.name) != names.end();
        });
        if (listed || !used) continue;
        c.parameters.push_back(p);
        notes.push_back("the parameter " + p.name +
                        " was kept, since the reply keeps the launch, which uses it");
    }
}

/// Fills in what the reply left out from the kernel that it rewrote, as far as it is still used.
inline std::optional<failure> complete_candidate(candidate& c,
                                                 metadata const& given,
                                                 problem const& task,
                                                 candidate const& before,
                                                 reply_reading& reading) {
    auto& notes = reading.notes;
    c.description = given.description;
    c.parameters = given.parameters ? *given.parameters : before.parameters;
    c.launch = given.launch ? over_sizes(*given.launch, task, c.parameters) : before.launch;
    c.restrictions = given.restrictions ? *given.restrictions : before.restrictions;
    bool const wgsl = c.source.language == language::wgsl;
    if (given.parameters && !given.launch && !wgsl) keep_parameters_of_launch(c, before, notes);
    if (auto why = settle_parameters(c, before, notes)) {
        reading.unsettled = true;
        return why;
    }
    auto const offered = std::exchange(c.parameters, {});
    auto const restrictions = std::exchange(c.restrictions, {});
    used_names used(c.source);
    if (!wgsl) used.add(c.launch);
    for (tunable_parameter const& p : offered) {
        if (used.contains(p.name))
            c.parameters.push_back(p);
        else if (given.parameters && wgsl)
            return failure(refused{p.name,
                                   "this tunable parameter is not declared in the kernel; declare "
                                   "it as in `override " +
                                       p.name + ": u32 = 16;`",
                                   {}});
        else if (given.parameters)
            notes.push_back("the parameter " + p.name +
                            " does not occur in the kernel or its launch, and was left out");
    }
    if (auto why = take_fixed_block(c, given, task, notes)) return why;
    for (expression const& r : restrictions) {
        std::string const unknown = unknown_name(r, task, c.parameters);
        if (unknown.empty() || (given.restrictions && !unknown_name(r, task, offered).empty()))
            c.restrictions.push_back(r);
        else
            notes.push_back("the restriction " + ticked(r.text()) + " was left out, since " +
                            unknown + " is no longer a parameter");
    }
    for (auto const* extents : {&c.launch.grid, &c.launch.block})
        for (expression const& e : *extents)
            if (std::string const unknown = unknown_name(e, task, c.parameters); !unknown.empty())
                return failure(launch_failed{"the launch expression " + ticked(e.text()) +
                                             " uses " + ticked(unknown) + ", which is not known (" +
                                             known_names(task, c.parameters) + ")"});
    if (std::string const unknown = unknown_name(c.launch.shared_bytes, task, c.parameters);
        !unknown.empty())
        return failure(launch_failed{
            "the bytes of shared memory, " + ticked(c.launch.shared_bytes.text()) + ", use " +
            ticked(unknown) + ", which is not known (" + known_names(task, c.parameters) + ")"});
    std::optional<failure> wrong;
    if (!given.bad_restriction.empty()) wrong = no_code{given.bad_restriction};
    if (!wrong && given.restrictions) wrong = restrictions_fault(c, task);
    if (wrong) {
        c.restrictions.clear();
        reading.unrestricted = c;
    }
    return wrong;
}

/// The candidate of a reply; `corrected` takes the place of its kernel and its parameters.
inline reply_reading read_candidate(chat_reply const& reply,
                                    problem const& task,
                                    candidate const& before,
                                    corrected_kernel* corrected) {
    reply_reading reading;
    auto const fail = [&](failure why) {
        reading.what = std::move(why);
        return reading;
    };
    candidate c;
    c.source = {task.reference.language, {}, "reply"};
    if (corrected) {
        c.source.text = std::move(corrected->text);
    } else {
        auto code = extract_code(reply.text, task.reference.language);
        if (auto* none = std::get_if<no_code>(&code)) return fail(std::move(*none));
        c.source.text = std::get<std::string>(std::move(code));
    }
    if (c.source.language != language::wgsl)
        c.source.text = with_includes_of(task.reference.text, std::move(c.source.text));
    if (auto differs = check_signature(task.signature, c.source)) return fail(std::move(*differs));
    auto given = read_metadata(reply.text, c.source.language == language::wgsl);
    if (auto* why = std::get_if<failure>(&given)) return fail(std::move(*why));
    auto& data = std::get<metadata>(given);
    reading.notes = data.notes;
    if (corrected) data.parameters = std::move(corrected->parameters);
    if (auto why = without_values(data)) {
        reading.unsettled = true;
        return fail(std::move(*why));
    }
    if (auto why = complete_candidate(c, data, task, before, reading)) return fail(std::move(*why));
    reading.what = std::move(c);
    return reading;
}

} // namespace detail

std::optional<failure> restrictions_fault(candidate const& k, problem const& task) {
    for (expression const& r : k.restrictions)
        if (auto const unknown = detail::unknown_name(r, task, k.parameters); !unknown.empty())
            return failure(no_configuration{
                "the restriction " + detail::ticked(r.text()) + " uses " + detail::ticked(unknown) +
                ", which is not known (" + detail::known_names(task, k.parameters) + ")"});
    if (k.restrictions.empty()) return std::nullopt;
    auto const space = search_space::make(k.parameters, k.restrictions, task.size);
    if (!space && space.error().code == "lkt.search.bad_restriction")
        return failure(no_configuration{space.error().message});
    if (!space) return std::nullopt; // is said where configurations are counted
    if (auto none = space->unsatisfiable()) return failure(std::move(*none));
    return std::nullopt;
}

reply_reading read_reply(chat_reply const& reply, problem const& task, candidate const& before) {
    switch (reply.finish) {
    case finish::length:
        return {failure(no_code{"the reply was cut off because it became too long; answer more "
                                "briefly"}),
                {}};
    case finish::filtered:
        return {failure(no_code{"the server held the reply back (content filter)"}), {}};
    case finish::stop:
    case finish::unknown:
        break;
    }
    return detail::read_candidate(reply, task, before, nullptr);
}

reply_reading read_corrected(chat_reply const& reply,
                             corrected_kernel corrected,
                             problem const& task,
                             candidate const& before) {
    return detail::read_candidate(reply, task, before, &corrected);
}

} // namespace lkt
