// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/schema.hpp>

#include <lkt/llm/detail/answer_words.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lkt::detail {

/// Appends a schema to a text.
class schema_writer {
public:
    explicit schema_writer(schema_options const& options) : options_(options) {}

    /// `note` is that of the member which the value belongs to, and `text` what is said of it.
    void value(answer_shape const& shape, answer_note const& note, std::string_view text) {
        switch (shape.kind) {
        case shape_kind::boolean:
            return open("boolean", text), close();
        case shape_kind::integer:
            return integer(shape, note, text);
        case shape_kind::number:
            open("number", text);
            limits("minimum", note.range.min, "maximum", note.range.max);
            return close();
        case shape_kind::text:
            open("string", text);
            counts("minLength", note.length.min, "maxLength", note.length.max);
            return close();
        case shape_kind::choice:
            open("string", text);
            names(shape.names);
            return close();
        case shape_kind::optional:
            out_ += '{';
            describe(text);
            key("anyOf") += '[';
            value(*shape.element, note, {});
            out_ += R"(,{"type":"null"}]})";
            return;
        case shape_kind::list:
        case shape_kind::array:
            return list(shape, note, text);
        case shape_kind::map:
            return map(shape, note, text);
        case shape_kind::object:
            return object(shape, {}, text);
        case shape_kind::alternative:
            out_ += '{';
            describe(text);
            key("anyOf") += '[';
            for (answer_shape const* one : shape.alternatives) {
                if (out_.back() != '[') out_ += ',';
                object(*one, one->name, {});
            }
            out_ += "]}";
            return;
        }
    }

    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    std::string& key(std::string_view name) {
        if (out_.back() != '{') out_ += ',';
        return out_.append(quoted(name)).append(":");
    }
    void describe(std::string_view text) {
        if (!text.empty()) key("description") += quoted(text);
    }
    void open(std::string_view type, std::string_view text) {
        out_ += '{';
        describe(text);
        key("type") += quoted(type);
    }
    void close() { out_ += '}'; }

    void limits(std::string_view least, double low, std::string_view most, double high) {
        if (!options_.bounds) return;
        if (std::isfinite(low)) key(least) += number_words(low);
        if (std::isfinite(high)) key(most) += number_words(high);
    }
    void counts(std::string_view least, std::size_t low, std::string_view most, std::size_t high) {
        if (!options_.bounds) return;
        if (low > 0) key(least) += std::to_string(low);
        if (high < no_limit) key(most) += std::to_string(high);
    }

    /// What the type cannot hold is a bound too, but for the widest types.
    void integer(answer_shape const& shape, answer_note const& note, std::string_view text) {
        open("integer", text);
        if (options_.bounds) {
            double const least = std::ceil(note.range.min), most = std::floor(note.range.max);
            if (least > static_cast<double>(shape.min))
                key("minimum") += number_words(least);
            else if (shape.min > std::numeric_limits<std::int64_t>::min())
                key("minimum") += std::to_string(shape.min);
            if (most < static_cast<double>(shape.max))
                key("maximum") += number_words(most);
            else if (shape.max < std::uint64_t{std::numeric_limits<std::int64_t>::max()})
                key("maximum") += std::to_string(shape.max);
        }
        close();
    }

    void names(std::span<std::string_view const> all) {
        key("enum") += '[';
        for (std::string_view const name : all) {
            if (out_.back() != '[') out_ += ',';
            out_ += quoted(name);
        }
        out_ += ']';
    }

    void list(answer_shape const& shape, answer_note note, std::string_view text) {
        std::string about(text);
        if (shape.kind == shape_kind::array) {
            note.items = {shape.extent, shape.extent};
            auto const exactly = count_words(shape.extent, shape.extent, "item");
            about = about.empty() ? exactly : about + "; " + exactly;
        }
        open("array", about);
        counts("minItems", note.items.min, "maxItems", note.items.max);
        note.items = {};
        key("items");
        value(*shape.element, note, {});
        close();
    }

    void map(answer_shape const& shape, answer_note note, std::string_view text) {
        open("array", text);
        counts("minItems", note.items.min, "maxItems", note.items.max);
        note.items = {};
        key("items") += R"({"type":"object","properties":{"key":{"type":"string")";
        counts("minLength", note.length.min, "maxLength", note.length.max);
        out_ += R"(},"value":)";
        value(*shape.element, note, {});
        out_ += R"(},"required":["key","value"],"additionalProperties":false}})";
    }

    void object(answer_shape const& shape, std::string_view kind, std::string_view text) {
        std::string about(shape.about);
        if (!text.empty()) about = about.empty() ? text : about + " " + std::string(text);
        open("object", about);
        key("properties") += '{';
        if (!kind.empty())
            key("kind").append(R"({"type":"string","enum":[)").append(quoted(kind)).append("]}");
        for (answer_member const& member : shape.members) {
            key(member.name);
            value(*member.shape, member.note, member_words(member));
        }
        out_ += '}';
        key("required") += '[';
        if (!kind.empty()) out_ += "\"kind\"";
        for (answer_member const& member : shape.members) {
            if (out_.back() != '[') out_ += ',';
            out_ += quoted(member.name);
        }
        out_ += ']';
        key("additionalProperties") += "false";
        close();
    }

    schema_options options_;
    std::string out_;
};

std::string write_schema(answer_shape const& shape, schema_options const& options) {
    schema_writer writer(options);
    writer.value(shape, {}, {});
    return writer.take();
}

bool has_bounds(answer_shape const& shape) {
    return write_schema(shape, {true}) != write_schema(shape, {false});
}

} // namespace lkt::detail
