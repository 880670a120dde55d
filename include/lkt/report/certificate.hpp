// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/evaluate/evaluation_options.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/nodes/certify.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// A file that a verification depended on.
struct certified_file {
    std::string role; ///< `problem`, `original`, `expected outputs`, `oracle`, `script`, ...
    std::string path; ///< as it was named then; digests alone decide
    std::string sha256;
    friend bool operator==(certified_file const&, certified_file const&) = default;
};

/// SHA-256 of a text; of a problem file (`problem_digest`) white space and the order of members do
/// not count.
[[nodiscard]] std::string text_digest(std::string_view text);
[[nodiscard]] result<std::string> problem_digest(std::string_view json);
/// The problem file, and whatever it names: the original's text, the script or the folder that says
/// what is expected. Errors: those of reading them.
[[nodiscard]] result<std::vector<certified_file>> files_of_problem(std::string const& path,
                                                                   std::string const& prefix = {});

/// What the tests of a verification were.
struct certified_test {
    std::string name;
    std::string inputs, expected; ///< SHA-256
    friend bool operator==(certified_test const&, certified_test const&) = default;
};

/// What a verification was told to do, as far as its result depends on that. With the seed it is
/// all that a replay needs.
struct certified_settings {
    std::uint64_t seed = 0;
    int hidden_sizes = 9;
    bytes test_memory{}; ///< for the arguments of one test
    certify_options certify{};
    int repetitions = 100;
    seconds repeating{10}, compile_limit{60}, launch_limit{0};
    bool checked = true;
    seconds checked_time{5};
    seconds large_launch{0.02};
    static_policy static_checks{};

    /// The same as a verifier takes them.
    [[nodiscard]] evaluation_options evaluation() const;
};

/// Each setting of `used` that asks for less than `usual` does, as a report says it: `3 timed
/// launches instead of 21`, `rules off: clock, heap`.
[[nodiscard]] std::vector<std::string> weaker_settings(certified_settings const& used,
                                                       certified_settings const& usual);

/// What is known of a kernel that was accepted, so that anybody can verify it again: everything
/// follows from the seed. It proves nothing by itself, since whoever can write a file can write
/// this one; its worth is that the replay must come out as it says.
struct certificate {
    std::string lkt_version, date; ///< `2026-11-25T14:53:08Z`
    std::string kernel_name;
    kernel_source kernel; ///< the text as it was judged
    std::vector<certified_file> files;
    certified_settings settings;
    std::string device, backend, driver, architecture; ///< of `device_description`
    std::string verdict = "accepted";
    bool listed_sizes_only = false;
    std::vector<std::pair<std::string, std::string>> checks; ///< each with how it ended
    std::string checked, unchecked; ///< races, accesses out of bounds: how much, what not
    std::size_t configurations = 0; ///< that were run
    std::vector<certified_test> tests;
    /// Of the timed launches: the median and the interval that holds it with 95 %.
    struct times {
        seconds median{}, low{}, high{};
        std::size_t launches = 0;
    };
    std::optional<times> time; ///< none below six launches
};

/// Of a verification that has just ended; `state` is the verifier's. `date` is now.
[[nodiscard]] certificate make_certificate(tuning_state const& state,
                                           kernel_source const& kernel,
                                           verification const& found,
                                           certified_settings const& settings,
                                           std::vector<certified_file> files);

/// As JSON, on lines, with a digest of itself at its end.
[[nodiscard]] std::string certificate_text(certificate const& c);

/// Errors (rejected): `lkt.certificate.json` (with line and column), `.version` (written by another
/// generation of lkt), `.changed` (its digest does not fit it), `.field`, `.verdict` (not
/// accepted),
/// `.kernel` (the text does not fit its digest).
[[nodiscard]] result<certificate> read_certificate(std::string_view text,
                                                   std::string const& origin = "certificate");

/// The first file of a certificate that is another one now, as an error (rejected,
/// `lkt.certificate.file`) that names it.
[[nodiscard]] std::optional<error> changed_file(certificate const& c,
                                                std::vector<certified_file> const& now);

/// One thing that a replay finds as it was, or not.
struct certificate_line {
    std::string what;
    bool agrees = true;
    /// Whether the certificate fails with it. Another device is a remark, and so is what depends on
    /// one: the bits of expected outputs, how long it took.
    bool remark = false;
};

/// What a replay has found, line by line. Tests that only one of the two has are a remark: on a
/// device of another speed the original may decide less of them.
[[nodiscard]] std::vector<certificate_line> compare_certificates(certificate const& then,
                                                                 certificate const& now);
[[nodiscard]] bool holds(std::vector<certificate_line> const& lines);

} // namespace lkt
