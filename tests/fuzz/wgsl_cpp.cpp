// SPDX-License-Identifier: BSL-1.0
// WGSL as C++: a translation or an error, and no word of the text without its prefix.
#include "support/property.hpp"

#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/lang/wgsl_as_cpp/wgsl_as_cpp.hpp>

lkt_fuzz::target const here("wgsl_cpp", [](std::uint8_t const* data, std::size_t size) {
    using namespace lkt_fuzz;
    lkt::kernel_source const source{lkt::language::wgsl, std::string(text_of(data, size)), "fuzz"};
    auto const module = lkt::reflect_wgsl(source);
    for (std::size_t k = 0; module && k < module->entry_points.size(); ++k) {
        auto const made = lkt::wgsl_as_cpp(source, module->entry_points[k].name, {});
        if (!made) {
            require_error(made.error());
            continue;
        }
        for (char const c : made->text)
            require((c >= ' ' && c <= '~') || c == '\n', "printable ASCII alone", made->text);
        for (std::string_view const out : {"\\", "/*", "//", "'", "??", "@"})
            require(made->text.find(out) == std::string::npos,
                    "nothing that C++ reads otherwise",
                    made->text);
        require(made->entry == "lkt_entry", "it has an entry", made->text);
    }
    return 0;
});
