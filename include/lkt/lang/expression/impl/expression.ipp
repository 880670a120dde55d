// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/expression/expression.hpp>

#include <lkt/lang/expression/detail/expression_parser.hpp>

namespace lkt {

expression::expression(std::shared_ptr<detail::lang::expression_program const> program)
    : program_(std::move(program)) {}

expression::expression() {
    static expression const zero(std::int64_t{0});
    program_ = zero.program_;
}

expression::expression(std::int64_t constant) {
    auto program = std::make_shared<detail::lang::expression_program>();
    program->text = std::to_string(constant);
    program->constants.emplace_back(constant);
    program->instructions.push_back({});
    program_ = std::move(program);
}

result<expression> expression::parse(std::string_view text) {
    result<detail::lang::expression_program> program = detail::lang::expression_parser(text).run();
    if (!program) return program.error();
    return expression(
        std::make_shared<detail::lang::expression_program const>(std::move(*program)));
}

result<parameter_value> expression::evaluate(expression_scope const& scope) const {
    return program_->run(scope);
}

result<std::int64_t> expression::evaluate_integer(expression_scope const& scope) const {
    result<parameter_value> const v = program_->run(scope);
    if (!v) return v.error();
    if (detail::lang::is_text(*v))
        return detail::lang::expression_error(
            text(), 1, "the result must be an integer, but is text");
    if (!detail::lang::is_real(*v)) return detail::lang::whole(*v);
    double const d = detail::lang::real(*v);
    detail::lang::computed const i = detail::lang::to_whole(d);
    if (__builtin_trunc(d) != d)
        return detail::lang::expression_error(
            text(), 1, "the result must be an integer, but is " + real_text(d) + "");
    if (i.why != nullptr) return detail::lang::expression_error(text(), 1, i.why);
    return detail::lang::whole(i.v);
}

result<bool> expression::evaluate_condition(expression_scope const& scope) const {
    result<parameter_value> const v = program_->run(scope);
    if (!v) return v.error();
    return detail::lang::truth(*v);
}

std::string const& expression::text() const { return program_->text; }

std::vector<std::string> const& expression::names() const { return program_->names; }

} // namespace lkt
