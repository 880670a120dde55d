// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/problem_file.hpp>

#include <lkt/core/files.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/detail/json_fields.hpp>
#include <lkt/kernel/detail/parameter_values.hpp>
#include <lkt/kernel/detail/python_list.hpp>
#include <lkt/kernel/launch.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/tokens.hpp>
#include <lkt/kernel/wgsl.hpp>

#include <array>
#include <filesystem>
#include <memory>
#include <utility>

namespace lkt::detail::kernel {

class problem_reader {
public:
    problem_reader(problem_file& out, std::string folder, std::string origin)
        : out_(out), task_(out.task), folder_(std::move(folder)), origin_(std::move(origin)) {}

    /// For a kernel that is at hand.
    problem_reader(problem_file& out,
                   kernel_source const& kernel,
                   signature const& declared,
                   std::string origin)
        : out_(out), task_(out.task), origin_(std::move(origin)), at_hand_(true) {
        task_.reference = kernel;
        task_.signature = declared;
    }

    void read(json::value const& root) {
        json_field const top(root, "");
        if (!root.is_object()) reject("type", origin_ + ": the file must hold an object");
        top.check_spelling({"ConfigurationSpace", "KernelSpecification", "lkt"});
        if (auto const space = top.find("ConfigurationSpace")) read_space(*space);
        json_field const kernel = top.at("KernelSpecification");
        kernel.check_spelling({"Language",
                               "CompilerOptions",
                               "KernelName",
                               "KernelFile",
                               "GlobalSizeType",
                               "GlobalSize",
                               "LocalSize",
                               "ProblemSize",
                               "SharedMemory",
                               "Arguments"});
        read_size(kernel);
        lkt_ = top.find("lkt");
        if (lkt_) read_lkt();
        // What cannot be done is said before any other file is opened.
        refuse_unsupported(kernel);
        read_kernel(kernel);
        read_arguments(kernel);
        read_launch(kernel);
        read_domain_and_tolerance();
    }

private:
    // --- tuning parameters -----------------------------------------------------------------
    void read_space(json_field const& space) {
        space.check_spelling({"TuningParameters", "Conditions"});
        if (auto const list = space.find("TuningParameters"))
            for (json_field const& item : list->items()) read_parameter(item);
        if (auto const list = space.find("Conditions"))
            for (json_field const& item : list->items()) {
                item.check_spelling({"Expression", "Parameters"});
                json_field const text = item.at("Expression");
                expression const condition = formula(text);
                for (std::string const& name : condition.names())
                    if (parameter(name) == nullptr)
                        text.wrong_value("there is no tuning parameter " + in_backticks(name, 40));
                task_.restrictions.push_back(condition);
            }
    }

    void read_parameter(json_field const& item) {
        item.check_spelling({"Name", "Type", "Values", "Default"});
        tunable_parameter p;
        p.name = item.at("Name").text();
        if (!is_identifier(p.name))
            item.at("Name").wrong_value(in_backticks(p.name, 40) + " is not an identifier");
        if (parameter(p.name) != nullptr)
            item.at("Name").wrong_value("there are two parameters called " + p.name);
        std::string const type = item.find("Type") ? item.at("Type").text() : "";
        for (std::string_view const known : {"", "int", "uint", "float", "bool", "string"})
            if (type == known) p.values = values_of_parameter(item.at("Values"), type);
        if (p.values.empty() && type != "int" && type != "uint" && type != "float" &&
            type != "bool" && type != "string" && !type.empty())
            item.at("Type").wrong_value(in_backticks(type, 40) +
                                        " is none of int, uint, float, bool, string");
        if (p.values.empty()) item.at("Values").wrong_value("there are no values");
        if (auto const e = settle(p.name, p.values)) item.at("Values").wrong_value(e->message);
        if (auto const d = item.find("Default")) choose_default(p, *d, type);
        task_.parameters.push_back(std::move(p));
    }
    [[nodiscard]] tunable_parameter const* parameter(std::string_view name) const {
        for (tunable_parameter const& p : task_.parameters)
            if (p.name == name) return &p;
        return nullptr;
    }

    static parameter_value plain_value(json_field const& f) {
        json::value const& v = f.value();
        if (v.is_bool()) return v.get_bool();
        if (v.is_string()) return f.text();
        if (v.is_double()) return v.get_double();
        return f.integer();
    }
    std::vector<parameter_value> values_of_parameter(json_field const& f,
                                                     std::string const& type) const {
        std::vector<parameter_value> values;
        if (f.value().is_array()) {
            for (json_field const& item : f.items()) values.push_back(plain_value(item));
        } else if (f.value().is_string()) {
            auto read = python_list::read(f.text());
            if (!read) reject("value", f.path() + ": " + read.error().message, read.error().hint);
            values = std::move(*read);
        } else {
            f.wrong_type("a list of values, or one in Python's spelling");
        }
        for (parameter_value& v : values) v = converted(f, std::move(v), type);
        return values;
    }
    static parameter_value
    converted(json_field const& f, parameter_value v, std::string const& type) {
        auto const* i = std::get_if<std::int64_t>(&v);
        auto const* d = std::get_if<double>(&v);
        auto const* b = std::get_if<bool>(&v);
        bool const text = std::holds_alternative<std::string>(v);
        if ((type == "int" || type == "uint") && d != nullptr && std::trunc(*d) == *d &&
            std::fabs(*d) < 9e15)
            return static_cast<std::int64_t>(*d);
        if ((type == "int" || type == "uint") && b != nullptr) return std::int64_t{*b};
        if (type == "float" && i != nullptr) return static_cast<double>(*i);
        if (type == "bool" && i != nullptr && (*i == 0 || *i == 1)) return *i == 1;
        bool const fits = type.empty() || (type == "int" && i != nullptr) ||
                          (type == "uint" && i != nullptr && *i >= 0) ||
                          (type == "float" && d != nullptr) || (type == "bool" && b != nullptr) ||
                          (type == "string" && text);
        if (!fits) f.wrong_value(value_text(v) + " is no value of type " + type);
        return v;
    }

    /// The default comes first. Files in use have defaults that are not among the values.
    void choose_default(tunable_parameter& p, json_field const& f, std::string const& type) {
        std::vector<json_field> one;
        if (f.value().is_array()) one = f.items();
        if (one.size() > 1) f.wrong_type("one value");
        json_field const& single = one.empty() ? f : one.front();
        if (f.value().is_array() && one.empty()) f.wrong_type("one value");
        parameter_value v = converted(f, plain_value(single), type);
        if (auto const* i = std::get_if<std::int64_t>(&v);
            i != nullptr && std::holds_alternative<double>(p.values.front()))
            v = static_cast<double>(*i);
        auto const at = std::find(p.values.begin(), p.values.end(), v);
        if (at == p.values.end())
            out_.warnings.push_back(f.path() + ": " + value_text(v) +
                                    " is not among the values of " + p.name + "; the default is " +
                                    value_text(p.values.front()));
        else
            std::rotate(p.values.begin(), at, at + 1);
    }

    // --- sizes -----------------------------------------------------------------------------
    static expression formula(json_field const& f) {
        if (f.value().is_int64()) return f.integer();
        if (!f.value().is_string()) f.wrong_type("a whole number or an expression");
        auto e = expression::parse(f.text());
        if (!e) f.wrong_value(e.error().message);
        return *e;
    }
    static problem_size extents(json_field const& f) {
        std::vector<json_field> items;
        if (f.value().is_array())
            items = f.items();
        else
            items.push_back(f);
        problem_size size;
        for (json_field const& item : items) {
            std::int64_t const extent = item.integer();
            if (extent < 1 || extent > (std::int64_t{1} << 40))
                item.wrong_value(std::to_string(extent) + " is not between 1 and 2^40");
            size.emplace_back("ProblemSize[" + std::to_string(size.size()) + "]", extent);
        }
        return size;
    }
    void read_size(json_field const& kernel) {
        if (auto const f = kernel.find("ProblemSize")) task_.size = extents(*f);
    }

    // --- the lkt object ----------------------------------------------------------------------
    void read_lkt() {
        lkt_->only({"sizes",
                    "size_constraints",
                    "scalars",
                    "scratch",
                    "domain",
                    "tests",
                    "tolerance",
                    "properties",
                    "bindings",
                    "oracle",
                    "notes"});
        for (std::string_view const later :
             {"size_constraints", "scratch", "tests", "properties", "oracle"})
            if (auto const f = lkt_->find(later)) f->unsupported();
        if (auto const f = lkt_->find("notes")) task_.notes = f->text();
        if (auto const f = lkt_->find("sizes"))
            for (json_field const& item : f->items()) {
                problem_size size = extents(item);
                if (size.size() != task_.size.size())
                    item.wrong_value("a size has " + std::to_string(task_.size.size()) +
                                     " extents, as KernelSpecification.ProblemSize has");
                task_.further_sizes.push_back(std::move(size));
            }
    }

    // --- the kernel ------------------------------------------------------------------------
    void refuse_unsupported(json_field const& kernel) {
        if (auto const f = kernel.find("Language"); f && !at_hand_) {
            std::string const name = f->text();
            if (name == "HIP")
                task_.reference.language = language::hip;
            else if (name == "WGSL")
                task_.reference.language = language::wgsl;
            else if (name == "OpenCL" || name == "Vulkan" || name == "Hypertuner")
                f->unsupported(name);
            else if (name != "CUDA")
                f->wrong_value(in_backticks(name, 40) + " is none of CUDA, HIP, WGSL");
        }
        if (auto const f = kernel.find("GlobalSizeType")) {
            std::string const name = f->text();
            if (name == "Vulkan") f->unsupported(name);
            if (name != "CUDA" && name != "OpenCL")
                f->wrong_value(in_backticks(name, 40) + " is neither CUDA nor OpenCL");
        }
        if (auto const f = kernel.find("ReferenceArguments"))
            if (!f->items().empty()) f->unsupported();
        auto const list = kernel.find("Arguments");
        if (!list) return;
        for (json_field const& item : list->items()) {
            item.check_spelling({"Name",
                                 "Type",
                                 "MemoryType",
                                 "MemType",
                                 "AccessType",
                                 "FillType",
                                 "FillValue",
                                 "Size",
                                 "Output"});
            for (std::string_view const later : {"DataSource", "RandomSeed", "TypeSize"})
                if (auto const f = item.find(later)) f->unsupported();
            // Kernel Tuner's mark for data in constant memory, its `cmem_args`.
            if (auto const f = item.find("MemType"); f && f->text() != "Constant")
                f->unsupported(f->text());
            if (auto const f = item.find("MemoryType"))
                choice(*f, {"Scalar", "Vector", "Constant"}, {"Local", "Symbol"});
            if (auto const f = item.find("FillType"))
                choice(
                    *f, {"Constant", "Random"}, {"Generator", "Script", "BinaryRaw", "BinaryHDF"});
            if (auto const f = item.find("AccessType"))
                choice(*f, {"ReadOnly", "WriteOnly", "ReadWrite"}, {});
        }
    }
    static std::string choice(json_field const& f,
                              std::initializer_list<std::string_view> known,
                              std::initializer_list<std::string_view> later) {
        std::string const name = f.text();
        if (std::find(later.begin(), later.end(), name) != later.end()) f.unsupported(name);
        std::string list;
        for (std::string_view const k : known) {
            if (name == k) return name;
            list += (list.empty() ? "" : ", ") + std::string(k);
        }
        f.wrong_value(in_backticks(name, 40) + " is none of " + list);
    }

    void read_kernel(json_field const& kernel) {
        if (!at_hand_) read_kernel_file(kernel);
        if (auto const options = kernel.find("CompilerOptions"))
            for (json_field const& item : options->items())
                task_.compiler_options.push_back(item.text());
    }
    void read_kernel_file(json_field const& kernel) {
        json_field const file = kernel.at("KernelFile");
        std::string const path = inside_folder(file);
        if (path.ends_with(".hip") && !kernel.find("Language"))
            task_.reference.language = language::hip;
        if (path.ends_with(".wgsl") && !kernel.find("Language"))
            task_.reference.language = language::wgsl;
        auto text = read_text_file(path, longest_kernel_text);
        if (!text) {
            error e = text.error();
            e.message = file.path() + ": " + e.message;
            throw problem_defect{std::move(e)};
        }
        task_.reference.text = std::move(*text);
        task_.reference.origin = path;
        std::string const name = kernel.find("KernelName") ? kernel.at("KernelName").text() : "";
        auto signature = find_kernel(task_.reference, name);
        if (!signature) throw problem_defect{signature.error()};
        task_.signature = std::move(*signature);
        if (auto const f = lkt_ ? lkt_->find("bindings") : std::nullopt) read_bindings(*f);
    }
    /// What the file calls the arguments of a WGSL kernel, by where they are bound. From here on
    /// they have these names, whatever the text calls them.
    void read_bindings(json_field const& list) {
        if (task_.reference.language != language::wgsl)
            list.wrong_value("only WGSL has bindings, and this is " +
                             std::string(to_string(task_.reference.language)));
        auto const module = reflect_wgsl(task_.reference);
        if (!module) throw problem_defect{module.error()};
        auto const kernel = find_wgsl_kernel(task_.reference, *module, task_.signature.name);
        if (!kernel) throw problem_defect{kernel.error()};
        std::vector<bool> named(kernel->slots.size());
        for (auto const& [name, f] : list.members()) {
            f.only({"group", "binding", "space"});
            std::size_t const i = bound_argument(f, name, *module, *kernel);
            if (named[i])
                f.wrong_value("argument " + in_backticks(kernel->signature.arguments[i].name, 40) +
                              " has another name already");
            named[i] = true;
            task_.signature.arguments[i].name = name;
        }
        for (std::size_t i = 0; i < named.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (task_.signature.arguments[i].name == task_.signature.arguments[k].name)
                    list.wrong_value("two arguments are called " +
                                     in_backticks(task_.signature.arguments[i].name, 40));
    }
    /// The argument at a group and a binding; of a uniform struct's members the one of that name.
    static std::size_t bound_argument(json_field const& f,
                                      std::string const& name,
                                      wgsl_module const& module,
                                      wgsl_kernel const& kernel) {
        std::int64_t const group = f.find("group") ? f.at("group").integer() : 0;
        std::int64_t const binding = f.at("binding").integer();
        std::vector<std::size_t> there;
        for (std::size_t i = 0; i < kernel.slots.size(); ++i) {
            wgsl_binding const& b = module.bindings[kernel.slots[i].binding];
            if (b.group != group || b.binding != binding) continue;
            bool const uniform = b.space == wgsl_space::uniform;
            if (auto const s = f.find("space"); s && s->text() != (uniform ? "uniform" : "storage"))
                s->wrong_value("the kernel declares " + in_backticks(b.spelling));
            if (kernel.signature.arguments[i].name == name) return i;
            there.push_back(i);
        }
        if (there.size() == 1) return there.front();
        std::string const place =
            "@group(" + std::to_string(group) + ") @binding(" + std::to_string(binding) + ")";
        if (there.empty()) f.wrong_value("the kernel uses no buffer at " + place);
        f.wrong_value("the struct at " + place + " has no member " + in_backticks(name, 40));
    }
    /// A problem file may come from anywhere, and its kernel's text goes to a model: what lies
    /// outside of its folder is not its business.
    [[nodiscard]] std::string inside_folder(json_field const& file) const {
        namespace fs = std::filesystem;
        std::string const name = file.text();
        auto const outside = [&] {
            reject("file",
                   file.path() + ": " + in_backticks(name) +
                       " does not lie in the folder of the problem file",
                   "give a path relative to the problem file, without ..");
        };
        if (name.empty() || name.find('\0') != std::string::npos)
            file.wrong_value("this is not the name of a file");
        fs::path const relative(name);
        if (relative.is_absolute()) outside();
        for (fs::path const& part : relative)
            if (part == "..") outside();
        fs::path const folder = folder_.empty() ? fs::path(".") : fs::path(folder_);
        std::error_code missing;
        fs::path const root = fs::canonical(folder, missing);
        fs::path const real = missing ? fs::path() : fs::canonical(folder / relative, missing);
        if (!missing) { // a link may lead elsewhere
            auto const [end, unused] =
                std::mismatch(root.begin(), root.end(), real.begin(), real.end());
            if (end != root.end()) outside();
        }
        return (folder / relative).string();
    }

    // --- arguments -------------------------------------------------------------------------
    void read_arguments(json_field const& kernel) {
        std::vector<argument> const& declared = task_.signature.arguments;
        std::vector<std::optional<json_field>> given(declared.size());
        if (auto const list = kernel.find("Arguments")) assign(*list, given);
        std::optional<json_field> const scalars = lkt_ ? lkt_->find("scalars") : std::nullopt;
        if (scalars)
            for (auto const& [name, f] : scalars->members())
                if (declared[declared_index(f, name)].pointer)
                    f.wrong_value(name + " is a buffer, not a scalar");
        std::vector<std::uint64_t> const counts = fixed_counts(task_.reference, task_.signature);
        for (std::size_t i = 0; i < declared.size(); ++i) {
            argument const& a = declared[i];
            std::optional<json_field> const value =
                scalars && !a.pointer ? scalars->find(a.name) : std::nullopt;
            argument_spec spec;
            if (given[i])
                spec = a.pointer ? buffer(a, counts[i], *given[i]) : scalar(a, *given[i], value);
            else if (value)
                spec.value = formula_or_number(*value);
            else if (counts[i] > 0)
                spec.count = static_cast<std::int64_t>(counts[i]);
            else
                reject("field",
                       "KernelSpecification.Arguments has no entry for " +
                           (a.within ? in_backticks(a.name, 60) + " of " : "") +
                           in_backticks(a.spelling),
                       a.pointer ? "say with Size how many elements it has"
                                 : "say with FillValue, or in lkt.scalars, what its value is");
            task_.arguments.push_back(std::move(spec));
        }
    }
    [[nodiscard]] std::size_t declared_index(json_field const& f, std::string_view name) const {
        std::vector<argument> const& declared = task_.signature.arguments;
        std::string list;
        for (std::size_t i = 0; i < declared.size(); ++i) {
            if (declared[i].name == name) return i;
            list += (list.empty() ? "" : ", ") + declared[i].name;
        }
        f.wrong_value("kernel " + task_.signature.name + " has no argument " +
                      in_backticks(name, 40) + "; it has " + (list.empty() ? "none" : list));
    }
    /// By name; where no name at all fits, by position, as older tools match them.
    void assign(json_field const& list, std::vector<std::optional<json_field>>& given) const {
        std::vector<json_field> const items = list.items();
        std::vector<argument> const& declared = task_.signature.arguments;
        bool const any_name = std::any_of(items.begin(), items.end(), [&](json_field const& item) {
            auto const name = item.find("Name");
            return name && std::any_of(declared.begin(), declared.end(), [&](argument const& a) {
                       return a.name == name->text();
                   });
        });
        bool const by_position = !any_name && items.size() == declared.size();
        for (std::size_t k = 0; k < items.size(); ++k) {
            std::size_t const i =
                by_position ? k : declared_index(items[k], items[k].at("Name").text());
            if (given[i])
                items[k].wrong_value("there are two entries for " +
                                     in_backticks(declared[i].name, 40));
            given[i] = items[k];
        }
    }

    void check_type(argument const& a, json_field const& item) const {
        auto const f = item.find("Type");
        if (!f) return;
        std::string name = f->text();
        if (name == "custom") f->unsupported(name);
        value_type type{scalar_type::float32, 0};
        // `float32` and `uint8` are scalars of that many bits, `float4` is a vector.
        for (int t = 0; t <= static_cast<int>(scalar_type::float64); ++t)
            if (name == to_string(static_cast<scalar_type>(t)))
                type = {static_cast<scalar_type>(t), 1};
        if (type.lanes == 0) {
            static constexpr std::pair<std::string_view, scalar_type> spelled[] = {
                {"half", scalar_type::float16},
                {"float", scalar_type::float32},
                {"double", scalar_type::float64},
                {"int", scalar_type::int32},
                {"uint", scalar_type::uint32}};
            for (auto const& [word, scalar] : spelled) {
                if (!name.starts_with(word)) continue;
                std::string_view const lanes = std::string_view(name).substr(word.size());
                if (lanes == "8" || lanes == "16") f->unsupported(name);
                if (lanes.empty() || lanes == "2" || lanes == "3" || lanes == "4") {
                    type.scalar = scalar;
                    type.lanes = lanes.empty() ? 1U : static_cast<unsigned>(lanes[0] - '0');
                }
            }
        }
        if (type.lanes == 0)
            f->wrong_value(in_backticks(name, 40) + " is not a type that lkt knows");
        if (type != a.type)
            f->wrong_value("the kernel declares " + in_backticks(a.spelling) + ", which is " +
                           to_string(a.type) + ", not " + name);
    }
    void check_memory(argument const& a, json_field const& item) const {
        auto const f = item.find("MemoryType");
        for (auto const& mark : {f, item.find("MemType")})
            if (mark && mark->text() == "Constant" && a.constant_count == 0)
                mark->wrong_value("the kernel declares " + in_backticks(a.spelling) +
                                  ", which is not in constant memory");
        if (f && f->text() == "Constant") return;
        if (f && (f->text() == "Vector") != a.pointer)
            f->wrong_value("the kernel declares " + in_backticks(a.spelling) + ", which is a " +
                           (a.pointer ? "pointer" : "value"));
    }

    static expression formula_or_number(json_field const& f) {
        if (f.value().is_bool()) return f.value().get_bool() ? 1 : 0;
        if (f.value().is_double() || f.value().is_uint64()) {
            auto e = expression::parse(real_text(f.number()));
            if (!e) f.wrong_value(e.error().message);
            return *e;
        }
        return formula(f);
    }
    argument_spec scalar(argument const& a,
                         json_field const& item,
                         std::optional<json_field> const& value) const {
        check_type(a, item);
        check_memory(a, item);
        argument_spec spec;
        if (a.type.lanes != 1) item.unsupported("a vector by value");
        bool const random = item.find("FillType") && item.at("FillType").text() == "Random";
        if (value) {
            spec.value = formula_or_number(*value);
        } else if (random) {
            spec.random = true;
            spec.fill = random_fill(item);
        } else {
            json_field const f = item.at("FillValue");
            spec.value = formula_or_number(f);
            auto const v = spec.value.evaluate(scope_of(task_.size, {}));
            if (!v) f.wrong_value(v.error().message);
            auto const fits = scalar_argument(a.type.scalar, *v);
            if (!fits) f.wrong_value(fits.error().message);
        }
        return spec;
    }
    static distribution random_fill(json_field const& item) {
        double const bound = item.find("FillValue") ? item.at("FillValue").number() : 1.0;
        return uniform{std::min(0.0, bound), std::max(0.0, bound)};
    }
    /// `fixed`: the elements that the text says it has, 0 where it does not.
    argument_spec buffer(argument const& a, std::uint64_t fixed, json_field const& item) const {
        check_type(a, item);
        check_memory(a, item);
        argument_spec spec;
        if (fixed > 0) {
            spec.count = static_cast<std::int64_t>(fixed);
            if (auto const size = item.find("Size")) check_length(a, fixed, *size);
        } else {
            spec.count = count(item.at("Size"));
        }
        if (item.find("FillType") && item.at("FillType").text() == "Constant")
            spec.fill = constant{item.find("FillValue") ? item.at("FillValue").number() : 0.0};
        else if (item.find("FillType"))
            spec.fill = random_fill(item);
        else if (item.find("FillValue"))
            spec.fill = constant{item.at("FillValue").number()};
        if (auto const f = item.find("AccessType")) {
            std::string const access = f->text();
            spec.flow = access == "ReadOnly"    ? direction::in
                        : access == "WriteOnly" ? direction::out
                                                : direction::inout;
            if (spec.flow != direction::in && a.is_const)
                f->wrong_value("the kernel declares " + in_backticks(a.spelling) +
                               ", which cannot be written");
        }
        return spec;
    }
    void check_length(argument const& a, std::uint64_t fixed, json_field const& size) const {
        auto const n = count(size).evaluate_integer(scope_of(task_.size, {}));
        if (n && *n != static_cast<std::int64_t>(fixed))
            size.wrong_value("the kernel declares " + in_backticks(a.spelling) + ", which has " +
                             std::to_string(fixed) + " elements, not " + std::to_string(*n));
    }
    /// T1 evaluates sizes with each parameter's list of values: `max(block_size_x)` is its largest.
    /// lkt's sizes do not depend on a configuration, so the number is put in here.
    [[nodiscard]] expression count(json_field const& f) const {
        expression e = f.value().is_string() ? substituted(f) : formula(f);
        if (!e.names().empty())
            f.wrong_value(parameter(e.names().front()) != nullptr
                              ? "a size cannot depend on the configuration; write max(" +
                                    e.names().front() + ")"
                              : "nothing is called " + in_backticks(e.names().front(), 40));
        for (std::size_t k = 0; k <= task_.further_sizes.size(); ++k) {
            auto const n =
                e.evaluate_integer(scope_of(k == 0 ? task_.size : task_.further_sizes[k - 1], {}));
            if (!n) f.wrong_value(n.error().message);
            if (*n < 1 || *n > (std::int64_t{1} << 40))
                f.wrong_value(std::to_string(*n) + " elements are not between 1 and 2^40");
        }
        return e;
    }
    [[nodiscard]] expression substituted(json_field const& f) const {
        std::string text = f.text();
        for (tunable_parameter const& p : task_.parameters) {
            if (!std::holds_alternative<std::int64_t>(p.values.front())) continue;
            auto const [low, high] = std::minmax_element(p.values.begin(), p.values.end());
            for (auto const& [call, value] :
                 {std::pair{"min(" + p.name + ")", *low}, std::pair{"max(" + p.name + ")", *high}})
                for (std::size_t at = text.find(call); at != std::string::npos;
                     at = text.find(call, at + 1))
                    if (at == 0 || !is_identifier(text.substr(at - 1, 1)))
                        text.replace(at, call.size(), "(" + value_text(value) + ")");
        }
        auto e = expression::parse(text);
        if (!e) f.wrong_value(e.error().message);
        return *e;
    }

    // --- launch ----------------------------------------------------------------------------
    void read_launch(json_field const& kernel) {
        auto const local = kernel.find("LocalSize");
        auto const global = kernel.find("GlobalSize");
        if (auto const f = kernel.find("SharedMemory")) task_.launch.shared_bytes = known(*f);
        auto const fixed = fixed_block(task_.reference, task_.signature.name, task_.parameters);
        if (!fixed) throw problem_defect{fixed.error()};
        if (*fixed) {
            if (local && axes(*local) != **fixed)
                out_.warnings.push_back(local->path() +
                                        " is not read: the kernel's @workgroup_size counts");
        } else if (!local && global) {
            reject("field", kernel.child("LocalSize") + " is missing beside GlobalSize");
        }
        if (!local && !global) {
            expression const shared = task_.launch.shared_bytes;
            task_.launch = default_launch(task_.size, task_.parameters, *fixed);
            task_.launch.shared_bytes = shared;
            return;
        }
        task_.launch.block = *fixed ? **fixed : axes(*local);
        if (!global) {
            for (std::size_t k = 0; k < task_.size.size() && k < 3; ++k)
                task_.launch.grid[k] =
                    blocks(*local, task_.size[k].first, task_.launch.block[k].text());
            return;
        }
        task_.launch.grid = axes(*global);
        bool const threads =
            kernel.find("GlobalSizeType") ? kernel.at("GlobalSizeType").text() == "OpenCL" : false;
        for (std::size_t k = 0; threads && k < 3; ++k)
            task_.launch.grid[k] =
                blocks(*global, task_.launch.grid[k].text(), task_.launch.block[k].text());
    }
    static expression
    blocks(json_field const& f, std::string const& threads, std::string const& block) {
        auto e = expression::parse("ceil_div(" + threads + ", " + block + ")");
        if (!e) f.wrong_value(e.error().message);
        return *e;
    }
    std::array<expression, 3> axes(json_field const& f) const {
        f.only({"X", "Y", "Z"});
        std::array<expression, 3> all{1, 1, 1};
        for (std::size_t k = 0; k < 3; ++k)
            if (auto const axis = f.find(std::string_view("XYZ").substr(k, 1)))
                all[k] = known(*axis);
        return all;
    }
    [[nodiscard]] expression known(json_field const& f) const {
        expression e = formula(f);
        for (std::string const& name : e.names())
            if (parameter(name) == nullptr)
                f.wrong_value("there is no tuning parameter " + in_backticks(name, 40));
        return e;
    }

    // --- what refines arguments --------------------------------------------------------------
    void read_domain_and_tolerance() {
        if (!lkt_) return;
        if (auto const domain = lkt_->find("domain"))
            for (auto const& [name, f] : domain->members()) {
                f.only({"min", "max"});
                argument_spec& spec = task_.arguments[declared_index(f, name)];
                auto const* now = std::get_if<uniform>(&spec.fill);
                uniform bounds = now != nullptr ? *now : uniform{};
                if (auto const low = f.find("min")) bounds.low = low->number();
                if (auto const high = f.find("max")) bounds.high = high->number();
                if (bounds.low > bounds.high)
                    f.wrong_value("min " + significant(bounds.low) + " is above max " +
                                  significant(bounds.high));
                // A constant stays one, within its bounds.
                if (auto const* c = std::get_if<constant>(&spec.fill);
                    c != nullptr && (c->value < bounds.low || c->value > bounds.high))
                    f.wrong_value("FillValue " + significant(c->value) + " is out of bounds");
                else if (c == nullptr)
                    spec.fill = bounds;
            }
        if (auto const tolerances = lkt_->find("tolerance"))
            for (auto const& [name, f] : tolerances->members()) {
                f.only({"rtol", "atol"});
                std::size_t const i = declared_index(f, name);
                if (task_.flow(i) == direction::in) f.wrong_value(name + " is not an output");
                tolerance bound;
                if (auto const r = f.find("rtol")) bound.relative = r->number();
                if (auto const a = f.find("atol")) bound.absolute = a->number();
                if (bound.relative < 0 || bound.absolute < 0)
                    f.wrong_value("a tolerance is not negative");
                task_.arguments[i].bound = bound;
            }
    }

    problem_file& out_;
    problem& task_;
    std::string folder_, origin_;
    bool at_hand_ = false; ///< the kernel is not read from a file
    std::optional<json_field> lkt_;
};

/// What the reader refuses is an error that begins with the text's name.
template <class... Kernel>
result<problem_file>
read_problem_text(std::string_view text, std::string const& origin, Kernel const&... kernel) {
    try {
        problem_file file;
        json::value root = parse_json(text, origin);
        problem_reader(file, kernel..., origin).read(root);
        file.raw = std::make_shared<json::object const>(std::move(root.get_object()));
        return file;
    } catch (problem_defect& defect) {
        error e = std::move(defect.what);
        if (!e.message.starts_with(origin)) e.message = origin + ": " + e.message;
        return e;
    }
}

} // namespace lkt::detail::kernel

namespace lkt {

result<problem_file>
parse_problem_file(std::string_view text, std::string const& folder, std::string const& origin) {
    return detail::kernel::read_problem_text(text, origin, folder);
}

result<problem_file> parse_problem_file(std::string_view text,
                                        kernel_source const& kernel,
                                        signature const& declared,
                                        std::string const& origin) {
    return detail::kernel::read_problem_text(text, origin, kernel, declared);
}

result<problem_file> read_problem_file(std::string const& path) {
    auto const text = read_text_file(path, std::size_t{16} << 20);
    if (!text) return text.error();
    return parse_problem_file(*text, std::filesystem::path(path).parent_path().string(), path);
}

result<problem> parse_problem(std::string_view text, std::string const& folder) {
    auto file = parse_problem_file(text, folder);
    if (!file) return file.error();
    return std::move(file->task);
}

result<problem> read_problem(std::string const& path) {
    auto file = read_problem_file(path);
    if (!file) return file.error();
    return std::move(file->task);
}

} // namespace lkt
