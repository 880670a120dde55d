// SPDX-License-Identifier: BSL-1.0
// Reads a JSON value into a type that is known by its shape.
#pragma once

#include <lkt/llm/detail/answer_shape.hpp>
#include <lkt/llm/detail/answer_words.hpp>
#include <lkt/llm/detail/excerpt.hpp>
#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/json_scalars.hpp>
#include <lkt/llm/from_json.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail {

/// Walks a value and a shape side by side.
class answer_reader {
public:
    explicit answer_reader(reading_options const& options)
        : options_(options), max_(std::max<std::size_t>(1, options.max_faults)) {}

    void read(boost::json::value const& json,
              answer_shape const& shape,
              answer_note const& note,
              void* target) {
        if (full_) return;
        switch (shape.kind) {
        case shape_kind::boolean:
            return boolean(json, target);
        case shape_kind::integer:
            return integer(json, shape, note, target);
        case shape_kind::number:
            return number(json, shape, note, target);
        case shape_kind::text:
            return text(json, note, target);
        case shape_kind::choice:
            return choice(json, shape, target);
        case shape_kind::optional:
            if (!json.is_null()) add(json, *shape.element, note, shape, target, {});
            return;
        case shape_kind::list:
        case shape_kind::array:
            return list(json, shape, note, target);
        case shape_kind::map:
            return map(json, shape, note, target);
        case shape_kind::object:
            return object(json, shape, target, false);
        case shape_kind::alternative:
            return alternative(json, shape, target);
        }
    }

    [[nodiscard]] answer_faults take() { return std::move(faults_); }

private:
    /// The path longer by a piece while it lives.
    class step {
    public:
        step(std::string& path, std::string_view piece) : path_(path), before_(path.size()) {
            path_ += piece;
        }
        step(step const&) = delete;
        step& operator=(step const&) = delete;
        ~step() { path_.resize(before_); }

    private:
        std::string& path_;
        std::size_t before_;
    };
    [[nodiscard]] std::string member_piece(std::string_view name) const {
        return path_.empty() ? std::string(name) : "." + std::string(name);
    }
    static std::string index_piece(std::size_t i) { return "[" + std::to_string(i) + "]"; }

    void fault(std::string_view what) {
        if (full_) return;
        if (faults_.size() == max_) {
            faults_.back() += "; there is more";
            full_ = true;
            return;
        }
        faults_.push_back((path_.empty() ? std::string("the answer") : path_) + " " +
                          std::string(what));
    }
    void wrong(boost::json::value const& json, std::string_view wanted) {
        fault("is " + shown_json(json) + "; it must be " + std::string(wanted));
    }

    void boolean(boost::json::value const& json, void* target) {
        if (auto const* b = json.if_bool()) {
            *static_cast<bool*>(target) = *b;
            return;
        }
        if (auto const* text = json.if_string(); text && options_.near_misses) {
            auto const word = folded(*text);
            if (word == "true" || word == "false") {
                *static_cast<bool*>(target) = word == "true";
                return;
            }
        }
        wrong(json, "true or false");
    }

    /// The number that was meant, where near misses pass.
    [[nodiscard]] boost::json::value numeric(boost::json::value const& json) const {
        if (auto const* text = json.if_string(); text && options_.near_misses)
            if (auto found = number_in(trimmed(*text))) return *found;
        return json;
    }

    void integer(boost::json::value const& given,
                 answer_shape const& shape,
                 answer_note const& note,
                 void* target) {
        auto const json = numeric(given);
        auto const whole = whole_of(json);
        if (!whole && !json.is_double()) return wrong(json, "a whole number");
        if (whole && whole->fits(shape)) {
            double const value = whole->value();
            if (value < note.range.min || value > note.range.max)
                return wrong(json, range_words(note.range));
            return shape.store(target, {whole->bits, 0});
        }
        if (!whole && std::abs(json.get_double()) < 9007199254740992.0)
            return wrong(json, "a whole number");
        if (note.has_range) return wrong(json, range_words(note.range));
        wrong(json, "from " + std::to_string(shape.min) + " to " + std::to_string(shape.max));
    }

    void number(boost::json::value const& given,
                answer_shape const& shape,
                answer_note const& note,
                void* target) {
        auto const json = numeric(given);
        auto const whole = whole_of(json);
        if (!whole && !json.is_double()) return wrong(json, "a number");
        double const value = json.is_double() ? json.get_double() : whole->value();
        if (!(std::abs(value) <= shape.largest))
            return wrong(json, "at most " + number_words(shape.largest));
        if (value < note.range.min || value > note.range.max)
            return wrong(json, range_words(note.range));
        shape.store(target, {0, value});
    }

    void text(boost::json::value const& json, answer_note const& note, void* target) {
        std::string value;
        if (auto const* s = json.if_string())
            value.assign(s->data(), s->size());
        else if (options_.near_misses && (json.is_number() || json.is_bool()))
            value =
                json.is_double() ? number_words(json.get_double()) : boost::json::serialize(json);
        else
            return wrong(json, "a text");
        if (!counted(characters(value), note.length.min, note.length.max, "character")) return;
        *static_cast<std::string*>(target) = std::move(value);
    }

    static std::size_t characters(std::string_view text) {
        return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        }));
    }

    bool counted(std::size_t count, std::size_t least, std::size_t most, std::string_view what) {
        if (count >= least && count <= most) return true;
        fault("has " + std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s") +
              "; it must have " + count_words(least, most, what));
        return false;
    }

    void choice(boost::json::value const& json, answer_shape const& shape, void* target) {
        if (auto const* text = json.if_string()) {
            std::string_view const given(*text);
            for (std::size_t i = 0; i < shape.names.size(); ++i)
                if (shape.names[i] == given ||
                    (options_.near_misses && folded(shape.names[i]) == folded(given)))
                    return shape.store(target, {i, 0});
        }
        wrong(json, choice_words(shape.names));
    }

    /// Has the container `shape` make an element, and reads it.
    void add(boost::json::value const& json,
             answer_shape const& element,
             answer_note const& note,
             answer_shape const& shape,
             void* target,
             element_place where) {
        struct closure {
            answer_reader& self;
            boost::json::value const& json;
            answer_shape const& shape;
            answer_note const& note;
        } here{*this, json, element, note};
        shape.add(target,
                  where,
                  {[](void* c, void* made) {
                       auto& at = *static_cast<closure*>(c);
                       at.self.read(at.json, at.shape, at.note, made);
                   },
                   &here});
    }

    void list(boost::json::value const& json,
              answer_shape const& shape,
              answer_note note,
              void* target) {
        auto const* elements = json.if_array();
        if (!elements) return wrong(json, "a list");
        if (shape.kind == shape_kind::array) note.items = {shape.extent, shape.extent};
        if (!counted(elements->size(), note.items.min, note.items.max, "item")) return;
        note.items = {};
        for (std::size_t i = 0; i < elements->size() && !full_; ++i) {
            step const within(path_, index_piece(i));
            add((*elements)[i], *shape.element, note, shape, target, {i, {}});
        }
    }

    void
    map(boost::json::value const& json, answer_shape const& shape, answer_note note, void* target) {
        auto const* entries = json.if_array();
        auto const* fields = json.if_object();
        if (!entries && !fields) return wrong(json, "a list of objects with \"key\" and \"value\"");
        auto const size = entries ? entries->size() : fields->size();
        if (!counted(size, note.items.min, note.items.max, "item")) return;
        note.items = {};
        if (fields) {
            for (auto const& [key, value] : *fields) {
                step const within(path_, "[\"" + excerpt(key, 0, 40) + "\"]");
                check_key(key, note);
                add(value, *shape.element, note, shape, target, {0, key});
            }
            return;
        }
        std::vector<std::string_view> seen;
        for (std::size_t i = 0; i < size && !full_; ++i) {
            step const within(path_, index_piece(i));
            auto const* entry = (*entries)[i].if_object();
            if (!entry) {
                wrong((*entries)[i], "an object with \"key\" and \"value\"");
                continue;
            }
            auto const* key = entry->if_contains("key");
            auto const* value = entry->if_contains("value");
            auto const* name = key ? key->if_string() : nullptr;
            if (name) {
                check_key(*name, note);
                seen.push_back(*name);
            } else {
                fault(key ? "has a key that is not text" : "has no key");
            }
            if (!value) fault("has no value");
            constexpr std::string_view names[] = {"key", "value"};
            unknown(*entry, names);
            if (!name || !value) continue;
            step const inner(path_, ".value");
            add(*value, *shape.element, note, shape, target, {0, *name});
        }
        std::sort(seen.begin(), seen.end());
        if (auto const twice = std::adjacent_find(seen.begin(), seen.end()); twice != seen.end())
            fault("has the key \"" + excerpt(*twice, 0, 40) + "\" twice");
    }

    void check_key(std::string_view key, answer_note const& note) {
        step const there(path_, ".key");
        counted(characters(key), note.length.min, note.length.max, "character");
    }

    void unknown(boost::json::object const& fields, std::span<std::string_view const> names) {
        if (options_.unknown_members) return;
        for (auto const& field : fields) {
            std::string_view const given = field.key();
            if (full_) return;
            if (std::find(names.begin(), names.end(), given) != names.end()) continue;
            step const within(path_, member_piece(excerpt(given, 0, 40)));
            auto const other = meant(given, names);
            if (!other.empty() && !fields.contains(other))
                fault("is unknown; did you mean " + std::string(other) + "?");
            else
                fault("is unknown; the members are " + listed(names));
        }
    }

    /// `told`: a member `kind` has said which struct it is.
    void
    object(boost::json::value const& json, answer_shape const& shape, void* target, bool told) {
        auto const* fields = json.if_object();
        if (!fields) return wrong(json, "an object");
        std::vector<std::string_view> names;
        if (told) names.push_back("kind");
        for (answer_member const& member : shape.members) {
            names.push_back(member.name);
            step const within(path_, member_piece(member.name));
            if (auto const* value = fields->if_contains(member.name))
                read(*value, *member.shape, member.note, member.at(target));
            else if (member.shape->kind != shape_kind::optional)
                fault("is missing");
        }
        unknown(*fields, names);
    }

    void alternative(boost::json::value const& json, answer_shape const& shape, void* target) {
        auto const* fields = json.if_object();
        if (!fields) return wrong(json, "an object");
        std::vector<std::string_view> names;
        for (answer_shape const* one : shape.alternatives) names.push_back(one->name);
        auto const* kind = fields->if_contains("kind");
        step const within(path_, kind ? std::string() : member_piece("kind"));
        if (!kind) return fault("is missing; it must be " + choice_words(names));
        auto const* name = kind->if_string();
        for (std::size_t i = 0; name && i < names.size(); ++i) {
            if (names[i] != std::string_view(*name)) continue;
            struct closure {
                answer_reader& self;
                boost::json::value const& json;
                answer_shape const& shape;
            } here{*this, json, *shape.alternatives[i]};
            return shape.add(target,
                             {i, {}},
                             {[](void* c, void* made) {
                                  auto& at = *static_cast<closure*>(c);
                                  at.self.object(at.json, at.shape, made, true);
                              },
                              &here});
        }
        step const there(path_, member_piece("kind"));
        wrong(*kind, choice_words(names));
    }

    reading_options const& options_;
    std::size_t max_;
    std::string path_;
    answer_faults faults_;
    bool full_ = false;
};

} // namespace lkt::detail
