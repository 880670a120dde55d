// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/tensor_map.hpp>

#include <lkt/core/string_tools.hpp>

#include <algorithm>
#include <utility>

namespace lkt::detail::kernel {

inline constexpr std::string_view tensor_map_example =
    "// lkt: tensor_map A_map = A[M][K], box [64][BK], swizzle 128B, if K % 8 == 0";

/// Reads a map's line from left to right.
class tensor_map_reader {
public:
    explicit tensor_map_reader(std::string_view text) : text_(text), rest_(text) {}

    [[nodiscard]] result<tensor_map> run() {
        tensor_map map;
        map.name = word();
        if (!take("=")) fail("`=` and a buffer must follow the map's name");
        map.buffer = word();
        for (std::string const& name : {map.name, map.buffer})
            if (!is_identifier(name)) fail(in_backticks(name, 40) + " is not a name");
        map.extent = brackets("an extent");
        while (!failed_ && take(",")) clause(map);
        if (!failed_ && !trimmed(rest_).empty())
            fail("nothing can be made of " + in_backticks(trimmed(rest_), 60));
        if (!failed_) check(map);
        if (failed_) return *failed_;
        return map;
    }

private:
    void fail(std::string why) {
        if (!failed_)
            failed_ =
                error{condition::rejected,
                      "lkt.kernel.tensor-map",
                      "the tensor map " + in_backticks(trimmed(text_), 120) + ": " + std::move(why),
                      "write it as " + std::string(tensor_map_example)};
    }
    [[nodiscard]] bool take(std::string_view what) {
        rest_ = trimmed(rest_);
        if (!rest_.starts_with(what)) return false;
        rest_.remove_prefix(what.size());
        return true;
    }
    [[nodiscard]] std::string word() {
        rest_ = trimmed(rest_);
        std::size_t end = 0;
        while (end < rest_.size() &&
               (rest_[end] == '_' || (rest_[end] >= '0' && rest_[end] <= '9') ||
                (rest_[end] >= 'a' && rest_[end] <= 'z') ||
                (rest_[end] >= 'A' && rest_[end] <= 'Z')))
            ++end;
        std::string found(rest_.substr(0, end));
        rest_.remove_prefix(end);
        return found;
    }
    [[nodiscard]] std::optional<expression> read(std::string_view text) {
        auto made = expression::parse(trimmed(text));
        if (made) return std::move(*made);
        fail(made.error().message);
        return {};
    }
    /// `[M][K // 2]`
    [[nodiscard]] std::vector<expression> brackets(std::string_view what) {
        std::vector<expression> all;
        while (!failed_ && take("[")) {
            std::size_t end = 0;
            for (int depth = 1; end < rest_.size(); ++end) {
                depth += rest_[end] == '[' ? 1 : rest_[end] == ']' ? -1 : 0;
                if (depth == 0) break;
            }
            if (end == rest_.size()) {
                fail("a bracket is not closed");
                break;
            }
            if (auto e = read(rest_.substr(0, end))) all.push_back(std::move(*e));
            rest_.remove_prefix(end + 1);
        }
        if (all.empty()) fail(std::string(what) + " in brackets is missing");
        return all;
    }
    void clause(tensor_map& map) {
        std::string const name = word();
        if (!seen_.empty() && std::find(seen_.begin(), seen_.end(), name) != seen_.end())
            return fail(in_backticks(name, 40) + " is said twice");
        seen_.push_back(name);
        if (name == "box") {
            map.box = brackets("the box's extents");
        } else if (name == "stride") {
            map.stride = brackets("the strides");
        } else if (name == "swizzle") {
            std::string const bytes = word();
            map.swizzle = bytes == "32B" ? 32 : bytes == "64B" ? 64 : bytes == "128B" ? 128 : 0;
            if (map.swizzle == 0 && bytes != "none")
                fail("a swizzle is 32B, 64B, 128B or none, not " + in_backticks(bytes, 40));
        } else if (name == "if") {
            map.condition = read(rest_); // a comma belongs to it: it comes last
            rest_ = {};
        } else {
            fail("there is box, stride, swizzle and if, but no " + in_backticks(name, 40));
        }
    }
    void check(tensor_map const& map) {
        std::size_t const rank = map.extent.size();
        if (rank > 5) fail("it has " + std::to_string(rank) + " dimensions; there are at most 5");
        if (map.box.empty()) fail("the box is missing");
        if (!map.box.empty() && map.box.size() != rank)
            fail("the box has " + std::to_string(map.box.size()) + " dimensions, the buffer " +
                 std::to_string(rank));
        if (!map.stride.empty() && map.stride.size() + 1 != rank)
            fail("there are " + std::to_string(map.stride.size()) + " strides for " +
                 std::to_string(rank) + " dimensions; the last dimension has none");
    }

    std::string_view text_, rest_;
    std::vector<std::string> seen_;
    std::optional<error> failed_;
};

/// Makes the numbers of a map, or the first sentence against it.
class tensor_layout_maker {
public:
    tensor_layout_maker(tensor_map const& map,
                        value_type element,
                        std::uint64_t bytes,
                        expression_scope const& scope)
        : map_(map), type_(element), bytes_(bytes), scope_(scope) {}

    [[nodiscard]] std::variant<tensor_layout, std::string> run() {
        if (map_.condition) {
            auto const wanted = map_.condition->evaluate_condition(scope_);
            if (!wanted) return about(wanted.error().message);
            if (!*wanted) return tensor_layout{};
        }
        auto const [type, size] = tensor_element(type_);
        made_.type = type;
        made_.swizzle = map_.swizzle;
        std::size_t const rank = map_.extent.size();
        for (std::size_t k = rank; k-- > 0;) { // the last one first
            std::string const which = "dimension " + std::to_string(k + 1);
            made_.extent.push_back(number("the extent of " + which, map_.extent[k], most_extent));
            made_.box.push_back(
                static_cast<std::uint32_t>(number("the box in " + which, map_.box[k], most_box)));
        }
        std::uint64_t packed = size;
        for (std::size_t k = 0; k + 1 < rank && why_.empty(); ++k) {
            std::size_t const of = rank - 2 - k; // as written
            std::string const which = "the stride of dimension " + std::to_string(of + 1);
            std::uint64_t stride = 0;
            if (map_.stride.empty())
                stride = packed = times(packed, made_.extent[k]);
            else
                stride = times(number(which, map_.stride[of], most_stride), size);
            if (stride % 16 != 0)
                fail(which + " is " + std::to_string(stride) +
                     " bytes, which is not a multiple of 16: end the line with a condition such as "
                     "`, if K % 8 == 0`, and do without the map where it is false");
            else if (stride >= most_stride)
                fail(which + " is " + std::to_string(stride) + " bytes, which is too much");
            made_.stride.push_back(stride);
        }
        if (why_.empty()) check_box(size);
        if (why_.empty()) check_bounds(size);
        if (!why_.empty()) return about(why_);
        return std::move(made_);
    }

private:
    static constexpr std::uint64_t most_extent = std::uint64_t{1} << 32, most_box = 256,
                                   most_stride = std::uint64_t{1} << 40;

    void fail(std::string why) {
        if (why_.empty()) why_ = std::move(why);
    }
    [[nodiscard]] std::string about(std::string const& why) const {
        return "the tensor map " + in_backticks(map_.name) + ": " + why;
    }
    [[nodiscard]] std::uint64_t
    number(std::string const& what, expression const& of, std::uint64_t most) {
        if (!why_.empty()) return 1;
        auto const value = of.evaluate_integer(scope_);
        if (!value)
            fail(what + ": " + value.error().message);
        else if (*value < 1 || static_cast<std::uint64_t>(*value) > most)
            fail(what + " = " + in_backticks(of.text(), 60) + " is " + std::to_string(*value) +
                 ", which is not between 1 and " + std::to_string(most));
        return why_.empty() ? static_cast<std::uint64_t>(*value) : 1;
    }
    /// Not above what a buffer can have.
    [[nodiscard]] static std::uint64_t times(std::uint64_t a, std::uint64_t b) {
        constexpr std::uint64_t most = std::uint64_t{1} << 60;
        return a != 0 && b > most / a ? most : a * b;
    }
    void check_box(std::uint64_t size) {
        std::uint64_t const row = made_.box[0] * size;
        if (row % 16 != 0)
            fail("the box's last dimension has " + std::to_string(row) +
                 " bytes, which is not a multiple of 16");
        if (map_.swizzle > 0 && row > map_.swizzle)
            fail("the box's last dimension has " + std::to_string(row) + " bytes, but swizzle " +
                 std::to_string(map_.swizzle) + "B allows at most " + std::to_string(map_.swizzle));
    }
    /// The last element lies in the buffer; so do the others.
    void check_bounds(std::uint64_t size) {
        std::uint64_t end = times(made_.extent[0], size);
        for (std::size_t k = 0; k < made_.stride.size(); ++k)
            end += times(made_.extent[k + 1] - 1, made_.stride[k]);
        if (end > bytes_)
            fail("it covers " + std::to_string(end) + " bytes, but the buffer " +
                 in_backticks(map_.buffer) + " has " + std::to_string(bytes_));
    }

    tensor_map const& map_;
    value_type type_;
    std::uint64_t bytes_;
    expression_scope const& scope_;
    tensor_layout made_;
    std::string why_;
};

inline std::string in_square(std::vector<expression> const& all) {
    std::string text;
    for (expression const& e : all) text += "[" + e.text() + "]";
    return text;
}

} // namespace lkt::detail::kernel

namespace lkt {

result<tensor_map> tensor_map::parse(std::string_view text) {
    return detail::kernel::tensor_map_reader(text).run();
}

std::vector<expression> tensor_map::expressions() const {
    std::vector<expression> all = extent;
    all.insert(all.end(), stride.begin(), stride.end());
    all.insert(all.end(), box.begin(), box.end());
    if (condition) all.push_back(*condition);
    return all;
}

std::string to_string(tensor_map const& map) {
    using detail::kernel::in_square;
    std::string text = map.name + " = " + map.buffer + in_square(map.extent);
    if (!map.stride.empty()) text += ", stride " + in_square(map.stride);
    text += ", box " + in_square(map.box);
    if (map.swizzle > 0) text += ", swizzle " + std::to_string(map.swizzle) + "B";
    if (map.condition) text += ", if " + map.condition->text();
    return text;
}

std::pair<scalar_type, std::uint64_t> tensor_element(value_type t) {
    switch (t.scalar) {
    case scalar_type::boolean:
    case scalar_type::int8:
    case scalar_type::uint8:
    case scalar_type::int4:
    case scalar_type::uint4:
    case scalar_type::float4_e2m1:
    case scalar_type::float8_e4m3:
    case scalar_type::float8_e5m2:
        return {scalar_type::uint8, 1};
    case scalar_type::int16:
    case scalar_type::uint16:
        return {scalar_type::uint16, 2};
    case scalar_type::float16:
    case scalar_type::bfloat16:
    case scalar_type::int32:
    case scalar_type::uint32:
    case scalar_type::float32:
    case scalar_type::int64:
    case scalar_type::uint64:
    case scalar_type::float64:
        break;
    }
    return {t.scalar, size_of(t.scalar)};
}

std::variant<tensor_layout, std::string> layout_of(tensor_map const& map,
                                                   value_type element,
                                                   std::uint64_t bytes,
                                                   expression_scope const& scope) {
    return detail::kernel::tensor_layout_maker(map, element, bytes, scope).run();
}

} // namespace lkt
