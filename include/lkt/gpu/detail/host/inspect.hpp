// SPDX-License-Identifier: BSL-1.0
// What a compiled kernel is made of, read from its file before anything loads it.
#pragma once

#include <lkt/gpu/branches.hpp>
#include <lkt/gpu/detail/host/elf.hpp>
#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/gpu/detail/host/words.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/process/service.hpp>
#include <lkt/process/shared_memory.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lkt::host_detail {

/// A variable of the kernel that it may write.
struct module_variable {
    std::string symbol;
    std::uint64_t address = 0, size = 0; ///< in the module

    /// Its name without namespaces and functions: `tile` of `_ZZN12_GLOBAL__N_11kEPfE4tile`.
    [[nodiscard]] std::string name() const {
        int status = 0;
        std::unique_ptr<char, void (*)(void*)> const full{
            abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free};
        std::string const whole = status == 0 && full ? full.get() : symbol;
        auto const colons = whole.rfind("::");
        return colons == whole.npos ? whole : whole.substr(colons + 2);
    }
};

/// How a module is instrumented.
enum class instrumentation : unsigned char { none, bounds, races, branches };

/// What the handle of a compiled_kernel points to.
struct compiled_module {
    shared_memory code;
    std::uint64_t shared_bytes = 0; ///< static shared memory of a block
    std::uint64_t digest = 0;
    std::uint64_t writable_bytes = 0; ///< of the kernel's own variables
    bool checked = false, atomics = false;
    bool fibres = false;                  ///< its threads take turns
    std::uint32_t dynamic_alignment = 16; ///< of dynamic shared memory, in bytes
    configuration map_names;              ///< what its tensor maps may name
    bool polls = false;                   ///< blocks may wait for each other
    bool casts_as_cpu = false;            ///< with a device's casts and shifts it does not compile
    bool wgsl = false;                    ///< a translation, which only the checked mode runs
    bool subgroups = false;               ///< of WGSL
    std::string text; ///< that the sanitizers' messages name places of; empty without them
    std::vector<std::string> notes;
    /// The same kernel, compiled to find data races; null where that cannot be done.
    std::shared_ptr<compiled_module const> races;
    /// Of checked builds: where variables lie, and their names.
    std::vector<module_variable> variables;
    /// Null unless it is compiled to watch them.
    std::shared_ptr<std::vector<branch_site> const> branches;
    /// Of its code; null unless they are asked for.
    std::shared_ptr<std::vector<double> const> constants;

    /// Whether each block has that variable for itself.
    [[nodiscard]] bool shared(module_variable const& v) const {
        return v.name().starts_with(wgsl ? workgroup_prefix : shared_prefix);
    }
};

/// Constant memory that the host fills, without its namespaces.
[[nodiscard]] inline std::set<std::string> filled_constants(signature const& s) {
    std::set<std::string> names;
    for (auto const& a : s.arguments)
        if (a.constant_count > 0) names.insert(a.name.substr(a.name.rfind(':') + 1));
    return names;
}

/// Completes `module` by what its file says; why it must not be loaded, if it must not. Every build
/// is held to the same: what runs when a module is loaded would run before the guards do.
[[nodiscard]] inline std::optional<failure> inspect(compiled_module& module,
                                                    instrumentation how,
                                                    std::set<std::string> const& filled,
                                                    bool screened) {
    auto const facts = elf_reader{module.code.bytes()}.read();
    if (!facts) return compile_failed{"the compiler wrote a file that is not a shared object", {}};
    for (auto const& [name, size] : facts->of_threads)
        if (module.shared({name})) module.shared_bytes += size;
    module.digest = std::max<std::uint64_t>(layout_hash(module.code.text()), 1);
    for (std::size_t i = 0; how != instrumentation::none && i < facts->writable.size(); ++i)
        module.variables.push_back(
            {facts->writable[i].first, facts->addresses[i], facts->writable[i].second});
    auto constants = filled; // filled, and looked at, before and after each launch
    for (auto const& [name, size] : facts->writable) {
        if (name == "_ZL8blockDim" || name == "_ZL7gridDim" || name == "_ZL8lkt_host" ||
            name == "_ZL17lkt_dynamic_bytes" || name == "lkt_access")
            continue; // the shim's
        auto const filled_one =
            std::find_if(constants.begin(), constants.end(), [&](auto const& c) {
                return name == c || name.ends_with(std::to_string(c.size()) + c + "E");
            });
        if (filled_one == constants.end())
            module.writable_bytes += size;
        else
            constants.erase(filled_one); // a second one of that name is none
    }
    if (!screened) return {};
    for (auto const& symbol : facts->undefined)
        if (!computes_only(symbol, module.checked))
            return refused{symbol, std::string{not_device_code}, {}};
    if (facts->resolvers || facts->constructors)
        return refused{"a static constructor",
                       "an object outside functions needs a constant initialiser; make it "
                       "constexpr, or compute it in the kernel",
                       {}};
    return {};
}

} // namespace lkt::host_detail
