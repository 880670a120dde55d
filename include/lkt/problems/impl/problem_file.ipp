// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/problems/problem_file.hpp>

#include <lkt/core/files.hpp>
#include <lkt/kernel/launch.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/lang/fixed_block.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/problems/detail/json_fields.hpp>
#include <lkt/problems/detail/problem_reader.hpp>
#include <lkt/problems/kernel_note.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

namespace lkt::detail::problems {

void problem_reader::read(json::value const& root) {
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
    if (lkt_) operation_ = lkt_->find("operation");
    if (target_ && !operation_)
        reject("value",
               "only an operation can be written in another language; this file has a kernel",
               "leave the language out");
    if (lkt_) read_lkt();
    // What cannot be done is said before any other file is opened.
    refuse_unsupported(kernel);
    read_kernel(kernel);
    if (!operation_) read_arguments(kernel);
    read_launch(kernel);
    if (lkt_) read_promises();
    // Last: until then everything is over ProblemSize.
    if (auto const f = lkt_ ? lkt_->find("size_names") : std::nullopt) read_size_names(*f);
}

expression problem_reader::formula(json_field const& f) {
    if (f.value().is_int64()) return f.integer();
    if (!f.value().is_string()) f.wrong_type("a whole number or an expression");
    auto e = expression::parse(f.text());
    if (!e) f.wrong_value(e.error().message);
    return *e;
}

problem_size problem_reader::extents(json_field const& f) {
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

void problem_reader::read_size(json_field const& kernel) {
    if (auto const f = kernel.find("ProblemSize")) task_.size = extents(*f);
}

void problem_reader::refuse_unsupported(json_field const& kernel) {
    if (auto const f = kernel.find("Language"); f && !at_hand_) {
        std::string const name = f->text();
        if (name == "HIP")
            task_.reference.language = language::hip;
        else if (name == "WGSL")
            task_.reference.language = language::wgsl;
        else if (name == "OpenCL" || name == "Vulkan" || name == "Hypertuner")
            f->unsupported(name);
        else if (name != "CUDA")
            f->wrong_value(in_backticks(name, 40) + " is not one of CUDA, HIP, WGSL");
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
        for (std::string_view const later : {"DataSource", "TypeSize"})
            if (auto const f = item.find(later)) f->unsupported();
        if (auto const f = item.find("RandomSeed"))
            out_.warnings.push_back(f->path() + " is ignored: lkt chooses the seed of a test");
        // Kernel Tuner's mark for data in constant memory, its `cmem_args`.
        if (auto const f = item.find("MemType"); f && f->text() != "Constant")
            f->unsupported(f->text());
        if (auto const f = item.find("MemoryType"))
            choice(*f, {"Scalar", "Vector", "Constant", "Symbol"}, {"Local"});
        if (auto const f = item.find("FillType"))
            choice(*f, {"Constant", "Random"}, {"Generator", "Script", "BinaryRaw", "BinaryHDF"});
        if (auto const f = item.find("AccessType"))
            choice(*f, {"ReadOnly", "WriteOnly", "ReadWrite"}, {});
    }
}

std::string problem_reader::choice(json_field const& f,
                                   std::initializer_list<std::string_view> known,
                                   std::initializer_list<std::string_view> later) {
    std::string const name = f.text();
    if (std::find(later.begin(), later.end(), name) != later.end()) f.unsupported(name);
    std::string list;
    for (std::string_view const k : known) {
        if (name == k) return name;
        list += (list.empty() ? "" : ", ") + std::string(k);
    }
    f.wrong_value(in_backticks(name, 40) + " is not one of " + list);
}

void problem_reader::read_kernel(json_field const& kernel) {
    if (operation_)
        read_operation(kernel);
    else if (!at_hand_)
        read_kernel_file(kernel);
    if (auto const options = kernel.find("CompilerOptions"))
        for (json_field const& item : options->items())
            task_.compiler_options.push_back(item.text());
}

void problem_reader::read_kernel_file(json_field const& kernel) {
    json_field const file = kernel.at("KernelFile");
    std::string const path = inside_folder(file, file.text());
    if (path.ends_with(".hip") && !kernel.find("Language"))
        task_.reference.language = language::hip;
    if (path.ends_with(".wgsl") && !kernel.find("Language"))
        task_.reference.language = language::wgsl;
    auto text = read_text_file(path, max_kernel_bytes);
    if (!text) {
        error e = text.error();
        e.message = file.path() + ": " + e.message;
        throw problem_defect{std::move(e)};
    }
    task_.reference.text = std::move(*text);
    task_.reference.origin = path;
    // Its launch is its own, which this file's would contradict unnoticed: the original says what
    // is right.
    if (auto const note = read_kernel_note(task_.reference); !note || *note)
        reject("file",
               file.path() + ": " + in_backticks(path, 80) +
                   " is what lkt-tune wrote of a tuned kernel, not an original",
               "name the original; lkt-verify judges this one against it (--candidate), and "
               "lkt-tune takes it by itself, as KERNEL.cu");
    std::string const name = kernel.find("KernelName") ? kernel.at("KernelName").text() : "";
    auto signature = find_kernel(task_.reference, name);
    if (!signature) throw problem_defect{signature.error()};
    task_.signature = std::move(*signature);
    if (auto const f = lkt_ ? lkt_->find("bindings") : std::nullopt) read_bindings(*f);
}

/// A problem file may come from anywhere, and its kernel's text goes to a model: what lies
/// outside of its folder is not its business.
std::string problem_reader::inside_folder(json_field const& file, std::string const& name) const {
    namespace fs = std::filesystem;
    auto const outside = [&] {
        reject("file",
               file.path() + ": " + in_backticks(name) +
                   " is not in the folder of the problem file",
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

void problem_reader::read_launch(json_field const& kernel) {
    auto const local = kernel.find("LocalSize");
    auto const global = kernel.find("GlobalSize");
    if (auto const f = kernel.find("SharedMemory")) task_.launch.shared_bytes = known(*f);
    auto const fixed = fixed_block(task_.reference, task_.signature.name, task_.parameters);
    if (!fixed) throw problem_defect{fixed.error()};
    if (*fixed) {
        if (local && axes(*local) != **fixed)
            out_.warnings.push_back(local->path() +
                                    " is ignored: the kernel's @workgroup_size applies");
    } else if (!local && global) {
        reject("field", kernel.child("LocalSize") + " is missing beside GlobalSize");
    }
    if (!local && !global) {
        expression const shared = task_.launch.shared_bytes;
        task_.launch = default_launch(task_.size, task_.parameters, *fixed);
        task_.launch.shared_bytes = shared;
        if (operation_) { // one thread for each element of the first output
            auto const output =
                std::find_if(task_.arguments.begin(),
                             task_.arguments.end(),
                             [](argument_spec const& a) { return a.flow == direction::out; });
            expression const block = *fixed ? (**fixed)[0] : expression(256);
            task_.launch.block = {block, 1, 1};
            task_.launch.grid = {blocks(*operation_, output->count.text(), block.text()), 1, 1};
        }
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

expression
problem_reader::blocks(json_field const& f, std::string const& threads, std::string const& block) {
    auto e = expression::parse("ceil_div(" + threads + ", " + block + ")");
    if (!e) f.wrong_value(e.error().message);
    return *e;
}

std::array<expression, 3> problem_reader::axes(json_field const& f) const {
    f.only({"X", "Y", "Z"});
    std::array<expression, 3> all{1, 1, 1};
    for (std::size_t k = 0; k < 3; ++k)
        if (auto const axis = f.find(std::string_view("XYZ").substr(k, 1))) all[k] = known(*axis);
    return all;
}

expression problem_reader::known(json_field const& f) const {
    expression e = formula(f);
    for (std::string const& name : e.names())
        if (parameter(name) == nullptr)
            f.wrong_value("unknown tuning parameter " + in_backticks(name, 40), right_name(name));
    return e;
}

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

} // namespace lkt::detail::problems

namespace lkt {

result<problem_file> parse_problem_file(std::string_view text,
                                        std::string const& folder,
                                        std::string const& origin,
                                        std::optional<language> target) {
    return detail::problems::read_problem_text(text, origin, folder, target);
}

result<problem_file> parse_problem_file(std::string_view text,
                                        kernel_source const& kernel,
                                        signature const& declared,
                                        std::string const& origin) {
    return detail::problems::read_problem_text(text, origin, kernel, declared);
}

result<problem_file> read_problem_file(std::string const& path, std::optional<language> target) {
    auto const text = read_text_file(path, std::size_t{16} << 20);
    if (!text) return text.error();
    return parse_problem_file(
        *text, std::filesystem::path(path).parent_path().string(), path, target);
}

result<problem> parse_problem(std::string_view text, std::string const& folder) {
    auto file = parse_problem_file(text, folder);
    if (!file) return file.error();
    return std::move(file->task);
}

result<problem> read_problem(std::string const& path, std::optional<language> target) {
    auto file = read_problem_file(path, target);
    if (!file) return file.error();
    return std::move(file->task);
}

} // namespace lkt
