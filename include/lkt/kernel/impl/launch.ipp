// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/launch.hpp>

#include <lkt/core/string_tools.hpp>

#include <algorithm>

namespace lkt::detail::kernel {

error geometry_error(std::string message) {
    return {condition::rejected, "lkt.launch.geometry", std::move(message), {}};
}

/// Blocks of fixed extents over `extents`.
result<launch_formula> geometry_of(std::span<std::string const> extents,
                                   block_formula const& block) {
    std::vector<expression> sizes;
    for (std::string const& extent : extents) {
        auto size = expression::parse(extent);
        if (!size) return size.error();
        sizes.push_back(std::move(*size));
    }
    auto formula = geometry_over(sizes, std::span(block).first(sizes.size()));
    if (formula) formula->block = block;
    return formula;
}

/// The blocks of extent `now` in place of those of extent `before`.
std::string regridded(std::string const& grid, std::string const& before, std::string const& now) {
    // One call from end to end, at whose own depth the block's extent stands.
    auto const depth = [&](std::size_t at) {
        std::string_view const part = std::string_view(grid).substr(0, at);
        return std::count(part.begin(), part.end(), '(') -
               std::count(part.begin(), part.end(), ')');
    };
    bool call = grid.starts_with("ceil_div(") && grid.ends_with(')');
    for (std::size_t at = 9; call && at < grid.size(); ++at) call = depth(at) > 0;
    if (call) {
        // What `geometry_over` writes, divisors behind the block included; and what people write.
        std::string const inside = ", (" + before + ")", last = ", " + before + ")";
        std::size_t const at = grid.rfind(inside);
        std::size_t const behind = at + inside.size();
        if (at != std::string::npos && depth(at) == 1 &&
            (grid.substr(behind) == ")" || grid.compare(behind, 3, " * ") == 0))
            return grid.substr(0, at) + ", (" + now + ")" + grid.substr(behind);
        if (grid.ends_with(last) && depth(grid.size() - last.size()) == 1)
            return grid.substr(0, grid.size() - last.size()) + ", " + now + ")";
    }
    return "ceil_div((" + grid + ") * (" + before + "), " + now + ")";
}

} // namespace lkt::detail::kernel

namespace lkt {

result<launch_formula> geometry_over(std::span<expression const> extents,
                                     std::span<expression const> block,
                                     std::span<std::vector<expression> const> divisors) {
    if (extents.empty() || extents.size() > 3)
        return detail::kernel::geometry_error("a launch must cover 1 to 3 extents, not " +
                                              std::to_string(extents.size()));
    if (block.size() > extents.size() || divisors.size() > extents.size())
        return detail::kernel::geometry_error(
            "there are more block extents or divisors than extents to cover");
    launch_formula formula;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        if (axis < block.size()) formula.block[axis] = block[axis];
        std::string divisor = "(" + formula.block[axis].text() + ")";
        if (axis < divisors.size())
            for (expression const& d : divisors[axis]) divisor += " * (" + d.text() + ")";
        auto blocks = expression::parse("ceil_div(" + extents[axis].text() + ", " + divisor + ")");
        if (!blocks) return blocks.error();
        formula.grid[axis] = std::move(*blocks);
    }
    return formula;
}

result<launch_formula> default_geometry(std::span<std::string const> extents,
                                        std::span<tunable_parameter const> parameters,
                                        std::optional<block_formula> const& fixed) {
    if (extents.empty() || extents.size() > 3)
        return detail::kernel::geometry_error("no default launch covers " +
                                              std::to_string(extents.size()) +
                                              " extents; give grid and block");
    // Found whatever the case: block_size_x, BLOCK_SIZE_X, Block_X.
    auto const same = [](std::string_view name, std::string_view wanted) {
        if (name.size() != wanted.size()) return false;
        for (std::size_t k = 0; k < name.size(); ++k) {
            char const c = name[k];
            if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != wanted[k])
                return false;
        }
        return true;
    };
    auto const find = [&](std::string_view wanted) -> tunable_parameter const* {
        for (tunable_parameter const& p : parameters)
            if (same(p.name, wanted)) return &p;
        return nullptr;
    };
    constexpr std::int64_t unnamed[3][3] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 8}};
    if (fixed) return detail::kernel::geometry_of(extents, *fixed);
    std::vector<expression> sizes, block;
    bool named = false;
    std::vector<tunable_parameter const*> found;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        std::string const suffix = std::string("_") + "xyz"[axis];
        tunable_parameter const* p = find("block_size" + suffix);
        if (p == nullptr) p = find("block" + suffix);
        if (p == nullptr && axis == 0) p = find("block_size");
        if (p == nullptr && axis == 0) p = find("block");
        found.push_back(p);
        named = named || p != nullptr;
    }
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        auto size = expression::parse(extents[axis]);
        if (!size) return size.error();
        sizes.push_back(std::move(*size));
        if (found[axis] != nullptr) {
            auto name = expression::parse(found[axis]->name);
            if (!name) return name.error();
            block.push_back(std::move(*name));
        } else {
            // Beside a named extent the others are 1: 64 x 16 was not asked for.
            block.emplace_back(named ? 1 : unnamed[extents.size() - 1][axis]);
        }
    }
    return geometry_over(sizes, block);
}

launch_formula default_launch(std::vector<std::pair<std::string, std::int64_t>> const& size,
                              std::span<tunable_parameter const> parameters,
                              std::optional<block_formula> const& fixed) {
    std::vector<std::string> extents;
    for (std::size_t k = 0; k < size.size() && k < 3; ++k)
        extents.push_back(is_identifier(size[k].first) ? size[k].first
                                                       : "ProblemSize[" + std::to_string(k) + "]");
    launch_formula one;
    if (fixed) one.block = *fixed;
    if (extents.empty()) return one;
    auto formula = default_geometry(extents, parameters, fixed);
    return formula ? std::move(*formula) : one;
}

result<launch_formula> with_block(launch_formula const& launch, block_formula const& block) {
    launch_formula made = launch;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (launch.block[axis] == block[axis]) continue;
        made.block[axis] = block[axis];
        auto grid = expression::parse(detail::kernel::regridded(
            launch.grid[axis].text(), launch.block[axis].text(), block[axis].text()));
        if (!grid) return grid.error();
        made.grid[axis] = std::move(*grid);
    }
    return made;
}

} // namespace lkt
