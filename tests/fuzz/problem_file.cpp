// SPDX-License-Identifier: BSL-1.0
// Problem files: T1 and its lkt object, declared tests included.
#include "support/accepted.hpp"

#include <lkt/problems/problem_file.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

lkt_fuzz::target const here("problem_file", [](std::uint8_t const* data, std::size_t size) {
    using namespace lkt_fuzz;
    auto const text = text_of(data, size);
    // Where there is no file, none is opened.
    auto const no_kernel = lkt::parse_problem_file(text, "/nonexistent/folder");
    require(!no_kernel.has_value(), "a problem has a kernel", text);
    require_error(no_kernel.error());

    static lkt::signature const signatures[] = {lkt::find_kernel(cuda_text).value(),
                                                lkt::find_kernel(wgsl_text).value()};
    for (bool const wgsl : {false, true}) {
        auto const& kernel = wgsl ? wgsl_text : cuda_text;
        auto const file = lkt::parse_problem_file(text, kernel, signatures[wgsl ? 1 : 0]);
        if (!file) {
            require_error(file.error());
            continue;
        }
        require_problem(file->task, text);
        require(file->raw != nullptr, "what was read is kept", text);
        std::string const printed = boost::json::serialize(*file->raw);
        auto const again = lkt::parse_problem_file(printed, kernel, signatures[wgsl ? 1 : 0]);
        require(again.has_value(), "what is written back can be read", printed);
        require(again->task == file->task, "it reads back as the same", printed);
    }
    return 0;
});
