// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/archive.hpp>

#include <lkt/lang/similarity.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <utility>

namespace lkt {

niche niche_of(tuned_kernel const& k,
               launch_dimensions const& original,
               device_description const& device) {
    niche n;
    std::uint64_t shared = k.dimensions.shared_bytes;
    if (k.resources) {
        shared += static_cast<std::uint64_t>(std::max(0, k.resources->static_shared_bytes));
        int const registers = k.resources->registers;
        n.registers = registers <= 0 ? 0 : registers <= 32 ? 1 : registers <= 64 ? 2 : 3;
    }
    n.shared = shared == 0 ? 0 : shared <= device.shared_memory_per_block.count / 8 ? 1 : 2;
    std::uint64_t const block = k.dimensions.block.count();
    n.block = block <= 64 ? 0 : block <= 256 ? 1 : 2;
    double const threads = static_cast<double>(k.dimensions.grid.count() * block);
    double const before = static_cast<double>(original.grid.count() * original.block.count());
    n.work = 2 * threads >= before ? 0 : 8 * threads >= before ? 1 : 2;
    return n;
}

std::vector<std::size_t> ranked(std::vector<elite> const& archive, std::size_t island) {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < archive.size(); ++k)
        if (archive[k].island == island) order.push_back(k);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return archive[a].kernel.time.median() < archive[b].kernel.time.median();
    });
    return order;
}

bool admit(std::vector<elite>& archive, elite candidate, std::size_t most) {
    auto const mine = [&](elite const& e) { return e.island == candidate.island; };
    std::string const& text = candidate.kernel.kernel.source.text;
    for (elite const& e : archive)
        if (mine(e) && same_tokens(e.kernel.kernel.source.text, text) &&
            e.kernel.config == candidate.kernel.config)
            return false;
    auto const incumbent = std::find_if(archive.begin(), archive.end(), [&](elite const& e) {
        return mine(e) && e.kind == candidate.kind;
    });
    std::size_t const island = candidate.island;
    if (incumbent != archive.end()) {
        bool const faster = candidate.kernel.time.median() < incumbent->kernel.time.median();
        if (faster) *incumbent = std::move(candidate);
        return faster;
    }
    archive.push_back(std::move(candidate));
    auto const order = ranked(archive, island);
    if (order.size() <= most) return true;
    bool const stays = order.back() != archive.size() - 1;
    archive.erase(archive.begin() + static_cast<std::ptrdiff_t>(order.back()));
    return stays;
}

std::size_t draw_rank(std::uint64_t bits, std::size_t count) {
    std::uint64_t const total = static_cast<std::uint64_t>(count) * (count + 1) / 2;
    auto ticket = static_cast<std::uint64_t>(unit_interval(bits) * static_cast<double>(total));
    for (std::size_t rank = 0; rank < count; ++rank) {
        std::uint64_t const tickets = count - rank;
        if (ticket < tickets) return rank;
        ticket -= tickets;
    }
    return count - 1;
}

void migrate(std::vector<elite>& archive, std::size_t islands, std::size_t most) {
    std::vector<elite> migrants;
    for (std::size_t island = 0; islands > 1 && island < islands; ++island) {
        auto const order = ranked(archive, island);
        if (order.empty()) continue;
        migrants.push_back(archive[order.front()]);
        migrants.back().island = (island + 1) % islands;
    }
    for (elite& e : migrants) admit(archive, std::move(e), most);
}

} // namespace lkt
