// SPDX-License-Identifier: BSL-1.0
// Needs Boost.JSON.
#pragma once

#include <lkt/kernel/source.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/problems/detail/json_fields.hpp>
#include <lkt/problems/problem_file.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::problems {

/// Reads one problem file; whatever is wrong is thrown as a `problem_defect`. A member says what a
/// field means and reads it, so that messages have the field's path.
class problem_reader {
public:
    problem_reader(problem_file& out,
                   std::string folder,
                   std::optional<language> target,
                   std::string origin)
        : out_(out), task_(out.task), folder_(std::move(folder)), origin_(std::move(origin)),
          target_(target) {}

    /// For a kernel that is at hand.
    problem_reader(problem_file& out,
                   kernel_source const& kernel,
                   signature const& declared,
                   std::string origin)
        : out_(out), task_(out.task), origin_(std::move(origin)), at_hand_(true) {
        task_.reference = kernel;
        task_.signature = declared;
    }

    void read(json::value const& root);

private:
    // Kernel, sizes and launch: problem_file.ipp.
    static expression formula(json_field const& f);
    static problem_size extents(json_field const& f);
    void read_size(json_field const& kernel);
    void read_lkt();
    void refuse_unsupported(json_field const& kernel);
    static std::string choice(json_field const& f,
                              std::initializer_list<std::string_view> known,
                              std::initializer_list<std::string_view> later);
    void read_kernel(json_field const& kernel);
    void read_kernel_file(json_field const& kernel);
    void read_bindings(json_field const& list);
    static std::size_t bound_argument(json_field const& f,
                                      std::string const& name,
                                      wgsl_module const& module,
                                      wgsl_kernel const& kernel);
    [[nodiscard]] std::string inside_folder(json_field const& f, std::string const& name) const;
    void read_launch(json_field const& kernel);
    static expression
    blocks(json_field const& f, std::string const& threads, std::string const& block);
    std::array<expression, 3> axes(json_field const& f) const;
    [[nodiscard]] expression known(json_field const& f) const;

    // Tuning parameters: problem_parameters.ipp.
    void read_space(json_field const& space);
    void read_parameter(json_field const& item);
    [[nodiscard]] tunable_parameter const* parameter(std::string_view name) const;
    static parameter_value plain_value(json_field const& f);
    std::vector<parameter_value> values_of_parameter(json_field const& f,
                                                     std::string const& type) const;
    static parameter_value
    converted(json_field const& f, parameter_value v, std::string const& type);
    void choose_default(tunable_parameter& p, json_field const& f, std::string const& type);

    // Arguments: problem_arguments.ipp.
    void read_arguments(json_field const& kernel);
    [[nodiscard]] std::size_t declared_index(json_field const& f, std::string_view name) const;
    void assign(json_field const& list, std::vector<std::optional<json_field>>& given) const;
    [[nodiscard]] value_type type_of(argument const& a, json_field const& item) const;
    void check_memory(argument const& a, json_field const& item) const;
    static expression formula_or_number(json_field const& f);
    argument_spec
    scalar(argument const& a, json_field const& item, std::optional<json_field> const& value) const;
    static distribution random_fill(json_field const& item);
    argument_spec buffer(argument const& a, std::uint64_t fixed, json_field const& item) const;
    void check_length(argument const& a, std::uint64_t fixed, json_field const& size) const;
    [[nodiscard]] expression count(json_field const& f) const;
    [[nodiscard]] expression substituted(json_field const& f) const;
    void read_domain(json_field const& domain);
    void read_fills(json_field const& fills);
    void read_tolerance(json_field const& tolerances);

    // What the problem promises, and what else tests it: problem_promises.ipp,
    // problem_tests.ipp.
    static void
    check_constraint(json_field const& f, expression const& constraint, problem_size const& size);
    void read_promises();
    /// What to write instead of a name that a formula of the file does not have.
    [[nodiscard]] std::string right_name(std::string_view name) const;
    void read_size_names(json_field const& list);
    void read_work(json_field const& f);
    void read_scratch(json_field const& list);
    void read_test(json_field const& item);
    [[nodiscard]] declared_fill read_fill(json_field const& f) const;
    [[nodiscard]] expression below_of(std::string const& name, json_field const& parameters) const;
    void read_properties(json_field const& f);
    [[nodiscard]] std::size_t input_buffer(json_field const& f) const;
    [[nodiscard]] std::vector<std::vector<std::size_t>> sets_of_inputs(json_field const& f,
                                                                       bool floating) const;
    void read_oracle(json_field const& f);

    // An operation that has no kernel yet: problem_operation.ipp.
    void read_operation(json_field const& kernel);

    problem_file& out_;
    problem& task_;
    std::string folder_, origin_;
    std::optional<language> target_; ///< of an operation, instead of the file's
    bool at_hand_ = false;           ///< the kernel is not read from a file
    std::optional<json_field> lkt_, operation_;
};

} // namespace lkt::detail::problems
