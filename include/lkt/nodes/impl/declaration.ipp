// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/declaration.hpp>

#include <lkt/kernel/launch.hpp>
#include <lkt/lang/fixed_block.hpp>
#include <lkt/llm/extract_json.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/problems/problem_file.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

error declaration_error(std::string_view what, std::string message) {
    return {condition::rejected, "lkt.declaration." + std::string(what), std::move(message), {}};
}

bool is_open(problem_draft const& draft, std::size_t argument) {
    return std::find(draft.open.begin(), draft.open.end(), argument) != draft.open.end();
}

/// The fields of `object`, which stands at `path`, that nobody asked for.
std::optional<error> foreign_field(boost::json::object const& object,
                                   std::string const& path,
                                   std::vector<std::string_view> const& asked) {
    std::string list;
    for (std::string_view const name : asked)
        list += (list.empty() ? "" : ", ") + std::string(name);
    for (auto const& [key, unused] : object)
        if (std::find(asked.begin(), asked.end(), std::string_view(key)) == asked.end())
            return declaration_error("field",
                                     (path.empty() ? "the block" : "`" + path + "`") +
                                         " has the unknown field " + ticked(shortened(key, 80)) +
                                         "; known: " + list);
    return std::nullopt;
}

/// A part of the block, an empty object where it is absent.
result<boost::json::object> part_of(boost::json::object const& block, std::string_view name) {
    auto const* part = block.if_contains(name);
    if (!part || part->is_null()) return boost::json::object{};
    if (auto const* fields = part->if_object()) return *fields;
    return declaration_error("field", "`" + std::string(name) + "` is not an object");
}

boost::json::value json_of(parameter_value const& value) {
    return std::visit([](auto const& v) { return boost::json::value(v); }, value);
}

boost::json::array extents_json(problem_size const& size) {
    boost::json::array all;
    for (auto const& [name, extent] : size) all.push_back(boost::json::value(extent));
    return all;
}

/// What the user said, as far as the reader has to see it: parameters, sizes, and a stand-in for
/// each argument that is not open.
boost::json::object known_part(problem_draft const& draft) {
    problem const& known = draft.known;
    boost::json::array parameters, arguments;
    for (tunable_parameter const& p : known.parameters) {
        boost::json::array values;
        for (parameter_value const& v : p.values) values.push_back(json_of(v));
        parameters.push_back(boost::json::object{{"Name", p.name}, {"Values", std::move(values)}});
    }
    boost::json::object scalars, kernel, lkt;
    for (std::size_t k = 0; k < known.signature.arguments.size(); ++k) {
        argument const& a = known.signature.arguments[k];
        if (is_open(draft, k) || a.constant_count > 0) continue;
        bool const written = k < known.arguments.size() && known.flow(k) != direction::in;
        if (a.pointer)
            arguments.push_back(boost::json::object{
                {"Name", a.name}, {"Size", 1}, {"AccessType", written ? "ReadWrite" : "ReadOnly"}});
        else
            scalars[a.name] = 1;
    }
    if (!known.size.empty()) {
        kernel["ProblemSize"] = extents_json(known.size);
        boost::json::array further;
        for (problem_size const& size : known.further_sizes) further.push_back(extents_json(size));
        lkt["sizes"] = std::move(further);
    }
    kernel["Arguments"] = std::move(arguments);
    lkt["scalars"] = std::move(scalars);
    return {
        {"ConfigurationSpace", boost::json::object{{"TuningParameters", std::move(parameters)}}},
        {"KernelSpecification", std::move(kernel)},
        {"lkt", std::move(lkt)}};
}

/// An open argument's position. Errors: no argument, or the user's.
result<std::size_t>
open_argument(problem_draft const& draft, std::string_view name, std::string const& where) {
    auto const& declared = draft.known.signature.arguments;
    std::string names;
    for (std::size_t k = 0; k < declared.size(); ++k) {
        if (declared[k].name == name) {
            if (is_open(draft, k)) return k;
            return declaration_error(
                "field", where + ": " + ticked(name) + " is already given; leave it out");
        }
        names += (names.empty() ? "" : ", ") + declared[k].name;
    }
    return declaration_error("field",
                             where + ": the kernel " + draft.known.signature.name +
                                 " has no argument " + ticked(shortened(name, 80)) + "; it has " +
                                 (names.empty() ? "none" : names));
}

/// Adds the entries of a reply's `Arguments` to the stand-ins.
std::optional<error> add_arguments(problem_draft const& draft,
                                   boost::json::value const& given,
                                   boost::json::array& arguments) {
    auto const* list = given.if_array();
    if (!list) return declaration_error("field", "`KernelSpecification.Arguments` is not a list");
    for (std::size_t k = 0; k < list->size(); ++k) {
        std::string const where = "`KernelSpecification.Arguments[" + std::to_string(k) + "]`";
        auto const* entry = (*list)[k].if_object();
        auto const* name = entry ? entry->if_contains("Name") : nullptr;
        if (!name || !name->is_string())
            return declaration_error("field", where + " has no `Name`");
        if (auto const at = open_argument(draft, name->get_string(), where); !at) return at.error();
        arguments.push_back((*list)[k]);
    }
    return std::nullopt;
}

/// Adds the reply's `lkt` object to what is known; what is listed by argument is for open ones.
std::optional<error>
add_lkt(problem_draft const& draft, boost::json::object const& given, boost::json::object& lkt) {
    for (auto const& [key, value] : given) {
        if (value.is_null()) continue;
        std::string const where = "`lkt." + std::string(key) + "`";
        if (auto const* by_name = value.if_object())
            for (auto const& [name, unused] : *by_name)
                if (auto const at = open_argument(draft, name, where); !at) return at.error();
        if (key == "scalars" && value.is_object())
            for (auto const& [name, scalar] : value.get_object())
                lkt["scalars"].get_object()[name] = scalar;
        else
            lkt[key] = value;
    }
    return std::nullopt;
}

/// A reply that calls an output an input would leave nothing to judge by.
std::optional<error> wrong_flow(problem_draft const& draft, problem const& read) {
    for (std::size_t const k : draft.open) {
        argument const& a = read.signature.arguments[k];
        if (a.pointer && a.flow == direction::out && read.flow(k) == direction::in)
            return declaration_error(
                "flow",
                "the argument " + ticked(a.name) +
                    " is an output: the kernel only writes it; its `AccessType` is `WriteOnly`");
    }
    return std::nullopt;
}

result<boost::json::object> block_of(std::string_view reply) {
    auto block = extract_json(reply);
    if (!block) return block.error();
    if (auto* fields = block->if_object()) return std::move(*fields);
    return declaration_error("field", "the json block is not an object");
}

result<problem> parse_declaration(problem_draft const& draft, boost::json::object const& whole) {
    auto file = parse_problem_file(boost::json::serialize(whole),
                                   draft.known.reference,
                                   draft.known.signature,
                                   "the json block");
    if (!file) return file.error();
    return std::move(file->task);
}

/// What was open and has been read, in the place of what is known.
result<problem> filled_in(problem_draft const& draft, problem&& read) {
    problem task = draft.known;
    task.arguments.resize(task.signature.arguments.size());
    for (std::size_t const k : draft.open) task.arguments[k] = std::move(read.arguments[k]);
    if (task.size.empty()) {
        task.size = std::move(read.size);
        task.further_sizes = std::move(read.further_sizes);
        task.size_constraints = std::move(read.size_constraints);
    }
    if (draft.launch_is_open) {
        auto const fixed = fixed_block(task.reference, task.signature.name, task.parameters);
        if (!fixed) return fixed.error();
        expression const shared = task.launch.shared_bytes;
        task.launch = default_launch(task.size, task.parameters, *fixed);
        task.launch.shared_bytes = shared;
    }
    return task;
}

} // namespace detail

result<problem> read_problem_declaration(std::string_view reply, problem_draft const& draft) {
    bool const sizes = draft.known.size.empty();
    auto const block = detail::block_of(reply);
    if (!block) return block.error();
    if (auto e = detail::foreign_field(*block, "", {"KernelSpecification", "lkt"})) return *e;
    auto const kernel = detail::part_of(*block, "KernelSpecification");
    if (!kernel) return kernel.error();
    auto const lkt = detail::part_of(*block, "lkt");
    if (!lkt) return lkt.error();
    std::vector<std::string_view> of_kernel{"Arguments"};
    std::vector<std::string_view> of_lkt{"scalars", "domain", "scratch"};
    if (sizes) {
        of_kernel.insert(of_kernel.begin(), "ProblemSize");
        of_lkt.insert(of_lkt.begin(), {"sizes", "size_constraints"});
    }
    if (auto e = detail::foreign_field(*kernel, "KernelSpecification", of_kernel)) return *e;
    if (auto e = detail::foreign_field(*lkt, "lkt", of_lkt)) return *e;

    auto whole = detail::known_part(draft);
    auto& to = whole["KernelSpecification"].get_object();
    if (auto const* size = kernel->if_contains("ProblemSize"))
        to["ProblemSize"] = *size;
    else if (sizes)
        return detail::declaration_error("field", "`KernelSpecification.ProblemSize` is missing");
    if (auto const* given = kernel->if_contains("Arguments"); given && !given->is_null())
        if (auto e = detail::add_arguments(draft, *given, to["Arguments"].get_array())) return *e;
    if (auto e = detail::add_lkt(draft, *lkt, whole["lkt"].get_object())) return *e;
    auto read = detail::parse_declaration(draft, whole);
    if (!read) return read.error();
    if (auto e = detail::wrong_flow(draft, *read)) return *e;
    return detail::filled_in(draft, std::move(*read));
}

result<std::vector<declared_test>>
read_test_declaration(std::string_view reply, problem const& task, std::size_t most) {
    problem_draft const draft{task, {}, false};
    auto const block = detail::block_of(reply);
    if (!block) return block.error();
    if (auto e = detail::foreign_field(*block, "", {"lkt"})) return *e;
    auto const lkt = detail::part_of(*block, "lkt");
    if (!lkt) return lkt.error();
    if (auto e = detail::foreign_field(*lkt, "lkt", {"tests"})) return *e;
    auto whole = detail::known_part(draft);
    if (auto const* tests = lkt->if_contains("tests")) whole["lkt"].get_object()["tests"] = *tests;
    auto read = detail::parse_declaration(draft, whole);
    if (!read) return read.error();
    if (read->tests.empty() || read->tests.size() > most)
        return detail::declaration_error("tests",
                                         "`lkt.tests` has " + std::to_string(read->tests.size()) +
                                             " tests; give 1 to " + std::to_string(most));
    for (declared_test const& test : read->tests)
        for (auto const& [k, unused] : test.arguments)
            if (task.flow(k) == direction::out)
                return detail::declaration_error(
                    "flow",
                    "the test " + detail::ticked(test.name) + " fills " +
                        detail::ticked(task.signature.arguments[k].name) +
                        ", which the kernel only writes; leave it out");
    return std::move(read->tests);
}

} // namespace lkt
