// SPDX-License-Identifier: BSL-1.0
// An operation: a Python function with its inputs and outputs, from which the declaration of a
// kernel follows that is still to be written.
#pragma once

#include <lkt/core/files.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/problems/detail/problem_reader.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::problems {

/// An input or an output; a scalar has no shape.
struct operand {
    std::string name;
    scalar_type type = scalar_type::float32;
    bool scalar = false;
    std::vector<std::string> shape; ///< expressions over the sizes
    argument_spec spec;
};

struct operand_type {
    scalar_type type;
    std::string_view cuda, wgsl; ///< empty: the language has none
};
constexpr operand_type operand_types[] = {
    {scalar_type::float32, "float", "f32"},
    {scalar_type::float16, "__half", "f16"},
    {scalar_type::bfloat16, "__nv_bfloat16", ""},
    {scalar_type::float8_e4m3, "__nv_fp8_e4m3", ""},
    {scalar_type::float8_e5m2, "__nv_fp8_e5m2", ""},
    {scalar_type::float64, "double", ""},
    {scalar_type::int32, "int", "i32"},
    {scalar_type::uint32, "unsigned int", "u32"},
    {scalar_type::int64, "long long", ""},
    {scalar_type::uint64, "unsigned long long", ""},
    {scalar_type::int8, "signed char", ""},
    {scalar_type::uint8, "unsigned char", ""},
    {scalar_type::int16, "short", ""},
    {scalar_type::uint16, "unsigned short", ""},
};

inline operand_type const* operand_type_of(scalar_type type) {
    for (operand_type const& t : operand_types)
        if (t.type == type) return &t;
    return nullptr;
}

/// What an operation says, read and checked.
struct operation_text {
    std::vector<operand> inputs, outputs;
    std::vector<std::string> sizes;
    std::string script, function, parameters;
    std::vector<std::pair<std::string, std::int64_t>> whole; ///< parameters, for shapes
};

/// A name in the kernel and in the Python function.
inline std::string operation_name(json_field const& f, std::vector<std::string>& taken) {
    std::string name = f.text();
    if (!is_identifier(name)) f.wrong_value(in_backticks(name, 40) + " is not a name");
    static constexpr std::string_view reserved[] = {
        "lkt_operation", "lkt_array", "lkt_checked", "np", "torch", "size", "id", "scalars"};
    if (std::find(std::begin(reserved), std::end(reserved), name) != std::end(reserved))
        f.wrong_value(in_backticks(name, 40) + " has a meaning of its own here");
    if (std::find(taken.begin(), taken.end(), name) != taken.end())
        f.wrong_value("there are two of the name " + in_backticks(name, 40));
    taken.push_back(name);
    return name;
}

/// An extent, with numbers for the names of parameters.
inline std::string
operation_extent(json_field const& f, operation_text const& o, problem_size const& size) {
    std::string text = f.value().is_int64() ? std::to_string(f.integer()) : f.text();
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_identifier("_" + text.substr(end, 1))) ++end;
        if (end == at) {
            out += text[at++];
            continue;
        }
        std::string word = text.substr(at, end - at);
        for (auto const& [name, value] : o.whole)
            if (name == word) word = std::to_string(value);
        out += word;
        at = end;
    }
    auto const e = expression::parse(out);
    if (!e) f.wrong_value(e.error().message);
    problem_size named = size;
    for (std::size_t k = 0; k < named.size(); ++k) named[k].first = o.sizes[k];
    for (std::string const& name : e->names())
        if (std::find(o.sizes.begin(), o.sizes.end(), name) == o.sizes.end())
            f.wrong_value("unknown name " + in_backticks(name, 40) +
                          "; extents are over lkt.size_names and whole parameters");
    auto const value = e->evaluate_integer(scope_of(named, {}));
    if (!value) f.wrong_value(value.error().message);
    if (*value < 1)
        f.wrong_value("it is " + std::to_string(*value) + " at KernelSpecification.ProblemSize");
    return out;
}

inline operand read_operand(json_field const& f,
                            bool input,
                            operation_text const& o,
                            problem_size const& size,
                            language target,
                            std::vector<std::string>& taken) {
    if (input)
        f.only({"name", "shape", "dtype", "value"});
    else
        f.only({"name", "shape", "dtype"});
    operand made;
    made.name = operation_name(f.at("name"), taken);
    if (auto const t = f.find("dtype")) {
        operand_type const* known = nullptr;
        std::string names;
        for (operand_type const& one : operand_types) {
            if (to_string(one.type) == t->text()) known = &one;
            names += (names.empty() ? "" : ", ") + std::string(to_string(one.type));
        }
        if (known == nullptr)
            t->wrong_value(in_backticks(t->text(), 40) + " is not one of " + names);
        made.type = known->type;
        if (target == language::wgsl && known->wgsl.empty())
            t->wrong_value("WGSL has no " + t->text());
        if (target == language::hip && is_float8(made.type))
            t->wrong_value("lkt knows " + t->text() + " in CUDA only");
    }
    auto const shape = f.find("shape");
    if (!input) (void)f.at("shape"); // says so where it is missing
    made.scalar = !shape;
    if (!shape) {
        if (made.type != scalar_type::float32 && made.type != scalar_type::int32 &&
            made.type != scalar_type::uint32 && made.type != scalar_type::float64)
            f.wrong_value("a scalar is a float32, float64, int32 or uint32");
        json_field const value = f.at("value");
        auto e = value.value().is_double() ? expression::parse(real_text(value.number()))
                                           : result<expression>(expression(value.integer()));
        if (!e) value.wrong_value(e.error().message);
        made.spec.value = std::move(*e);
        return made;
    }
    if (auto const v = f.find("value"))
        v->wrong_value("only an input without a shape has one; lkt.domain bounds arrays");
    std::string count;
    for (json_field const& item : shape->items()) {
        made.shape.push_back(operation_extent(item, o, size));
        count += (count.empty() ? "(" : " * (") + made.shape.back() + ")";
    }
    auto e = expression::parse(count.empty() ? "1" : count);
    if (!e) shape->wrong_value(e.error().message);
    made.spec.count = std::move(*e);
    made.spec.flow = input ? direction::in : direction::out;
    return made;
}

/// As Python spells it.
inline std::string python_value(json_field const& f) {
    json::value const& v = f.value();
    if (v.is_bool()) return v.get_bool() ? "True" : "False";
    if (v.is_int64() || v.is_uint64()) return std::to_string(f.integer());
    if (v.is_double()) return real_text(f.number());
    if (v.is_string()) {
        std::string out = "\"";
        for (char const c : f.text()) {
            if (static_cast<unsigned char>(c) < 0x20) f.wrong_value("it has a control character");
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
        return out + "\"";
    }
    if (!v.is_array()) f.wrong_type("a number, a truth value, a text, or a list of these");
    std::string out = "(";
    for (json_field const& item : f.items()) out += python_value(item) + ", ";
    return out + ")";
}

inline std::string python_shape(operand const& o) {
    return "(" + joined(o.shape, ", ") + (o.shape.size() == 1 ? ",)" : ")");
}

/// The function that an oracle calls: it gets what the kernel gets, and calls the user's.
inline std::string operation_script(operation_text const& o, bool torch) {
    std::string text = o.script;
    if (!text.ends_with('\n')) text += '\n';
    std::vector<std::string> given, names, passed, results, checked;
    for (bool const scalar : {false, true})
        for (operand const& i : o.inputs)
            if (i.scalar == scalar) given.push_back(i.name);
    for (std::string const& s : o.sizes) given.push_back(s);
    text += "\n\n# How the kernel's arguments reach the function.\n";
    text += torch ? "import torch\n" : "import numpy as np\n";
    for (operand const& i : o.inputs) names.push_back(i.name);
    text += "def lkt_operation(" + joined(given, ", ") + "):\n";
    text += "    ceil_div = lambda a, b: -(-a // b)\n";
    for (operand const& i : o.inputs) {
        if (i.scalar) continue;
        text += "    " + i.name + " = " + i.name + ".reshape(" + python_shape(i) + ")";
        if (is_floating(i.type)) text += torch ? ".double()" : ".astype(np.float64)";
        text += "\n";
    }
    text += "    got = " + o.function + "(" + joined(names, ", ") +
            (o.parameters.empty() || names.empty() ? "" : ", ") + o.parameters + ")\n";
    if (o.outputs.size() == 1) text += "    got = [got]\n";
    text += "    wanted = [";
    for (operand const& out : o.outputs) checked.push_back(python_shape(out));
    text += joined(checked, ", ") + "]\n";
    text += "    shapes = [tuple(" + std::string(torch ? "torch.as_tensor" : "np.asarray") +
            "(g).shape) for g in got]\n"
            "    if shapes != wanted:\n"
            "        raise ValueError(f\"the function returned the shapes {shapes}, not "
            "{wanted}\")\n"
            "    return list(got)\n";
    return text;
}

inline std::string
operation_declaration(operation_text const& o, std::string const& name, language target) {
    bool const wgsl = target == language::wgsl;
    auto const spelled = [&](scalar_type t) {
        operand_type const* const known = operand_type_of(t);
        return std::string(wgsl ? known->wgsl : known->cuda);
    };
    std::vector<std::pair<std::string, std::string>> scalars;
    bool half = false, bfloat = false, float8 = false;
    for (operand const& i : o.inputs)
        if (i.scalar) scalars.emplace_back(i.name, spelled(i.type));
    for (std::string const& s : o.sizes) scalars.emplace_back(s, wgsl ? "i32" : "int");
    std::vector<std::string> parameters;
    std::string buffers, uses, members;
    std::size_t binding = 0;
    for (auto const* list : {&o.inputs, &o.outputs})
        for (operand const& a : *list) {
            bool const in = list == &o.inputs;
            half = half || a.type == scalar_type::float16;
            bfloat = bfloat || a.type == scalar_type::bfloat16;
            float8 = float8 || is_float8(a.type);
            if (a.scalar) continue;
            parameters.push_back(spelled(a.type) +
                                 (in ? " const* __restrict__ " : "* __restrict__ ") + a.name);
            buffers += "@group(0) @binding(" + std::to_string(binding++) + ") var<storage, " +
                       (in ? "read" : "read_write") + "> " + a.name + ": array<" + spelled(a.type) +
                       ">;\n";
            uses += "    _ = &" + a.name + ";\n";
        }
    for (auto const& [scalar, type] : scalars) {
        parameters.push_back(type + " " + scalar);
        members += "    " + scalar + ": " + type + ",\n";
        uses += "    _ = scalars." + scalar + ";\n";
    }
    std::string includes;
    std::string const vendor = target == language::hip ? "hip/hip" : "cuda";
    if (wgsl && half) includes = "enable f16;\n\n";
    if (!wgsl && half) includes += "#include <" + vendor + "_fp16.h>\n";
    if (!wgsl && bfloat) includes += "#include <" + vendor + "_bf16.h>\n";
    if (float8) includes += "#include <cuda_fp8.h>\n";
    if (!wgsl && !includes.empty()) includes += "\n";
    if (!wgsl)
        return includes + "extern \"C\" __global__ void " + name + "(" + joined(parameters, ", ") +
               ")\n{\n}\n";
    if (!members.empty()) {
        members = "struct Scalars {\n" + members + "}\n\n";
        buffers +=
            "@group(0) @binding(" + std::to_string(binding) + ") var<uniform> scalars: Scalars;\n";
    }
    return includes + members + buffers + "\n@compute @workgroup_size(64)\nfn " + name +
           "(@builtin(global_invocation_id) id: vec3<u32>) {\n" + uses + "}\n";
}

void problem_reader::read_operation(json_field const& kernel) {
    if (at_hand_) operation_->wrong_value("a problem that is not read from a file cannot have one");
    for (std::string_view const other : {"KernelFile", "Arguments"})
        if (auto const f = kernel.find(other))
            f->wrong_value("an operation has no kernel yet; its own inputs and outputs are in "
                           "lkt.operation");
    for (std::string_view const other : {"oracle", "bindings", "scalars", "scratch"})
        if (auto const f = lkt_->find(other)) f->wrong_value("it follows from lkt.operation");
    operation_->only({"numpy", "torch", "inputs", "outputs", "parameters"});
    if (target_) task_.reference.language = *target_;
    std::string const name = kernel.at("KernelName").text();
    std::vector<std::string> taken;
    operation_name(kernel.at("KernelName"), taken);
    operation_text o;
    if (!task_.size.empty())
        for (json_field const& item : lkt_->at("size_names").items())
            o.sizes.push_back(operation_name(item, taken));
    if (o.sizes.size() != task_.size.size())
        lkt_->at("size_names")
            .wrong_value("a name is needed for each of the " + std::to_string(task_.size.size()) +
                         " extents of KernelSpecification.ProblemSize");
    if (auto const list = operation_->find("parameters"))
        for (auto const& [key, f] : list->members()) {
            if (!is_identifier(key)) f.wrong_value(in_backticks(key, 40) + " is not a name");
            o.parameters += (o.parameters.empty() ? "" : ", ") + key + "=" + python_value(f);
            if (f.value().is_int64() && std::find(taken.begin(), taken.end(), key) == taken.end())
                o.whole.emplace_back(key, f.integer());
        }
    language const target = task_.reference.language;
    if (auto const list = operation_->find("inputs"))
        for (json_field const& item : list->items())
            o.inputs.push_back(read_operand(item, true, o, task_.size, target, taken));
    for (json_field const& item : operation_->at("outputs").items())
        o.outputs.push_back(read_operand(item, false, o, task_.size, target, taken));
    if (o.outputs.empty()) operation_->at("outputs").wrong_value("an operation has an output");

    bool const torch = operation_->find("torch").has_value();
    if (torch == operation_->find("numpy").has_value())
        operation_->wrong_value("it must have one of numpy and torch");
    json_field const where = operation_->at(torch ? "torch" : "numpy");
    std::string origin = origin_;
    if (where.value().is_object()) {
        where.only({"source", "function"});
        json_field const source = where.at("source");
        if (source.value().is_array()) {
            for (json_field const& line : source.items()) o.script += line.text() + "\n";
        } else {
            o.script = source.text();
        }
        o.function = where.at("function").text();
        if (!is_identifier(o.function))
            where.at("function").wrong_value(in_backticks(o.function, 40) + " is not a name");
    } else {
        std::string const text = where.text();
        std::size_t const colon = text.rfind(':');
        if (colon == std::string::npos || !is_identifier(text.substr(colon + 1)))
            where.wrong_value(in_backticks(text, 60) +
                              " is not FILE:FUNCTION; or give an object with source and function");
        origin = inside_folder(where, text.substr(0, colon));
        o.function = text.substr(colon + 1);
        auto read = read_text_file(origin, max_kernel_bytes);
        if (!read) {
            error e = read.error();
            e.message = where.path() + ": " + e.message;
            throw problem_defect{std::move(e)};
        }
        o.script = std::move(*read);
    }
    task_.oracle = oracle_source{torch ? oracle_source::kind::torch : oracle_source::kind::numpy,
                                 origin,
                                 "lkt_operation",
                                 operation_script(o, torch)};
    task_.reference.text = operation_declaration(o, name, target);
    task_.reference.origin = origin_;
    auto declared = find_kernel(task_.reference, name);
    if (!declared) throw problem_defect{declared.error()};
    task_.signature = std::move(*declared);
    task_.unwritten = true;
    // In the order of the declaration: buffers, then scalars, then sizes.
    for (auto const* list : {&o.inputs, &o.outputs})
        for (operand const& a : *list)
            if (!a.scalar) task_.arguments.push_back(a.spec);
    for (operand const& a : o.inputs)
        if (a.scalar) task_.arguments.push_back(a.spec);
    for (std::string const& s : o.sizes) {
        argument_spec spec;
        spec.value = expression::parse(s).value();
        task_.arguments.push_back(std::move(spec));
    }
}

} // namespace lkt::detail::problems
