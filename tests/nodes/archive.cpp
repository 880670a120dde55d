// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/archive.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/random.hpp>

#include <array>
#include <string>
#include <vector>

namespace {

lkt::tuned_kernel kernel(std::string const& text, double ms, std::uint32_t block = 64) {
    lkt::tuned_kernel k;
    k.kernel.source.text = text;
    k.time.samples = {lkt::seconds(ms * 1e-3)};
    k.dimensions = {{16, 1, 1}, {block, 1, 1}, 0};
    return k;
}
lkt::elite of_kind(std::string const& text, double ms, std::uint8_t work, std::size_t island = 0) {
    lkt::elite e{kernel(text, ms), {}, island};
    e.kind.work = work;
    return e;
}
std::string texts(std::vector<lkt::elite> const& archive, std::size_t island) {
    std::string all;
    for (std::size_t k : lkt::ranked(archive, island))
        all += archive[k].kernel.kernel.source.text + " ";
    return all;
}

} // namespace

TEST_CASE("A kernel's kind is told from its launch and its build") {
    lkt::device_description device;
    device.shared_memory_per_block = lkt::bytes{48 * 1024};
    lkt::launch_dimensions const original{{16, 1, 1}, {64, 1, 1}, 0};
    auto k = kernel("a", 1);
    CHECK(lkt::niche_of(k, original, device) == lkt::niche{0, 0, 0, 0});
    k.dimensions = {{4, 1, 1}, {64, 1, 1}, 1024}; // a quarter of the threads, some shared memory
    CHECK(lkt::niche_of(k, original, device) == lkt::niche{1, 1, 0, 0});
    k.dimensions = {{1, 1, 1}, {65, 1, 1}, 0};
    k.resources = lkt::kernel_resources{.registers = 33, .static_shared_bytes = 8 * 1024};
    CHECK(lkt::niche_of(k, original, device) == lkt::niche{2, 2, 1, 2});
    k.resources->registers = 255;
    k.dimensions.block.x = 512;
    CHECK(lkt::niche_of(k, original, device) == lkt::niche{2, 0, 2, 3});
}

TEST_CASE("A niche has the fastest kernel of its kind") {
    std::vector<lkt::elite> archive;
    CHECK(lkt::admit(archive, of_kind("a", 2, 0), 8));
    CHECK_FALSE(lkt::admit(archive, of_kind("b", 3, 0), 8)); // slower, of the same kind
    CHECK(lkt::admit(archive, of_kind("c", 5, 1), 8));       // slower still, of a kind of its own
    CHECK(lkt::admit(archive, of_kind("d", 1, 0), 8));
    CHECK(texts(archive, 0) == "d c ");
    CHECK_FALSE(lkt::admit(archive, of_kind("d /* again */", 0.5, 2), 8)); // the same kernel
    CHECK(lkt::admit(archive, of_kind("b", 3, 0, 1), 8)); // another island is another matter
    CHECK(texts(archive, 1) == "b ");
}

TEST_CASE("An island is no larger than it may be") {
    std::vector<lkt::elite> archive;
    CHECK(lkt::admit(archive, of_kind("a", 2, 0), 2));
    CHECK(lkt::admit(archive, of_kind("b", 3, 1), 2));
    CHECK_FALSE(lkt::admit(archive, of_kind("c", 4, 2), 2)); // it would be the slowest
    CHECK(texts(archive, 0) == "a b ");
    CHECK(lkt::admit(archive, of_kind("d", 1, 2), 2));
    CHECK(texts(archive, 0) == "d a ");
}

TEST_CASE("Ranks are drawn in proportion to what is behind them") {
    std::array<int, 4> count{};
    lkt::random_stream const stream{.seed = 7};
    int const draws = 10'000;
    for (int k = 0; k < draws; ++k)
        ++count[lkt::draw_rank(stream.bits(static_cast<std::uint64_t>(k)), 4)];
    for (std::size_t k = 0; k < 4; ++k)
        CHECK(count[k] ==
              doctest::Approx(draws * (4.0 - static_cast<double>(k)) / 10).epsilon(0.1));
    CHECK(lkt::draw_rank(0, 1) == 0);
    CHECK(lkt::draw_rank(~std::uint64_t{0}, 3) == 2);
}

TEST_CASE("The fastest of an island goes to the next one, in a ring") {
    std::vector<lkt::elite> archive;
    lkt::admit(archive, of_kind("a", 1, 0, 0), 4);
    lkt::admit(archive, of_kind("b", 2, 0, 1), 4);
    lkt::admit(archive, of_kind("c", 3, 1, 1), 4);
    lkt::migrate(archive, 2, 4);
    CHECK(texts(archive, 0) == "a ");   // b is slower than a, of the same kind
    CHECK(texts(archive, 1) == "a c "); // a took b's place
    auto const before = archive.size();
    lkt::migrate(archive, 1, 4);
    CHECK(archive.size() == before);
}
