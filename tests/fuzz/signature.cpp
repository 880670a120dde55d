// SPDX-License-Identifier: BSL-1.0
// The signatures of kernels in CUDA text.
#include "support/property.hpp"

#include <lkt/lang/find_kernel.hpp>

lkt_fuzz::target const here("signature", [](std::uint8_t const* data, std::size_t size) {
    using namespace lkt_fuzz;
    lkt::kernel_source const source{lkt::language::cuda, std::string(text_of(data, size)), "fuzz"};
    auto const names = lkt::kernel_names(source);
    if (!names) {
        require_error(names.error());
        require(!lkt::find_kernels(source).has_value(), "kernels have names", source.text);
        return 0;
    }
    for (std::string const& name : *names)
        if (auto const one = lkt::find_kernel(source, name); !one) require_error(one.error());

    auto const all = lkt::find_kernels(source);
    if (!all) {
        require_error(all.error());
        return 0;
    }
    require(all->size() <= names->size(), "every kernel has a name", source.text);
    for (lkt::signature const& s : *all) {
        require(s.line >= 1 && s.line <= lines_of(source.text), "its line is one", source.text);
        require(!lkt::compare_signatures(s, s), "a signature is like itself", to_string(s));
        auto const counts = lkt::fixed_counts(source, s);
        require(counts.size() == s.arguments.size(), "a count for each argument", source.text);
        for (lkt::argument const& a : s.arguments) {
            require(
                a.type.lanes >= 1 && a.type.lanes <= 4, "a vector has 1 to 4 lanes", a.spelling);
            require(a.pointer || a.flow == lkt::direction::in, "values are inputs", a.spelling);
            require(a.pointer || a.constant_count == 0, "constants are buffers", a.spelling);
        }
        auto const again = lkt::find_kernel(source, s.name);
        if (!again) continue; // two with one name and other parameters, or two of one last name
        require(!lkt::compare_signatures(s, *again), "it is found by its name", to_string(s));
        require(!lkt::check_signature(*again, source), "a text can stand for itself", source.text);
    }
    return 0;
});
