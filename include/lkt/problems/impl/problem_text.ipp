// SPDX-License-Identifier: BSL-1.0
// What problem_reader reads, written.
#pragma once

#include <lkt/problems/problem_text.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/lang/fixed_block.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/problems/detail/fill_json.hpp>
#include <lkt/problems/detail/json_text.hpp>
#include <lkt/problems/problem_file.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace lkt::detail::problems {

struct unwritable {
    error why;
};

/// Writes one problem; what a file cannot say is thrown.
class problem_writer {
public:
    problem_writer(problem const& task, std::string const& folder)
        : task_(task), folder_(folder.empty() ? "." : folder) {}

    json::object write() const {
        if (task_.unwritten) cannot("an operation has no kernel yet; its own file says it");
        json::object space, lkt;
        if (!task_.parameters.empty()) space["TuningParameters"] = parameters();
        if (!task_.restrictions.empty()) space["Conditions"] = conditions();
        json::object kernel{{"Language", to_string(task_.reference.language)},
                            {"KernelName", task_.signature.name},
                            {"KernelFile", beside(task_.reference.origin)}};
        if (!task_.compiler_options.empty()) kernel["CompilerOptions"] = options();
        kernel["ProblemSize"] = extents(task_.size);
        launch(kernel);
        json::array buffers;
        json::object scalars, domain, fills, tolerance;
        json::array scratch, sizes, constraints, tests;
        auto const fixed = fixed_counts(task_.reference, task_.signature);
        for (std::size_t k = 0; k < task_.arguments.size(); ++k) {
            auto const& [spec, name] = std::pair<argument_spec const&, std::string const&>(
                task_.arguments[k], task_.signature.arguments[k].name);
            bool const pointer = task_.signature.arguments[k].pointer;
            if (pointer || spec.random) buffers.push_back(drawn(k, fixed[k], domain, fills));
            if (!pointer && !spec.random) {
                scalars[name] = formula(spec.value);
                if (auto bounds = bounds_of(spec); !bounds.empty())
                    domain[name] = std::move(bounds);
            }
            if (spec.scratch) scratch.push_back(json::string(name));
            if (spec.bound)
                tolerance[name] = json::object{{"rtol", spec.bound->relative},
                                               {"atol", spec.bound->absolute},
                                               {"share", spec.bound->share}};
        }
        kernel["Arguments"] = std::move(buffers);
        for (problem_size const& size : task_.further_sizes) sizes.push_back(extents(size));
        for (expression const& e : task_.size_constraints) constraints.push_back(formula(e));
        for (declared_test const& test : task_.tests) tests.push_back(test_of(test));
        auto const put = [&](char const* key, auto&& value) {
            if (!value.empty()) lkt[key] = std::move(value);
        };
        put("size_names", size_names());
        put("sizes", std::move(sizes));
        put("size_constraints", std::move(constraints));
        put("scalars", std::move(scalars));
        put("scratch", std::move(scratch));
        put("domain", std::move(domain));
        put("fills", std::move(fills));
        put("tolerance", std::move(tolerance));
        put("tests", std::move(tests));
        put("properties", properties());
        put("bindings", bindings());
        if (task_.oracle) lkt["oracle"] = oracle();
        put("work", work());
        if (!task_.notes.empty()) lkt["notes"] = task_.notes;
        json::object whole;
        if (!space.empty()) whole["ConfigurationSpace"] = std::move(space);
        whole["KernelSpecification"] = std::move(kernel);
        if (!lkt.empty()) whole["lkt"] = std::move(lkt);
        return whole;
    }

private:
    [[noreturn]] static void cannot(std::string const& what) {
        throw unwritable{{condition::rejected,
                          "lkt.problem.unwritable",
                          "a problem file cannot express that " + what,
                          "describe it in another way, or use the command line"}};
    }

    /// A file's path, relative to the folder.
    std::string beside(std::string const& path) const {
        namespace fs = std::filesystem;
        std::error_code failed;
        auto const from = fs::weakly_canonical(folder_, failed);
        auto const relative = fs::weakly_canonical(path, failed).lexically_relative(from);
        if (path.empty() || relative.empty() || *relative.begin() == "..")
            throw unwritable{{condition::rejected,
                              "lkt.problem.file",
                              in_backticks(path) + " is not in " + in_backticks(folder_) +
                                  ", the folder of the problem file",
                              "put the problem file beside the kernel's"}};
        return relative.generic_string();
    }

    /// With `ProblemSize[k]` for the names of sizes.
    std::string text_of(expression const& e) const {
        std::string const& text = e.text();
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            char const c = text[at];
            if (c == '\'' || c == '"') { // text in quotes is no name
                std::size_t const end = text.find(c, at + 1);
                std::size_t const next = end == std::string::npos ? text.size() : end + 1;
                out += text.substr(at, next - at);
                at = next;
                continue;
            }
            std::size_t end = at;
            while (end < text.size() &&
                   (is_identifier("_" + text.substr(end, 1)) || (end > at && text[end] == '.')))
                ++end;
            if (end == at) {
                out += text[at++];
                continue;
            }
            std::string word = text.substr(at, end - at);
            for (std::size_t k = 0; k < task_.size.size(); ++k)
                if (word == task_.size[k].first) {
                    word = "ProblemSize[" + std::to_string(k) + "]";
                    break;
                }
            out += word;
            at = end;
        }
        return out;
    }
    json::value formula(expression const& e) const { return json::string(text_of(e)); }

    json::object work() const {
        json::object w;
        if (task_.work.operations) w["flops"] = formula(*task_.work.operations);
        if (task_.work.bytes) w["bytes"] = formula(*task_.work.bytes);
        if (task_.work.type) w["type"] = json::string(to_string(*task_.work.type));
        return w;
    }

    static json::array extents(problem_size const& size) {
        json::array list;
        for (auto const& [name, extent] : size) list.push_back(extent);
        return list;
    }

    /// Nothing where they have no names of their own.
    json::array size_names() const {
        json::array list;
        for (auto const& [name, extent] : task_.size) {
            if (!is_identifier(name)) return {};
            list.push_back(json::string(name));
        }
        return list;
    }

    json::array parameters() const {
        json::array list;
        for (tunable_parameter const& p : task_.parameters) {
            json::array values;
            for (parameter_value const& v : p.values)
                std::visit([&](auto const& x) { values.emplace_back(x); }, v);
            constexpr char const* types[] = {"int", "float", "bool", "string"};
            list.push_back(json::object{{"Name", p.name},
                                        {"Type", types[p.values.front().index()]},
                                        {"Values", values},
                                        {"Default", values.front()}});
        }
        return list;
    }
    json::array conditions() const {
        json::array list;
        for (expression const& e : task_.restrictions) {
            json::array names;
            for (std::string const& name : e.names()) names.push_back(json::string(name));
            list.push_back(
                json::object{{"Expression", formula(e)}, {"Parameters", std::move(names)}});
        }
        return list;
    }
    json::array options() const {
        json::array list;
        for (std::string const& text : task_.compiler_options) list.push_back(json::string(text));
        return list;
    }

    void launch(json::object& kernel) const {
        auto const axes = [&](std::array<expression, 3> const& three) {
            return json::object{
                {"X", formula(three[0])}, {"Y", formula(three[1])}, {"Z", formula(three[2])}};
        };
        auto const fixed = fixed_block(task_.reference, task_.signature.name, task_.parameters);
        if (!fixed || !*fixed) kernel["LocalSize"] = axes(task_.launch.block);
        kernel["GlobalSizeType"] = "CUDA";
        kernel["GlobalSize"] = axes(task_.launch.grid);
        if (task_.launch.shared_bytes != expression(0))
            kernel["SharedMemory"] = formula(task_.launch.shared_bytes);
    }

    /// Of the arguments that a problem file calls otherwise than its kernel.
    json::object bindings() const {
        json::object list;
        if (task_.reference.language != language::wgsl) return list;
        auto const module = reflect_wgsl(task_.reference);
        if (!module) return list;
        auto const text = find_wgsl_kernel(task_.reference, *module, task_.signature.name);
        if (!text) return list;
        for (std::size_t k = 0; k < text->slots.size(); ++k) {
            wgsl_binding const& b = module->bindings[text->slots[k].binding];
            if (task_.signature.arguments[k].name != text->signature.arguments[k].name)
                list[task_.signature.arguments[k].name] =
                    json::object{{"group", b.group}, {"binding", b.binding}};
        }
        return list;
    }

    static json::object bounds_of(argument_spec const& spec) {
        json::object bounds;
        if (spec.min && std::isfinite(*spec.min)) bounds["min"] = *spec.min;
        if (spec.max && std::isfinite(*spec.max)) bounds["max"] = *spec.max;
        return bounds;
    }

    /// An argument whose values are drawn: a buffer, or a random scalar.
    json::object
    drawn(std::size_t k, std::uint64_t fixed, json::object& domain, json::object& fills) const {
        argument const& a = task_.signature.arguments[k];
        argument_spec const& spec = task_.arguments[k];
        json::object entry{{"Name", a.name}};
        if (is_float8(a.type.scalar) || is_half_byte(a.type.scalar))
            entry["Type"] = to_string(a.type);
        if (a.constant_count == 0) entry["MemoryType"] = a.pointer ? "Vector" : "Scalar";
        if (a.pointer && fixed == 0) entry["Size"] = formula(spec.count);
        if (a.pointer) switch (spec.flow.value_or(a.flow)) {
            case direction::in:
                entry["AccessType"] = "ReadOnly";
                break;
            case direction::out:
                entry["AccessType"] = "WriteOnly";
                break;
            case direction::inout:
                entry["AccessType"] = "ReadWrite";
                break;
            }
        json::object bounds = bounds_of(spec);
        // Without a domain a reader takes any finite value of a floating type for fair, where the
        // problem says that only those which its fill draws are.
        bool const by_fill = a.pointer && is_floating(a.type.scalar) && !spec.min && !spec.max;
        auto const fill = [&] {
            declared_fill whole;
            whole.fill = spec.fill;
            fills[a.name] = fill_json(whole, [&](expression const& e) { return formula(e); });
        };
        if (auto const* c = std::get_if<constant>(&spec.fill)) {
            entry["FillType"] = "Constant";
            entry["FillValue"] = c->value;
            if (by_fill) fill();
        } else if (auto const* u = std::get_if<uniform>(&spec.fill)) {
            bool const from_zero = u->low == 0 || u->high == 0;
            if (from_zero || !a.pointer) {
                entry["FillType"] = "Random";
                entry["FillValue"] = u->low == 0 ? u->high : u->low;
            }
            // Neither T1's fill nor the default: the domain says it.
            if ((by_fill || !from_zero) && *u != uniform{} && bounds.empty())
                bounds = {{"min", u->low}, {"max", u->high}};
        } else {
            if (!a.pointer) entry["FillType"] = "Random";
            fill();
        }
        if (!bounds.empty()) domain[a.name] = std::move(bounds);
        return entry;
    }

    json::object test_of(declared_test const& test) const {
        json::object arguments;
        for (auto const& [k, fill] : test.arguments)
            arguments[task_.signature.arguments[k].name] =
                fill_json(fill, [&](expression const& e) { return formula(e); });
        return {{"name", test.name}, {"arguments", std::move(arguments)}};
    }
    json::array names_of(std::vector<std::size_t> const& arguments) const {
        json::array list;
        for (std::size_t const k : arguments)
            list.push_back(json::string(task_.signature.arguments[k].name));
        return list;
    }
    json::object properties() const {
        using atomic_use = kernel_properties::atomic_use;
        kernel_properties const& p = task_.properties;
        json::object o;
        if (p.deterministic) o["deterministic"] = true;
        if (p.fast_math) o["fast_math"] = true;
        if (p.atomics != atomic_use::unspecified)
            o["atomics"] = p.atomics == atomic_use::none      ? "none"
                           : p.atomics == atomic_use::integer ? "integer"
                                                              : "float";
        if (p.propagates) o["nonfinite"] = "propagate";
        if (p.compensated) o["accuracy"] = "compensated";
        if (!p.in_place.empty()) o["in_place"] = names_of(p.in_place);
        if (!p.permutation_invariant.empty())
            o["permutation_invariant"] = names_of(p.permutation_invariant);
        json::array linear;
        for (auto const& set : p.linear) linear.push_back(names_of(set));
        if (!linear.empty()) o["linear"] = std::move(linear);
        return o;
    }
    json::object oracle() const {
        if (!task_.oracle->text.empty()) cannot("the outputs are those of an operation");
        std::string const path = beside(task_.oracle->path);
        switch (task_.oracle->from) {
        case oracle_source::kind::numpy:
            return {{"numpy", path + ":" + task_.oracle->function}};
        case oracle_source::kind::torch:
            return {{"torch", path + ":" + task_.oracle->function}};
        case oracle_source::kind::recorded:
            return {{"recorded", path}};
        }
        return {};
    }

    problem const& task_;
    std::string folder_;
};

} // namespace lkt::detail::problems

namespace lkt {

result<std::string> problem_text(problem const& task, std::string const& folder) {
    std::string text;
    try {
        detail::problems::print_value(
            text, detail::problems::problem_writer(task, folder).write(), 0);
    } catch (detail::problems::unwritable& defect) {
        return std::move(defect.why);
    }
    text = plain_json(std::move(text)) + '\n';
    // One that could not be read would be worse than none.
    auto const again = parse_problem_file(text, folder, "the problem file");
    if (!again) return again.error();
    return text;
}

} // namespace lkt
