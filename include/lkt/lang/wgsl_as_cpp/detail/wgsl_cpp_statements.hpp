// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl_as_cpp/detail/wgsl_cpp_expressions.hpp>

namespace lkt::detail::lang {

/// Reads the statements of a function and writes them as C++, one after the other.
class wgsl_cpp_statements : protected wgsl_cpp_expressions {
protected:
    using wgsl_cpp_expressions::wgsl_cpp_expressions;

    /// The body of `d`, whose parameters have been declared in a scope.
    void body(wgsl_declaration const& d) {
        function_ = &d;
        loops_.clear();
        at_ = d.body_begin;
        while (!defect_ && at_ < d.body_end) statement();
    }

private:
    /// A loop around what is being read. What `continuing` holds is written at each `continue`.
    struct loop {
        std::size_t continuing = 0; ///< its brace; 0: none
        std::size_t scopes = 0;     ///< that are open in the loop's body
        std::size_t number = 0;     ///< of the label behind it
    };

    void statement() {
        level const guard(*this);
        read_attributes();
        if (defect_ || accept(";")) return;
        place(at_);
        if (symbol("{")) return block();
        if (accept("if")) return branch();
        if (accept("switch")) return choice();
        if (accept("loop")) return endless();
        if (accept("for")) return counted();
        if (accept("while")) {
            put("while (");
            expression(read_expression());
            put(") ");
            return loop_body({});
        }
        if (accept("continue")) {
            go_on();
            return expect(";");
        }
        if (word("continuing")) return unexpected("a statement"); // it ends a loop's body
        if (word("discard")) return untranslated(at_, "is for fragment shaders");
        if (accept("const_assert")) {
            read_expression();
            return expect(";");
        }
        if (accept("break")) {
            if (accept("if")) {
                put("if (");
                expression(read_expression());
                put(") goto lkt_behind_" +
                    std::to_string(loops_.empty() ? 0 : loops_.back().number));
            } else {
                put("break");
            }
        } else if (accept("return")) {
            put("return ");
            if (!symbol(";") && function_->type == no_node) return unexpected("`;`");
            if (!symbol(";")) converted(function_->type, read_expression());
        } else {
            simple();
        }
        put("; ");
        expect(";");
    }

    void block() {
        level const guard(*this);
        expect("{");
        put("{ ");
        scopes_.emplace_back();
        while (!defect_ && !symbol("}") && !word("continuing")) statement();
        if (word("continuing")) {
            if (loops_.empty() || scopes_.size() != loops_.back().scopes)
                return unexpected("a statement");
            advance();
            block();
        }
        scopes_.pop_back();
        place(at_);
        put("} ");
        expect("}");
    }

    void branch() {
        put("if (");
        expression(read_expression());
        put(") ");
        block();
        while (!defect_ && accept("else")) {
            put("else ");
            if (accept("if")) {
                put("if (");
                expression(read_expression());
                put(") ");
                block();
            } else {
                return block();
            }
        }
    }

    void choice() {
        put("switch ((long)lkt_value(");
        expression(read_expression());
        put(")) { ");
        read_attributes();
        expect("{");
        while (!defect_ && !accept("}")) {
            if (!word("case") && !word("default")) return unexpected("`case` or `default`");
            bool const cases = accept("case");
            do {
                if (symbol(":") || symbol("{")) break; // a comma at the end
                if (accept("default")) {
                    put("default: ");
                } else if (cases) {
                    put("case lkt_to<long>(");
                    expression(read_expression());
                    put("): ");
                }
            } while (!defect_ && accept(","));
            accept(":");
            read_attributes();
            block();
            put("break; ");
        }
        put("} ");
    }

    // --- loops -----------------------------------------------------------------------------------
    void loop_body(loop l) {
        l.scopes = scopes_.size() + 1;
        l.number = ++numbered_;
        loops_.push_back(l);
        block();
        loops_.pop_back();
        put("lkt_behind_" + std::to_string(l.number) + ":; ");
    }
    void endless() {
        read_attributes();
        put("for (;;) ");
        loop l;
        std::size_t depth = 0;
        for (std::size_t i = at_; i < function_->body_end; ++i) {
            wgsl_token const& t = s_.tokens[i];
            if (t.is("{")) ++depth;
            if (t.is("}") && (depth == 0 || --depth == 0)) break;
            if (depth == 1 && t.names() && t.is("continuing")) l.continuing = i + 1;
        }
        loop_body(l);
    }
    void counted() {
        expect("(");
        put("{ ");
        scopes_.emplace_back();
        if (!symbol(";")) simple();
        put("; for (; ");
        expect(";");
        if (!symbol(";")) expression(read_expression());
        put("; ");
        expect(";");
        if (!symbol(")")) simple();
        put(") ");
        expect(")");
        loop_body({});
        scopes_.pop_back();
        put("} ");
    }
    void go_on() {
        if (!loops_.empty() && loops_.back().continuing != 0) {
            level const guard(*this); // a continue within continuing, which WGSL does not have
            loop const l = loops_.back();
            std::size_t const here = std::exchange(at_, l.continuing);
            std::vector inner(scopes_.begin() + static_cast<std::ptrdiff_t>(l.scopes),
                              scopes_.end());
            scopes_.resize(l.scopes);
            block();
            scopes_.insert(scopes_.end(), inner.begin(), inner.end());
            if (!defect_) at_ = here;
        }
        put("continue; ");
    }

    // --- what a for may hold too -----------------------------------------------------------------
    void simple() {
        if (defect_) return;
        if (word("let") || word("var") || word("const")) return variable();
        if (word("_") && s_.tokens[at_ + 1].is("=")) {
            advance();
            advance();
            put("(void)(");
            expression(read_expression());
            return put(")");
        }
        wgsl_node_id const left = read_unary();
        if (defect_) return;
        static constexpr std::pair<std::string_view, std::string_view> all[] = {
            {"=", "lkt_put"},
            {"+=", "lkt_put_add"},
            {"-=", "lkt_put_sub"},
            {"*=", "lkt_put_mul"},
            {"/=", "lkt_put_div"},
            {"%=", "lkt_put_rem"},
            {"&=", "lkt_put_and"},
            {"|=", "lkt_put_or"},
            {"^=", "lkt_put_xor"},
            {"<<=", "lkt_put_shl"},
            {">>=", "lkt_put_shr"},
            {"++", "lkt_increment"},
            {"--", "lkt_decrement"}};
        for (auto const& [sign, function] : all) {
            if (!symbol(sign)) continue;
            advance();
            put(function);
            put("(");
            expression(left);
            if (sign != "++" && sign != "--") {
                put(", ");
                expression(read_expression());
            }
            return put(")");
        }
        if (s_.nodes[left].what != node::sort::call) return unexpected("`=`");
        expression(left);
    }
    void variable() {
        bool const variable = word("var"), constant = word("const");
        advance();
        if (variable) read_template_list();
        std::size_t const token = expect_name("what is declared");
        wgsl_node_id declared = no_node, value = no_node;
        if (accept(":")) declared = read_type();
        if (accept("=")) value = read_expression();
        if (defect_) return;
        // What is declared is not known within its own value.
        put(constant ? "constexpr " : "");
        if (declared != no_node)
            type(declared);
        else
            put("auto");
        // Not const: C++ would compute what it can then, where no choice of WGSL's is left.
        put(" ");
        std::size_t const at = out_.size();
        if (value == no_node) {
            if (!variable || declared == no_node) return unexpected("a value");
            put("{}");
        } else {
            put(" = ");
            if (declared != no_node) {
                converted(declared, value);
            } else {
                put(constant ? "(" : "lkt_value(");
                expression(value);
                put(")");
            }
        }
        std::string const made = declare(token);
        if (!defect_) out_.insert(at, made);
    }

    wgsl_declaration const* function_ = nullptr;
    std::vector<loop> loops_;
    std::size_t numbered_ = 0;
};

} // namespace lkt::detail::lang
