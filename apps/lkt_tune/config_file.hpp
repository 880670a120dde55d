// SPDX-License-Identifier: BSL-1.0
// Options in a file, as Boost.Program_options has them: `key = value` lines, `#` begins a comment.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/core/result.hpp>

#include <boost/program_options/option.hpp>
#include <boost/program_options/options_description.hpp>

#include <string>
#include <vector>

namespace lkt_tune {

class config_file {
public:
    /// Errors: those of `read_text_file`; usage, with file and line, for a line that is no option.
    [[nodiscard]] static lkt::result<config_file>
    read(std::string const& file, boost::program_options::options_description const& known);

    [[nodiscard]] std::string const& name() const { return file_; }
    /// Takes what the command line gives itself out of the file, which leaves the rest.
    void give_way_to(std::vector<boost::program_options::option> const& given);
    /// The options as words of a command line.
    [[nodiscard]] std::vector<std::string> words() const;
    /// The error with file and line, if it is about an option of this file.
    [[nodiscard]] lkt::error located(lkt::error wrong) const;

private:
    struct entry {
        std::string key, value;
        int line = 0;
        bool is_switch = false, is_on = false;
    };
    std::string file_;
    std::vector<entry> entries_;
};

} // namespace lkt_tune
