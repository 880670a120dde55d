// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/detail/kernel_header.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/kernel/bound_scalars.hpp>
#include <lkt/lang/cuda/instantiation.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/expression/cpp_text.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/words.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <variant>

namespace lkt::detail {

// Shared with <lkt/report/impl/kernel_file.ipp>.
std::string comment_line(std::string_view text);
std::string extents_text(std::array<expression, 3> const& extents);
std::string device_text(device_description const& device);
std::string checked_text(tuning_outcome const& out);
std::string unused_name(std::string name, std::string_view text);
std::string number_text(double value);
launch_formula launch_by_arguments(tuning_outcome const& out);

std::string cpp_literal(std::string_view text) {
    std::string literal = "\"";
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const c = static_cast<unsigned char>(text[i]);
        if (c == '\n') {
            literal += i + 1 < text.size() ? "\\n\"\n    \"" : "\\n";
        } else if (c == '"' || c == '\\' || c == '?') { // no trigraph either
            literal += '\\';
            literal += text[i];
        } else if (c < 0x20 || c >= 0x7f) {
            char octal[8];
            std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(c));
            literal += octal;
        } else {
            literal += text[i];
        }
    }
    return literal + "\"";
}

/// A name as a part of one in C++.
std::string as_identifier(std::string_view name) {
    std::string made;
    for (char const c : name) {
        bool const fits = is_identifier(std::string(1, c)) || (c >= '0' && c <= '9');
        if (fits && c != '_')
            made += c;
        else if (!made.empty() && made.back() != '_')
            made += '_';
    }
    while (made.ends_with('_')) made.pop_back();
    return made;
}

header_parts::header_parts(tuning_outcome const& out,
                           kernel_source const& source,
                           tuned_text const& kernel)
    : out_(out), kernel_(kernel), name_(out.task.signature.name) {
    if (auto found = find_kernel(out.best.kernel.source, out.task.signature.name))
        maps_ = std::move(found->tensor_maps);
    if (auto const tokens = tokenize(source.text)) {
        auto named = instantiation(*tokens, out.task.signature, out.best.config);
        if (auto* text = std::get_if<std::string>(&named)) name_ = std::move(*text);
    }
    std::string const plain = name_.substr(0, name_.find('<'));
    namespace_ = unused_name("lkt_tuned_" + as_identifier(plain), kernel.text);
    for (std::size_t k = 0; k < out.task.size.size(); ++k) {
        std::string member = identifier_of_size(out.task, k);
        if (member.empty() || member == "a" ||
            std::find(sizes_.begin(), sizes_.end(), member) != sizes_.end())
            member = "size_" + std::to_string(k);
        sizes_.push_back(std::move(member));
    }
}

std::string header_parts::in_namespace(std::string const& text) const {
    return "namespace " + namespace_ + " {\n" + text + "} // namespace " + namespace_ + "\n";
}

std::string header_parts::constant_lines() const {
    auto const text = [](char const* name, std::string const& value) {
        return "inline constexpr char " + std::string(name) +
               "[] = " + cpp_literal(plain_line(value)) + ";\n";
    };
    auto const extents = [](char const* name, dim3 const& d) {
        return "inline constexpr unsigned " + std::string(name) + "[] = {" + std::to_string(d.x) +
               ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + "};\n";
    };
    auto const launch = launch_by_arguments(out_);
    std::string options;
    for (std::string const& o : out_.task.compiler_options)
        options += (options.empty() ? "" : " ") + o;
    return text("kernel", name_) + text("parameters", configuration_words(out_.best.config)) +
           text("grid_formula", extents_text(launch.grid)) +
           text("block_formula", extents_text(launch.block)) +
           text("tuned_size", size_words(out_.task.size)) +
           extents("tuned_grid", out_.best.dimensions.grid) +
           extents("tuned_block", out_.best.dimensions.block) +
           "inline constexpr unsigned tuned_shared_bytes = " +
           std::to_string(out_.best.dimensions.shared_bytes) + ";\n" +
           text("device", device_text(out_.device)) + "inline constexpr double speedup = " +
           real_text(std::stod(number_text(out_.speedup()))) + ";\n" +
           text("checked", checked_text(out_)) + text("compiler_options", options);
}

std::string header_parts::constants() const { return in_namespace(constant_lines()); }

std::string header_parts::size_struct() const {
    std::string text =
        "/// What the launch follows from; the defaults are the size that was tuned.\n"
        "struct problem_size {\n";
    for (std::size_t k = 0; k < sizes_.size(); ++k)
        text +=
            "    long long " + sizes_[k] + " = " + std::to_string(out_.task.size[k].second) + ";" +
            (sizes_[k] == out_.task.size[k].first ? "\n"
                                                  : " " + comment_line(out_.task.size[k].first));
    return text + "};\n";
}

std::string header_parts::dimensions() const {
    std::vector<cpp_size> sizes;
    for (std::size_t k = 0; k < sizes_.size(); ++k)
        sizes.emplace_back(out_.task.size[k].first, "size." + sizes_[k]);
    launch_formula const& launch = out_.best.kernel.launch;
    launch_dimensions const& tuned = out_.best.dimensions;
    std::vector<std::string> formulas;
    bool everywhere = true;
    auto const add = [&](expression const& e) {
        auto text = cpp_text(e, out_.best.config, sizes);
        everywhere = everywhere && text;
        formulas.push_back(text.value_or(""));
    };
    for (expression const& e : launch.grid) add(e);
    for (expression const& e : launch.block) add(e);
    add(launch.shared_bytes);
    if (!everywhere)
        formulas = {std::to_string(tuned.grid.x),
                    std::to_string(tuned.grid.y),
                    std::to_string(tuned.grid.z),
                    std::to_string(tuned.block.x),
                    std::to_string(tuned.block.y),
                    std::to_string(tuned.block.z),
                    std::to_string(tuned.shared_bytes)};
    std::string text = std::string(cpp_arithmetic()) +
                       "\n/// What a launch is given. `valid` is false at a size that has none" +
                       (everywhere ? ".\n"
                                   : ": C++ has no short\n/// text for the formulas, so "
                                     "this is for the size that was tuned only.\n") +
                       "struct launch_dimensions {\n    unsigned grid[3], block[3], shared_bytes;\n"
                       "    bool valid;\n};\n"
                       "inline launch_dimensions dimensions_at(problem_size const& size) {\n"
                       "    launch_dimensions d = {};\n    (void)size;\n";
    for (std::size_t k = 0; k < sizes_.size(); ++k)
        text += "    if (size." + sizes_[k] +
                (everywhere ? " < 1 || size." + sizes_[k] + " > (1LL << 40)"
                            : " != " + std::to_string(out_.task.size[k].second)) +
                ") return d;\n";
    text += "    arithmetic a;\n    long long const all[] = {\n";
    for (std::string const& f : formulas) text += "        " + f + ",\n";
    return text + "    };\n"
                  "    for (int i = 0; i < 7; ++i)\n"
                  "        if (all[i] < (i < 6 ? 1 : 0) || all[i] > 0x7fffffff) a.bad = true;\n"
                  "    if (a.bad) return d;\n"
                  "    for (int i = 0; i < 3; ++i) {\n"
                  "        d.grid[i] = static_cast<unsigned>(all[i]);\n"
                  "        d.block[i] = static_cast<unsigned>(all[3 + i]);\n"
                  "    }\n"
                  "    d.shared_bytes = static_cast<unsigned>(all[6]);\n"
                  "    d.valid = true;\n"
                  "    return d;\n}\n";
}

std::string header_parts::source_text() const {
    std::string text;
    for (auto const& [name, meaning] : kernel_.macros)
        text += "#define " + name + " " + meaning + "\n";
    std::string options;
    for (std::string const& o : out_.task.compiler_options) options += cpp_literal(o) + ", ";
    return "/// For nvrtcCreateProgram. `kernel` is for nvrtcAddNameExpression, `options` end in a "
           "null.\ninline constexpr char source[] =\n    " +
           cpp_literal(text + kernel_.text) + ";\ninline constexpr char const* options[] = {" +
           options + "nullptr};\n";
}

std::string header_parts::runtime_launch() const {
    return "/// Launches the kernel; the arguments are those of its declaration" +
           std::string(maps_.empty() ? "" : ",\n/// tensor maps from `make_tensor_maps`") +
           ".\n"
           "template <class... Arguments>\n"
           "cudaError_t launch(problem_size const& size, cudaStream_t stream, Arguments... "
           "arguments) {\n"
           "    launch_dimensions const d = dimensions_at(size);\n"
           "    if (!d.valid) return cudaErrorInvalidValue;\n"
           "    auto* const function = &::" +
           name_ +
           ";\n"
           "    if (d.shared_bytes > 48 * 1024) {\n"
           "        cudaError_t const set = cudaFuncSetAttribute(reinterpret_cast<void "
           "const*>(function),\n"
           "            cudaFuncAttributeMaxDynamicSharedMemorySize, "
           "static_cast<int>(d.shared_bytes));\n"
           "        if (set != cudaSuccess) return set;\n"
           "    }\n"
           "    cudaLaunchConfig_t config = {};\n"
           "    config.gridDim = dim3(d.grid[0], d.grid[1], d.grid[2]);\n"
           "    config.blockDim = dim3(d.block[0], d.block[1], d.block[2]);\n"
           "    config.dynamicSmemBytes = d.shared_bytes;\n"
           "    config.stream = stream;\n"
           "    return cudaLaunchKernelEx(&config, function, arguments...);\n}\n";
}

/// Names that the text makes macros of, which are none of whoever includes it.
std::vector<std::string> header_parts::macros() const {
    std::vector<std::string> names;
    for (auto const& [name, unused] : kernel_.macros) names.push_back(name);
    auto const tokens = tokenize(kernel_.text);
    if (!tokens) return names;
    for (std::size_t i = 2; i < tokens->size(); ++i)
        if ((*tokens)[i - 1].is("define") && (*tokens)[i - 2].first && (*tokens)[i - 2].directive &&
            is_identifier((*tokens)[i].text) &&
            std::find(names.begin(), names.end(), (*tokens)[i].text) == names.end())
            names.push_back((*tokens)[i].text);
    return names;
}

std::string header_parts::header() const {
    std::string push, pop;
    for (std::string const& name : macros()) {
        push += "#pragma push_macro(\"" + name + "\")\n#undef " + name + "\n";
        pop += "#pragma pop_macro(\"" + name + "\")\n";
    }
    return "//\n// It needs C++17. Do not change values here: launch and `source` were made for "
           "them.\n"
           "// nvcc: include this in one file, and call " +
           namespace_ +
           "::launch(size, stream, arguments...).\n"
           "// NVRTC: compile `source` with the name expression `kernel`, and call "
           "launch(function, size, stream, arguments...)\n// of the driver API.\n"
           "#pragma once\n\n" +
           in_namespace(constant_lines() + "\n" + size_struct() + "\n" + dimensions() + "\n" +
                        source_text()) +
           "\n#if defined(__has_include)\n#if __has_include(<cuda.h>)\n#include <cuda.h>\n" +
           (maps_.empty() ? "" : "#include <cstring>\n") +
           in_namespace(tensor_map_text() + driver_launch()) +
           "#endif\n#endif\n\n#ifdef __CUDACC__\n"
           "#include <cfloat>\n#include <climits>\n#include <cstdint>\n#include "
           "<cuda_runtime.h>\n" +
           push + between_marks(kernel_) + pop + in_namespace(runtime_launch()) +
           "#endif // __CUDACC__\n";
}

} // namespace lkt::detail
