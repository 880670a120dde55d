// SPDX-License-Identifier: BSL-1.0
// What a compilation is known by: in this process, and to the cache.
#pragma once

#include <lkt/core/sha256.hpp>
#include <lkt/gpu/detail/host/compiler.hpp>
#include <lkt/gpu/detail/host/shim_races.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/lang/definitions.hpp>
#include <lkt/process/wire.hpp>

#include <string>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// Of all that a request decides.
[[nodiscard]] inline std::string key_of_module(compile_request const& r) {
    packer key;
    key.put(r.source.language)
        .put(r.source.text)
        .put(r.signature.name)
        .put(r.signature.template_parameters);
    for (auto const& [name, value] : r.definitions.values) key.put(name).put(value_text(value));
    key.put(r.options).put(r.checked).put(r.branches).put(r.constants);
    for (auto const& a : r.signature.arguments)
        if (a.constant_count > 0) key.put(a.name);
    for (auto const& map : r.signature.tensor_maps) key.put(to_string(map));
    return std::move(key).bytes();
}

/// Of all that decides what the compiler makes of a text: the compiler and its parts, the machine,
/// the options, and the whole text, with what lkt put around it. It has no macros left, so the
/// value of one that it does not use makes no difference.
[[nodiscard]] inline std::string key_of_code(compiler_facts const& compiler,
                                             std::vector<std::string> const& arguments,
                                             std::string const& whole) {
    packer key;
    key.put("host 3").put(compiler.identity).put(arguments);
    key.put(sha256().add(whole).hex()).put(sha256().add(race_hooks).hex());
    return std::move(key).bytes();
}

/// Of what the compiler says about it: its words are told from the text's own, as that was written.
[[nodiscard]] inline std::string key_of_refusal(std::string const& key_of_code,
                                                compile_request const& request) {
    packer key;
    key.put("refusal").put(key_of_code);
    key.put(request.source.language).put(request.source.text).put(request.signature.name);
    for (auto const& [name, value] : request.definitions.values)
        key.put(name).put(value.index()).put(value_text(value));
    return std::move(key).bytes();
}

} // namespace lkt::host_detail
