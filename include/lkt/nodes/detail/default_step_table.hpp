// SPDX-License-Identifier: BSL-1.0
// The library's own list of steps: what a course on GPU programming would try, in its order.
#pragma once

#include <lkt/nodes/step_list.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace lkt::detail {

/// A short list in a constant.
template <class T, std::size_t Most = 8>
struct short_list {
    std::array<T, Most> items{};
    std::size_t count = 0;

    constexpr short_list() = default;
    constexpr short_list(std::initializer_list<T> from) {
        for (T const& item : from) items.at(count++) = item;
    }
    [[nodiscard]] constexpr T const* begin() const { return items.data(); }
    [[nodiscard]] constexpr T const* end() const { return items.data() + count; }
};

/// `step_parameter` and `optimization_step` as constants.
struct constant_parameter {
    std::string_view name;
    short_list<std::int64_t> values;
    std::optional<std::int64_t> neutral;
};
struct constant_step {
    std::string_view id, prompt;
    short_list<constant_parameter, 2> tune_params = {};
    short_list<std::string_view, 3> depends_on = {};
    bool skip_evaluation = false;
};

inline constexpr std::array<constant_step, 15> default_step_table{{
    {"block_size_x",
     "Make the number of threads of a block in x a tunable parameter. Replace every constant that "
     "stands for it, in the kernel and in the launch, and let the grid follow from it, rounded up. "
     "Guard the last block. The indices of the elements stay what they are.",
     {{"BLOCK_X", {32, 64, 128, 256, 512, 1024}, {}}}},
    {"block_size_y",
     "Make the number of threads of a block in y a tunable parameter, where the problem has a "
     "second dimension. Replace every constant that stands for it, in the kernel and in the "
     "launch, "
     "and let the grid follow from it, rounded up. Guard the last block in y. Restrict the threads "
     "of a block to what the device takes.",
     {{"BLOCK_Y", {1, 2, 4, 8, 16, 32}, {}}}},
    {"two_elements_x",
     "Let each thread compute two elements in x instead of one, and launch half as many threads in "
     "x, rounded up. Load what both elements need once. Guard each of the two elements by itself.",
     {},
     {"block_size_x"}},
    {"work_per_thread_x",
     "Let each thread compute WORK_PER_THREAD_X elements in x, in a loop of that many iterations "
     "whose count the compiler knows, and divide the grid in x by it, rounded up. Keep partial "
     "results in registers, and load what several elements need once. Guard each element.",
     {{"WORK_PER_THREAD_X", {1, 2, 4, 8}, 1}},
     {"two_elements_x"}},
    {"work_stride_x",
     "Let a parameter choose which elements in x a thread computes. With WORK_STRIDE_X at 0 they "
     "are "
     "consecutive; at 1 they lie one block's width (threads of the block in x) apart, so that "
     "neighbouring threads access neighbouring elements in each iteration. Both compute the same "
     "elements.",
     {{"WORK_STRIDE_X", {0, 1}, 0}},
     {"work_per_thread_x"}},
    {"two_elements_y",
     "Let each thread compute two elements in y instead of one, and launch half as many threads in "
     "y, rounded up. Load what both elements need once. Guard each of the two elements by itself.",
     {},
     {"block_size_y"}},
    {"work_per_thread_y",
     "Let each thread compute WORK_PER_THREAD_Y elements in y, in a loop of that many iterations "
     "whose count the compiler knows, and divide the grid in y by it, rounded up. Keep partial "
     "results in registers, and load what several elements need once. Guard each element.",
     {{"WORK_PER_THREAD_Y", {1, 2, 4, 8}, 1}},
     {"two_elements_y"}},
    {"work_stride_y",
     "Let a parameter choose which elements in y a thread computes. With WORK_STRIDE_Y at 0 they "
     "are "
     "consecutive; at 1 they lie one block's height (threads of the block in y) apart. Both "
     "compute "
     "the same elements.",
     {{"WORK_STRIDE_Y", {0, 1}, 0}},
     {"work_per_thread_y"}},
    {"use_shared_mem",
     "Load the inputs that several threads of a block read into shared memory (in WGSL: "
     "var<workgroup>) once, together: neighbouring threads load neighbouring elements. Put a "
     "barrier between the loads and their use, and one before the memory is overwritten; every "
     "thread of the block reaches each of them, those beyond the edge of the problem too. Fill "
     "what "
     "lies beyond the edge with a value that changes no result. USE_SHARED_MEM switches between "
     "this, at 1, and reading from global memory as before, at 0.",
     {{"USE_SHARED_MEM", {0, 1}, 0}}},
    {"output_shared_mem",
     "Collect the results of a block in shared memory (in WGSL: var<workgroup>) and write them to "
     "global memory together after a barrier that every thread of the block reaches, so that "
     "neighbouring threads write neighbouring elements. OUTPUT_SHARED_MEM switches between this, "
     "at "
     "1, and writing each result where it is computed, at 0.",
     {{"OUTPUT_SHARED_MEM", {0, 1}, 0}}},
    {"prefetching",
     "Load the data of the next iteration into registers before the present one computes, and put "
     "them into shared memory after it (double buffering), so that loads are under way while the "
     "threads compute. Use ordinary loads of the device. Load nothing beyond the last iteration.",
     {},
     {"use_shared_mem"}},
    {"tile_size_x",
     "Divide the work in x into tiles of TILE_SIZE_X elements that a block works off one after the "
     "other, so that what a tile needs is read once and stays in shared memory or in registers. "
     "The "
     "last tile may be incomplete. A tile size of 1 is the loop over single elements.",
     {{"TILE_SIZE_X", {1, 16, 32, 64}, 1}},
     {"block_size_x"}},
    {"tile_size_y",
     "Divide the work in y into tiles of TILE_SIZE_Y elements as well, so that a tile has two "
     "dimensions and what is read for it is used along both. The last tile may be incomplete. A "
     "tile size of 1 is the loop over single elements.",
     {{"TILE_SIZE_Y", {1, 16, 32, 64}, 1}},
     {"tile_size_x", "block_size_y"}},
    {"loop_unrolling",
     "Unroll the innermost loop that has enough iterations by UNROLL_FACTOR: let it advance by "
     "that "
     "much, with an inner loop of exactly UNROLL_FACTOR iterations that the compiler unrolls (in "
     "CUDA under #pragma unroll), and treat the remaining iterations separately. Keep the order of "
     "the additions where that decides the result.",
     {{"UNROLL_FACTOR", {1, 2, 4, 8}, 1}}},
    {"instruction_level_parallelism",
     "Break up chains of instructions in which each waits for the one before: use several "
     "independent accumulators and combine them at the end, load values well before they are used, "
     "and interleave independent computations. Add no barrier for this: barriers stop what is to "
     "overlap.",
     {}},
}};
static_assert(!find_step_defect(default_step_table));

} // namespace lkt::detail
