// SPDX-License-Identifier: BSL-1.0
// What a compiler said of a kernel's text, as a failure.
#pragma once

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/lang/diagnostics/diagnostics.hpp>
#include <lkt/process/child.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::host_detail {

/// Of what the compiler said, what concerns the kernel's own text.
[[nodiscard]] inline compile_failed
failure_of(child_result const& r, compile_request const& request, std::string const& compiled) {
    own_text own{request.source.text, request.definitions, compiled};
    own.also(request.signature.name);
    std::string said = r.err.empty() ? r.out : r.err;
    for (std::string_view const renamed : {"own_lkt_", "own_LKT_"}) // as the text has it
        for (std::size_t at = 0; (at = said.find(renamed, at)) != said.npos;) said.erase(at, 4);
    return compile_failure(said, own);
}

/// How a compiler ended that did not come to its end, and what it had said of the text.
[[nodiscard]] inline compile_failed last_words(std::string how,
                                               child_result const& r,
                                               compile_request const& request,
                                               std::string const& compiled) {
    compile_failed why{std::move(how), {}, true};
    if (r.err.empty()) return why;
    auto said = failure_of(r, request, compiled);
    why.log += "; its last words:\n" + said.log;
    why.where = said.where;
    return why;
}

} // namespace lkt::host_detail
