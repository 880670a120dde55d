// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/detail/wgsl_syntax.hpp>

namespace lkt::detail::lang {

/// Recursive descent over expressions, types and attributes: what declarations and statements are
/// made of. After a defect the reader stands at the end of the text, so that every loop ends.
class wgsl_expression_reader {
protected:
    using node = wgsl_node;

    wgsl_expression_reader(kernel_source const& source, wgsl_syntax syntax)
        : source_(source), s_(std::move(syntax)) {}

    [[nodiscard]] wgsl_token const& peek() const { return s_.tokens[at_]; }
    [[nodiscard]] bool symbol(std::string_view text) const {
        return peek().what == wgsl_token::sort::symbol && peek().is(text);
    }
    [[nodiscard]] bool word(std::string_view text) const {
        return peek().names() && peek().is(text);
    }
    void advance() {
        if (peek().what != wgsl_token::sort::end) ++at_;
    }
    bool accept(std::string_view text) {
        if (!symbol(text) && !word(text)) return false;
        advance();
        return true;
    }
    void fail(std::size_t token, std::string message, std::string hint) {
        if (!defect_)
            defect_ = wgsl_error(source_,
                                 "lkt.kernel.text",
                                 s_.tokens[token].where,
                                 std::move(message),
                                 std::move(hint));
        at_ = s_.tokens.size() - 1;
    }
    void unexpected(std::string const& wanted) {
        bool const end = peek().what == wgsl_token::sort::end;
        fail(at_,
             "expected " + wanted + ", got " + (end ? "the end" : in_backticks(peek().text, 40)),
             end ? "check that every bracket is closed" : "check the line before, too");
    }
    void expect(std::string_view text) {
        if (!accept(text)) unexpected("`" + std::string(text) + "`");
    }
    std::size_t expect_name(std::string const& of_what) {
        if (!peek().names()) unexpected("the name of " + of_what);
        std::size_t const token = at_;
        advance();
        return token;
    }
    std::vector<wgsl_attribute> read_attributes() {
        std::vector<wgsl_attribute> all;
        while (accept("@")) {
            wgsl_attribute a;
            a.token = expect_name("an attribute");
            if (symbol("(")) a.arguments = read_arguments();
            if (defect_) break;
            all.push_back(std::move(a));
        }
        return all;
    }

    /// The text is untrusted, and whoever walks through the nodes recurses.
    static constexpr unsigned max_depth = 200;
    struct level {
        explicit level(wgsl_expression_reader& r) : reader(r) {
            if (++reader.depth_ > max_depth) reader.too_deep();
        }
        level(level const&) = delete;
        level& operator=(level const&) = delete;
        ~level() { --reader.depth_; }
        wgsl_expression_reader& reader;
    };
    void too_deep() {
        fail(at_,
             "this is nested more than " + std::to_string(max_depth) + " deep",
             "name parts of it with const");
    }
    wgsl_node_id make(node n) {
        for (auto const* list : {&n.templates, &n.operands})
            for (wgsl_node_id const id : *list)
                if (id != no_node) n.depth = std::max(n.depth, s_.nodes[id].depth + 1);
        if (n.depth > max_depth) {
            too_deep();
            return no_node;
        }
        s_.nodes.push_back(std::move(n));
        return static_cast<wgsl_node_id>(s_.nodes.size() - 1);
    }

    wgsl_node_id read_type() {
        level const guard(*this);
        if (defect_) return no_node;
        node n{node::sort::name, at_, {}, {}};
        if (!peek().names()) {
            unexpected("a type");
            return no_node;
        }
        advance();
        n.templates = read_template_list();
        return make(std::move(n));
    }
    std::vector<wgsl_node_id> read_template_list() {
        std::vector<wgsl_node_id> list;
        if (peek().what != wgsl_token::sort::open) return list;
        advance();
        while (!defect_ && peek().what != wgsl_token::sort::close) {
            list.push_back(read_expression());
            if (!accept(",") && peek().what != wgsl_token::sort::close) unexpected("`,` or `>`");
        }
        advance();
        return list;
    }
    std::vector<wgsl_node_id> read_arguments() {
        std::vector<wgsl_node_id> list;
        expect("(");
        while (!defect_ && !accept(")")) {
            list.push_back(read_expression());
            if (!accept(",") && !symbol(")")) unexpected("`,` or `)`");
        }
        return list;
    }
    wgsl_node_id read_expression() {
        level const guard(*this);
        return defect_ ? no_node : read_binary(0);
    }

    wgsl_node_id read_binary(int least) {
        wgsl_node_id left = read_unary();
        for (int bound = wgsl_precedence(peek()); !defect_ && bound >= least;
             bound = wgsl_precedence(peek())) {
            std::size_t const token = at_;
            advance();
            wgsl_node_id const right = read_binary(bound + 1);
            if (defect_) return no_node;
            left = make({node::sort::binary, token, {}, {left, right}});
        }
        return left;
    }
    wgsl_node_id read_unary() {
        level const guard(*this);
        if (defect_) return no_node;
        for (std::string_view const s : {"-", "!", "~", "*", "&"})
            if (symbol(s)) {
                std::size_t const token = at_;
                advance();
                wgsl_node_id const inner = read_unary();
                return defect_ ? no_node : make({node::sort::unary, token, {}, {inner}});
            }
        return read_postfix();
    }
    wgsl_node_id read_postfix() {
        wgsl_node_id left = read_primary();
        while (!defect_ && (symbol("[") || symbol("."))) {
            std::size_t const token = at_;
            advance();
            if (s_.tokens[token].is("[")) {
                wgsl_node_id const index = read_expression();
                expect("]");
                if (!defect_) left = make({node::sort::index, token, {}, {left, index}});
            } else {
                std::size_t const member = expect_name("a member");
                if (!defect_) left = make({node::sort::member, member, {}, {left}});
            }
        }
        return left;
    }
    wgsl_node_id read_primary() {
        if (accept("(")) {
            wgsl_node_id const inner = read_expression();
            expect(")");
            return inner;
        }
        if (peek().what == wgsl_token::sort::number || word("true") || word("false")) {
            std::size_t const token = at_;
            advance();
            return make({node::sort::literal, token, {}, {}});
        }
        if (!peek().names()) {
            unexpected("a value");
            return no_node;
        }
        std::size_t const token = at_;
        wgsl_node_id const name = read_type();
        if (defect_ || !symbol("(")) return name;
        node call{node::sort::call, token, {}, {name}};
        for (wgsl_node_id const argument : read_arguments()) call.operands.push_back(argument);
        return defect_ ? no_node : make(std::move(call));
    }

    kernel_source const& source_;
    wgsl_syntax s_;
    std::size_t at_ = 0;
    unsigned depth_ = 0;
    std::optional<error> defect_;
};

} // namespace lkt::detail::lang
