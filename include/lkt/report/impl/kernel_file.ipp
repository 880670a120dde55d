// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/kernel_file.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/kernel/bound_scalars.hpp>
#include <lkt/lang/cuda/instantiation.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/problems/kernel_note.hpp>
#include <lkt/report/detail/kernel_header.hpp>
#include <lkt/report/detail/phrases.hpp>
#include <lkt/report/detail/warnings.hpp>
#include <lkt/version.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <variant>

namespace lkt {

namespace detail {

/// Untrusted text as a line comment: nothing in it ends the comment, or takes the next line in.
std::string comment_line(std::string_view text) {
    std::string line = plain_line(text);
    if (line.ends_with('\\') || line.ends_with('/')) line += " .";
    return line.empty() ? "//\n" : "// " + line + "\n";
}

std::string comment_row(std::string label, std::string const& value) {
    label.resize(std::max<std::size_t>(label.size() + 1, 12), ' ');
    std::string rows;
    std::string const whole = indented(wrapped(plain_text(value), 84), 12);
    for (std::size_t at = 0; at <= whole.size();) {
        std::size_t const end = std::min(whole.find('\n', at), whole.size());
        rows += comment_line((at == 0 ? label : "") + whole.substr(at, end - at));
        at = end + 1;
    }
    return rows;
}

std::string extents_text(std::array<expression, 3> const& extents) {
    std::size_t used = 3;
    while (used > 1 && extents[used - 1].text() == "1") --used;
    std::string text;
    for (std::size_t i = 0; i < used; ++i) text += (i > 0 ? ", " : "") + extents[i].text();
    return text;
}

std::string device_text(device_description const& device) {
    return device.name + ", back end " + device.backend +
           (device.driver.empty() ? "" : ", " + device.driver) +
           (device.simulated ? "; not a GPU: its times say nothing about a GPU" : "");
}

std::string speed_text(tuning_outcome const& out) {
    if (!out.improved())
        return out.written.empty() ? "none: this is the original"
                                   : "none: this is the first kernel that was written";
    return times(out.speedup()) + " over the " +
           (out.written.empty() ? "original, " : "first kernel that was written, ") +
           to_string(out.baseline.time.median()) + " -> " + to_string(out.best.time.median()) +
           (out.confirmed ? ", both measured side by side at the end"
                          : ", not confirmed at the end of the run");
}

std::string test_words(tuning_outcome const& out) {
    std::string kinds;
    std::vector<std::string_view> listed;
    for (std::string const& name : out.tests) {
        std::string_view kind = name;
        // A test is called like its size, and then like its values where they are special.
        if (kind.starts_with("hidden size ")) {
            kind.remove_prefix(std::min(kind.find(','), kind.size()));
        } else {
            for (problem_size const& size : out.sizes)
                if (std::string const words = size_words(size); kind.starts_with(words)) {
                    kind.remove_prefix(words.size());
                    break;
                }
        }
        if (kind.starts_with(", ")) kind.remove_prefix(2);
        if (kind.empty() || std::find(listed.begin(), listed.end(), kind) != listed.end()) continue;
        listed.push_back(kind);
        kinds += (kinds.empty() ? "" : "; ") + std::string(kind);
    }
    std::string text = std::to_string(out.tests.size()) + " at " +
                       std::to_string(out.sizes.size()) +
                       (out.sizes.size() == 1 ? " size" : " sizes");
    return kinds.empty() ? text : text + ", among them: " + kinds;
}

std::string checked_text(tuning_outcome const& out) {
    std::string const unsafe = "; for races and accesses out of bounds: " +
                               std::string(to_string(out.best.checked.extent));
    if (!out.improved() && !out.task.oracle)
        return "this is the original: it says which outputs are right" + unsafe;
    std::string text = std::string("the outputs are the ") +
                       (out.task.oracle ? "oracle's" : "original's") + " on ";
    if (out.tests.empty()) // of a run that was resumed at its end
        return text + "every test of the run";
    text += "tests: " + test_words(out) + "; sizes: ";
    for (problem_size const& size : out.sizes)
        text += (size == out.sizes.front() ? "" : " | ") + size_words(size);
    return text + unsafe;
}

/// For people: the kernel's arguments say more than `ProblemSize[0]` does.
launch_formula launch_by_arguments(tuning_outcome const& out) {
    return over_scalars(out.best.kernel.launch, out.task, out.best.kernel.parameters);
}

std::string about(tuning_outcome const& out, std::string const& name) {
    tuned_kernel const& best = out.best;
    std::string text =
        comment_line(out.task.signature.name + ", tuned by lkt " + std::string(lkt::version) +
                     ". lkt-tune and lkt-verify read this file as a kernel.");
    auto const launch = launch_by_arguments(out);
    text += kernel_note(best.config, best.kernel.launch);
    text += "//\n" + comment_row("kernel", to_string(out.task.signature));
    if (name != out.task.signature.name) text += comment_row("called", name);
    if (!best.config.values.empty())
        text += comment_row("parameters", configuration_words(best.config));
    text += comment_row("grid", extents_text(launch.grid));
    text += comment_row("block", extents_text(launch.block));
    text += comment_row("shared", launch.shared_bytes.text() + " bytes of dynamic shared memory");
    text += comment_row("tuned at", size_words(out.task.size) + ": " + to_string(best.dimensions));
    text += comment_row("device", device_text(out.device));
    text += comment_row("speed-up", speed_text(out));
    text += comment_row("checked", checked_text(out));
    if (!out.task.compiler_options.empty())
        text += comment_row("options", joined(out.task.compiler_options, " "));
    for (argument const& a : out.task.signature.arguments)
        if (a.constant_count > 0)
            text += comment_row("constant", a.spelling + ": fill it before a launch");
    return text;
}

/// A name that the text does not have.
std::string unused_name(std::string name, std::string_view text) {
    while (text.find(name) != text.npos) name += '_';
    return name;
}

std::string number_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string wgsl_constants(tuning_outcome const& out, std::string_view text) {
    std::string const stem = unused_name("lkt_tuned", text);
    auto const vector = [](dim3 const& d) {
        return "vec3<u32>(" + std::to_string(d.x) + "u, " + std::to_string(d.y) + "u, " +
               std::to_string(d.z) + "u);\n";
    };
    return "\nconst " + stem + "_workgroup_size = " + vector(out.best.dimensions.block) + "const " +
           stem + "_workgroups = " + vector(out.best.dimensions.grid) + "const " + stem +
           "_speedup: f32 = " + real_text(std::stod(number_text(out.speedup()))) + ";\n";
}

/// nvcc expands no macro in a pragma (`#pragma unroll UNROLL`), which lkt's back ends do: such
/// lines get the values themselves.
std::string with_values_in_pragmas(tuned_text const& kernel) {
    std::string made;
    for (std::size_t begin = 0; begin < kernel.text.size();) {
        auto const end = std::min(kernel.text.find('\n', begin), kernel.text.size() - 1) + 1;
        std::string const line = kernel.text.substr(begin, end - begin);
        begin = end;
        auto const hash = line.find_first_not_of(" \t");
        auto const word = hash == line.npos ? hash : line.find_first_not_of(" \t", hash + 1);
        if (word == line.npos || line[hash] != '#' || !line.substr(word).starts_with("pragma")) {
            made += line;
            continue;
        }
        auto const in_name = [](char c) {
            return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                   (c >= 'A' && c <= 'Z');
        };
        for (std::size_t at = 0; at < line.size();) {
            std::size_t past = at;
            while (past < line.size() && in_name(line[past])) ++past;
            std::string const name = line.substr(at, std::max<std::size_t>(past - at, 1));
            auto const macro = std::find_if(kernel.macros.begin(),
                                            kernel.macros.end(),
                                            [&](auto const& m) { return m.first == name; });
            made += macro == kernel.macros.end() ? name : macro->second;
            at += name.size();
        }
    }
    return made;
}

} // namespace detail

kernel_form kernel_form_of(std::string_view file) {
    for (std::string_view const ending : {".hpp", ".h", ".cuh"})
        if (file.ends_with(ending)) return kernel_form::header;
    return kernel_form::kernel;
}

std::string kernel_file(tuning_outcome const& out, kernel_form form) {
    using namespace detail;
    kernel_source source = out.best.kernel.source;
    // It may come from such a file itself.
    if (auto const note = read_kernel_note(source); note && *note) source = (*note)->source;
    auto made = tuned_text_of(source, out.best.config);
    tuned_text kernel{{}, source.text};
    if (made && std::holds_alternative<tuned_text>(*made))
        kernel = std::get<tuned_text>(std::move(*made));
    if (source.language == language::wgsl)
        return about(out, out.task.signature.name) + "\n" + between_marks(kernel) +
               wgsl_constants(out, kernel.text);
    kernel.text = with_values_in_pragmas(kernel);
    header_parts const parts{out, source, kernel};
    if (form == kernel_form::header && source.language == language::cuda)
        return about(out, parts.name()) + parts.header();
    // What nvcc does not declare without an include, and the device's back ends do.
    return about(out, parts.name()) +
           "#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)\n"
           "#include <cfloat>\n#include <climits>\n#include <cstdint>\n" +
           (kernel.text.find("CUtensorMap") == kernel.text.npos ? "" : "#include <cuda.h>\n") +
           "#endif\n\n" + parts.constants() + "\n" + between_marks(kernel);
}

} // namespace lkt
