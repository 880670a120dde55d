// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/gpu/webgpu/detail/builder.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

namespace lkt::webgpu_detail {

namespace builder_parts {

constexpr std::size_t max_built = 512;

/// The message without what lkt's calls are named, and without empty lines around it.
std::string tidy(std::string_view text) {
    std::string log;
    for (std::size_t at = 0; at < text.size();) {
        auto const end = std::min(text.find('\n', at), text.size());
        auto line = text.substr(at, end - at);
        at = end + 1;
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
        auto const word = line.substr(std::min(line.find_first_not_of(' '), line.size()));
        if (word == "Validation Error" || word == "Caused by:" || word.starts_with("In wgpu"))
            continue;
        if (word.empty() && (log.empty() || log.ends_with("\n\n"))) continue;
        log += line;
        log += '\n';
    }
    while (!log.empty() && log.back() == '\n') log.pop_back();
    return plain_text(log, 8192);
}

/// The place that naga draws: `wgsl:3:7` where it parses, `kernel:3:7` where it validates, behind
/// the corner of a box.
text_location place_in(std::string_view log) {
    text_location where;
    auto const corner = log.find("\u250c\u2500 ");
    auto const mark = corner == log.npos ? log.npos : log.find(':', corner);
    if (mark == std::string_view::npos) return where;
    char const* const end = log.data() + log.size();
    auto const line = std::from_chars(log.data() + mark + 1, end, where.line);
    if (line.ec != std::errc{}) return {};
    if (line.ptr != end && *line.ptr == ':') (void)std::from_chars(line.ptr + 1, end, where.column);
    return where;
}

/// wgpu-native 29 has subgroups, but does not know the word that asks for them: spaces in the place
/// of `enable subgroups;`, and of `subgroups` in a longer list.
std::string without_subgroups_line(std::string text) {
    auto const tokens = tokenize(text);
    if (!tokens) return text;
    auto const& all = *tokens;
    auto const drop = [&](token const& t) {
        std::fill(text.begin() + static_cast<std::ptrdiff_t>(t.begin),
                  text.begin() + static_cast<std::ptrdiff_t>(t.end),
                  ' ');
    };
    auto const directive = [](token const& t) {
        return t.is("enable") || t.is("requires") || t.is("diagnostic");
    };
    for (std::size_t i = 0; i < all.size() && directive(all[i]);) {
        std::size_t const first = i;
        while (i < all.size() && !all[i].is(";")) ++i;
        if (i == all.size()) break;
        for (std::size_t k = first + 1; k < i; ++k) {
            if (!all[k].is("subgroups")) continue;
            drop(all[k]);
            if (all[k - 1].is(","))
                drop(all[k - 1]);
            else if (all[k + 1].is(","))
                drop(all[k + 1]);
            else
                drop(all[first]), drop(all[i]);
        }
        ++i;
    }
    return text;
}

} // namespace builder_parts

program_builder::program_builder(api const& library, wg_device device, device_trouble& trouble)
    : library_(library), device_(device), trouble_(trouble), thread_([this] { serve(); }) {}

program_builder::~program_builder() {
    {
        std::lock_guard const lock(gate_);
        ends_ = true;
        waiting_.clear();
    }
    wake_.notify_all();
    thread_.join();
}

std::shared_ptr<built_program const> program_builder::get(std::string const& packed) {
    // Whatever is built ahead is finished by then.
    std::lock_guard const use(device_use_);
    {
        std::lock_guard const lock(gate_);
        if (auto const known = built_.find(packed); known != built_.end()) return known->second;
        std::erase(waiting_, packed);
    }
    return build(packed);
}

void program_builder::ahead(std::string packed) {
    std::lock_guard const lock(gate_);
    if (built_.contains(packed) ||
        std::find(waiting_.begin(), waiting_.end(), packed) != waiting_.end())
        return;
    waiting_.push_back(std::move(packed));
    wake_.notify_one();
}

void program_builder::serve() {
    while (true) {
        {
            std::unique_lock lock(gate_);
            wake_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
            if (ends_) return;
        }
        std::lock_guard const use(device_use_);
        std::string next;
        {
            std::lock_guard const lock(gate_);
            if (waiting_.empty()) continue;
            next = std::move(waiting_.front());
            waiting_.pop_front();
        }
        (void)build(next);
    }
}

/// With `device_use_` held.
std::shared_ptr<built_program const> program_builder::build(std::string const& packed) {
    auto made = std::make_shared<built_program>();
    made->program = unpack_program(packed).value_or(wgsl_program{});
    auto const& program = made->program;
    auto const& a = library_;
    caught_error error = caught(a, device_, [&] {
        auto const code = builder_parts::without_subgroups_line(program.text);
        wg_shader_wgsl text;
        text.code = std::string_view(code);
        wg_shader_descriptor shader_is;
        shader_is.next = &text.chain;
        shader_is.label = std::string_view("kernel");
        owned_shader const shader(a, a.create_shader(device_, &shader_is));

        std::uint32_t groups = 0;
        for (auto const& b : program.bindings) groups = std::max(groups, b.group + 1);
        std::vector<wg_group_layout> handles;
        for (std::uint32_t group = 0; group < groups; ++group) {
            std::vector<wg_layout_entry> entries;
            for (auto const& b : program.bindings) {
                if (b.group != group) continue;
                auto& entry = entries.emplace_back();
                entry.binding = b.binding;
                entry.buffer.type = b.uniform     ? wg_binding_type::uniform
                                    : b.read_only ? wg_binding_type::read_only_storage
                                                  : wg_binding_type::storage;
            }
            wg_group_layout_descriptor group_is;
            group_is.entry_count = entries.size();
            group_is.entries = entries.data();
            made->groups.emplace_back(a, a.create_group_layout(device_, &group_is));
            handles.push_back(made->groups.back().get());
        }
        wg_pipeline_layout_descriptor layout_is;
        layout_is.group_count = handles.size();
        layout_is.groups = handles.data();
        made->layout = owned_pipeline_layout(a, a.create_pipeline_layout(device_, &layout_is));

        std::vector<wg_constant> constants;
        for (auto const& [key, value] : program.constants) {
            auto& constant = constants.emplace_back();
            constant.key = std::string_view(key);
            constant.value = value;
        }
        wg_pipeline_descriptor pipeline_is;
        pipeline_is.layout = made->layout.get();
        pipeline_is.compute.shader = shader.get();
        pipeline_is.compute.entry = std::string_view(program.entry);
        pipeline_is.compute.constant_count = constants.size();
        pipeline_is.compute.constants = constants.data();
        made->pipeline = owned_pipeline(a, a.create_pipeline(device_, &pipeline_is));
    });
    if (std::lock_guard const lock(trouble_.gate); error.kind == wg_error::none)
        // Scopes of wgpu-native know no internal errors: a driver that refuses is told here.
        error = {std::exchange(trouble_.error, wg_error::none), trouble_.error_text};
    made->answer.built = error.kind == wg_error::none && made->pipeline;
    if (!made->answer.built) {
        made->answer.log = builder_parts::tidy(error.text);
        made->answer.where = builder_parts::place_in(made->answer.log);
        if (made->answer.log.empty()) made->answer.log = "the pipeline was not created";
    }
    std::lock_guard const lock(gate_);
    if (built_.emplace(packed, made).second) order_.push_back(packed);
    if (order_.size() > builder_parts::max_built) {
        built_.erase(order_.front());
        order_.pop_front();
    }
    return made;
}

} // namespace lkt::webgpu_detail
