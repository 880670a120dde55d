// SPDX-License-Identifier: BSL-1.0
// What was learnt of a compiler, for the next process: to ask it takes a dozen short programs.
#pragma once

#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/detail/host/toolchain.hpp>
#include <lkt/process/wire.hpp>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::host_detail {

/// A compiler that answered.
struct compiler_facts {
    std::string program; ///< full path, or as the user gave it
    std::string version; ///< first line of --version
    bool clang = false;
    toolchain parts; ///< what it may read and execute
    /// For keys: its files by size and time, and the processor, for which it compiles.
    std::string identity{};
};

/// An entry of the compile cache, which lkt alone writes: from answers to questions in which no
/// kernel's text occurs. It counts as long as each file that the compiler may use, and each folder
/// in which one of them was looked for, has the size and the time that it had.
class known_compiler {
public:
    known_compiler(gpu_detail::compile_cache& cache, std::string const& program) : cache_(cache) {
        std::error_code ignored;
        auto const variable = [](char const* name) {
            auto const* const value = std::getenv(name);
            return std::string{value == nullptr ? "" : value};
        };
        key_ = packer{}
                   .put("a compiler, 1")
                   .put(program)
                   .put(variable("PATH"))
                   .put(variable("HOME"))
                   .put(std::filesystem::current_path(ignored).string())
                   .bytes();
    }

    [[nodiscard]] std::optional<compiler_facts> recall() const {
        auto const kept = cache_.find(key_);
        auto const* const bytes = kept ? std::get_if<std::string>(&*kept) : nullptr;
        if (bytes == nullptr) return {};
        compiler_facts facts;
        unpacker in{*bytes};
        facts.program = in.text();
        facts.version = in.text();
        facts.clang = in.get<bool>();
        facts.parts.path = in.text();
        for (auto* const list : {&facts.parts.readable, &facts.parts.looked_in})
            for (auto left = in.count(); left > 0; --left) list->emplace_back(in.text());
        auto const stamps = in.text();
        if (!in.complete() || stamps != stamps_of(facts.parts)) return {};
        return facts;
    }

    void keep(compiler_facts const& facts) {
        cache_.store(key_,
                     packer{}
                         .put(facts.program)
                         .put(facts.version)
                         .put(facts.clang)
                         .put(facts.parts.path)
                         .put(facts.parts.readable)
                         .put(facts.parts.looked_in)
                         .put(stamps_of(facts.parts))
                         .bytes());
    }

private:
    static std::string stamps_of(toolchain const& parts) {
        std::string all;
        for (auto const* const list : {&parts.readable, &parts.looked_in})
            for (auto const& path : *list) all += gpu_detail::file_stamp(path);
        return all;
    }

    gpu_detail::compile_cache& cache_;
    std::string key_;
};

} // namespace lkt::host_detail
