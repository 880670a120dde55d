// SPDX-License-Identifier: BSL-1.0
// A population of kernels: the fastest of each kind, on islands. MAP-Elites (Mouret and Clune,
// Illuminating search spaces by mapping elites, arXiv:1504.04909).
#pragma once

#include <lkt/kernel/device.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lkt {

/// What kind of kernel it is, told from its launch and its build: cheap, and about how it uses the
/// device rather than how fast it is.
struct niche {
    std::uint8_t shared = 0; ///< memory of a block: 0 none, 1 up to an eighth of it, 2 more
    std::uint8_t work = 0;   ///< threads, of the original's: 0 half and more, 1 an eighth, 2 less
    std::uint8_t block = 0;  ///< threads in a block: 0 up to 64, 1 up to 256, 2 more
    std::uint8_t registers = 0; ///< of a thread: 0 unknown, 1 up to 32, 2 up to 64, 3 more
    friend bool operator==(niche, niche) = default;
};

[[nodiscard]] niche niche_of(tuned_kernel const& k,
                             launch_dimensions const& original,
                             device_description const& device);

/// A kernel of the population.
struct elite {
    tuned_kernel kernel;
    niche kind;
    std::size_t island = 0;
};

/// Takes `candidate` in: into an empty niche of its island, or for a slower kernel of its kind. An
/// island with more than `most` kernels loses its slowest. Whether the candidate is in the archive
/// now. A text that the island has already stays out.
bool admit(std::vector<elite>& archive, elite candidate, std::size_t most);

/// The indices of an island's kernels, the fastest first.
[[nodiscard]] std::vector<std::size_t> ranked(std::vector<elite> const& archive,
                                              std::size_t island);

/// One of `count` ranks, the first most likely: in proportion to `count`, `count - 1`, ..., 1
/// (linear ranking). `bits` are 64 random ones; `count` is positive.
[[nodiscard]] std::size_t draw_rank(std::uint64_t bits, std::size_t count);

/// The fastest kernel of each island goes to the next one as well, in a ring.
void migrate(std::vector<elite>& archive, std::size_t islands, std::size_t most);

// Written and read in one place, so that who includes this need not compile it.
template <>
struct value_codec<elite> : compiled_codec<elite> {};
extern template struct compiled_codec<elite>;

} // namespace lkt
