// SPDX-License-Identifier: BSL-1.0
// Composable Kernel as a search space: an instance's name says which parameters it was built with.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/space.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// The parameters of an instance, under one name in all kinds that have them: `block_size`,
/// `m_block`, `n_block`, `k_block` (the tile of a block), `m_wave`, `n_wave` (what one instruction
/// computes), `m_repeat`, `n_repeat` (how many of these a wave does), `k1`, `a_k1`, `b_k1` and
/// `a_vector`, `b_vector` (elements of one load), `padding`, `scheduler`, `pipeline`, `prefetch`,
/// ... What has no such name keeps its own.
struct ck_instance {
    std::string kind; ///< `DeviceGemmXdlUniversal`
    configuration parameters;
};

/// The kinds DeviceGemmDl, DeviceGemmDpp, DeviceGemmXdl, DeviceGemmXdlSkipBLds,
/// DeviceGemm_Xdl_CShuffle, DeviceGemm_Xdl_CShuffle_LdsDirectLoad, DeviceGemmWmma_CShuffle and
/// those with `BlkTile: ...` behind their name, as of Composable Kernel 1.1 and 1.2. Errors
/// (rejected): `lkt.scan.ck-instance`, with what is not understood.
[[nodiscard]] result<ck_instance> parse_ck_instance(std::string_view name);

/// The instances of one kind as a space: the values that occur, in order, and, where all of the
/// instances keep them, the rules of a block's tile: waves of 64 lanes, of 32 for WMMA, share it
/// without a rest. It holds more than the instances: those that could be built, too.
struct ck_space {
    std::string kind;
    search_space space;
    std::vector<std::string> restrictions;        ///< of the space, as text
    std::map<std::string, std::string> instances; ///< names, by the text of a configuration

    /// The name of an instance that is there.
    [[nodiscard]] std::optional<std::string> name_of(configuration const& c) const;
};

struct ck_spaces {
    std::vector<ck_space> spaces;     ///< one for each kind and set of parameters, in order
    std::vector<std::string> unknown; ///< why names were not understood, one sentence each
};

/// Of all names; a name that occurs again is one. Errors: those of `search_space::make`.
[[nodiscard]] result<ck_spaces> ck_spaces_of(std::span<std::string const> names);

} // namespace lkt
