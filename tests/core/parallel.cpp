// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/parallel.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

TEST_CASE("every element belongs to one part, whatever the number of threads") {
    constexpr std::size_t size = 1000;
    for (unsigned threads : {0u, 1u, 2u, 5u, 16u, 1000u})
        for (std::size_t count :
             {std::size_t{0}, std::size_t{1}, size - 1, size, size + 1, 20 * size - 1}) {
            CAPTURE(threads);
            CAPTURE(count);
            std::vector<int> visits(count);
            std::vector<int> parts(lkt::parts_in(count, size));
            std::set<std::thread::id> ran;
            std::mutex guard;
            auto const all = lkt::for_each_part(
                count,
                size,
                threads,
                {},
                [&](std::size_t part, std::size_t first, std::size_t last) noexcept {
                    ++parts[part];
                    for (std::size_t k = first; k < last; ++k) ++visits[k];
                    std::scoped_lock const lock(guard);
                    ran.insert(std::this_thread::get_id());
                });
            CHECK(all);
            CHECK(visits == std::vector<int>(count, 1));
            CHECK(parts == std::vector<int>(parts.size(), 1));
            CHECK(ran.size() <= std::min(std::max(threads, 1u), lkt::max_threads));
            if (threads < 2) CHECK(ran.size() <= 1);
        }
}

TEST_CASE("as many threads as there are processors, at most sixteen") {
    unsigned const many = lkt::threads_at_hand();
    CHECK(many >= 1);
    CHECK(many <= 16);
    if (std::thread::hardware_concurrency() > 1) CHECK(many > 1);
}

TEST_CASE("whoever stops the work hears that some is missing") {
    for (unsigned threads : {1u, 2u, 3u, 16u}) {
        std::stop_source stop;
        std::atomic<int> done{0};
        bool const all = lkt::for_each_part(100 * 7,
                                            7,
                                            threads,
                                            stop.get_token(),
                                            [&](std::size_t, std::size_t, std::size_t) noexcept {
                                                if (++done == 3) stop.request_stop();
                                            });
        CHECK(!all);
        CHECK(done >= 3);
        CHECK(done < 100); // how many more depends on who gets a processor
    }
}
