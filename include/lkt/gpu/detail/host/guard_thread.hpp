// SPDX-License-Identifier: BSL-1.0
// The worker's part in each launch: what memory holds before it, what is left of it afterwards.
#pragma once

#include <lkt/gpu/detail/host/buffers.hpp>
#include <lkt/gpu/fill.hpp>
#include <lkt/gpu/gpu_backend.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <pthread.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// Memory of the worker that no cell inherits, this one's or a later one's.
class unshared_memory {
public:
    unshared_memory() = default;
    /// `fd`: -1 for memory of its own.
    unshared_memory(std::uint64_t size, int fd) : size_(size) {
        address_ = ::mmap(nullptr,
                          size,
                          PROT_READ | PROT_WRITE,
                          fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED,
                          fd,
                          0);
        if (address_ == MAP_FAILED) address_ = nullptr;
        if (address_ != nullptr && ::madvise(address_, size, MADV_DONTFORK) != 0) release();
    }
    ~unshared_memory() { release(); }
    unshared_memory(unshared_memory const&) = delete;
    unshared_memory& operator=(unshared_memory const&) = delete;

    [[nodiscard]] explicit operator bool() const { return address_ != nullptr; }
    [[nodiscard]] std::span<std::byte> bytes() const {
        return {static_cast<std::byte*>(address_), address_ == nullptr ? 0 : size_};
    }

private:
    void release() {
        if (address_ != nullptr) ::munmap(address_, size_);
        address_ = nullptr;
    }
    void* address_ = nullptr;
    std::uint64_t size_ = 0;
};

/// A thread of the worker that waits at the gate. Fills and canaries are written from here,
/// canaries looked at and outputs kept, so that neither the key that they are made of nor the
/// choice of launches is ever in the address space of what runs. The secrets are read after the
/// cell was forked, and lie on a stack that no cell inherits.
class guard_thread {
public:
    guard_thread(job const& j, buffers const& arguments, int arena)
        : job_(j), arguments_(arguments), arena_(size_of_file(arena), arena), stack_(stack, -1) {}
    ~guard_thread() { leave(); }
    guard_thread(guard_thread const&) = delete;
    guard_thread& operator=(guard_thread const&) = delete;

    /// Whether there was memory for it.
    [[nodiscard]] explicit operator bool() const { return arena_ && stack_; }

    /// To be called when the cell has been forked.
    void begin() {
        pthread_attr_t how;
        bool good = ::pthread_attr_init(&how) == 0;
        good = good && ::pthread_attr_setstack(&how, stack_.bytes().data(), stack) == 0;
        good = good && ::pthread_create(&thread_, &how, &guard_thread::live, this) == 0;
        started_ = good;
        if (!good) fail("a thread");
    }
    /// To be called when the cell is gone.
    void leave() {
        ending_ = true;
        if (!std::exchange(started_, false)) return;
        auto& gate = arguments_.gate();
        gate.asked = ~std::uint32_t{0};
        notify_change(gate.asked);
        ::pthread_join(thread_, nullptr);
    }

    /// What follows is known after `leave`. Launches that were looked at when they were over,
    /// warm-ups included.
    [[nodiscard]] std::uint64_t finished() const { return finished_; }
    /// What was written around the buffers: a phrase, or empty.
    [[nodiscard]] std::string const& overrun() const { return overrun_; }
    /// What there was no memory for; null: nothing.
    [[nodiscard]] char const* failed() const { return failed_; }

private:
    static constexpr std::size_t stack = std::size_t{1} << 20;

    /// Noise around a buffer, as it was written.
    struct surroundings {
        std::uint64_t place = 0;
        std::vector<std::byte> noise; ///< before it, and behind it
    };

    [[nodiscard]] static std::uint64_t size_of_file(int fd) {
        struct stat facts{};
        return ::fstat(fd, &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
    }

    static void* live(void* self) {
        auto& me = *static_cast<guard_thread*>(self);
        try {
            me.serve();
        } catch (std::exception const&) {
            me.fail("what lies around the arguments");
        }
        return nullptr;
    }
    void fail(char const* what) {
        failed_ = what;
        auto& gate = arguments_.gate();
        gate.answer(static_cast<std::uint32_t>(finished_) + 1, false);
    }

    void serve() {
        job_secrets secrets;
        auto& gate = arguments_.gate();
        auto const total = static_cast<std::uint32_t>(job_.warmups + job_.launches);
        around_.resize(job_.sets * job_.arguments.size());
        std::size_t kept = 0;
        for (std::uint32_t n = 0; n <= total; ++n) {
            if (!asked(n + 1)) return;
            if (n == 0 && !read(secrets)) return fail("what the worker alone knows");
            if (n > 0) {
                overrun_ = look();
                if (!overrun_.empty()) return gate.answer(n + 1, false);
                auto const launch = static_cast<int>(n - 1) - job_.warmups;
                if (kept < secrets.keep.size() && secrets.keep[kept] == launch)
                    keep(secrets, kept++);
                finished_ = n;
            }
            if (n < total) prepare(secrets, static_cast<int>(n) - job_.warmups);
            gate.answer(n + 1, true);
        }
    }

    /// False: the cell is gone.
    [[nodiscard]] bool asked(std::uint32_t number) {
        auto& word = arguments_.gate().asked;
        while (!ending_.load()) {
            auto const seen = word.load(std::memory_order_acquire);
            if (seen == number) return true;
            await_change(word, seen, 100);
        }
        return false;
    }

    [[nodiscard]] bool read(job_secrets& secrets) const {
        auto const all = arena_.bytes();
        if (job_.secrets_offset > all.size() ||
            job_.secrets_size > all.size() - job_.secrets_offset)
            return false;
        auto const packed = all.subspan(job_.secrets_offset, job_.secrets_size);
        std::string_view const text{reinterpret_cast<char const*>(packed.data()), // NOLINT
                                    packed.size()};
        return unpack(text, job_, secrets);
    }

    void prepare(job_secrets const& secrets, int launch) {
        auto& gate = arguments_.gate();
        auto const set = set_of_launch(secrets.run, launch, job_.sets);
        selected_ = set;
        gate.set = static_cast<std::uint32_t>(set);
        auto const number = static_cast<std::uint64_t>(static_cast<std::int64_t>(launch));
        for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
            auto const& a = job_.arguments[i];
            if (!a.buffer || a.flow == direction::in) continue;
            auto const place =
                place_in_room(a.size, a.off, drawn(secrets.run, "place of a buffer", number, i));
            gate.places[i] = place;
            surround(secrets, number, set, i, place);
            std::span const to{arguments_.room(set, i) + place, a.size};
            if (a.flow == direction::inout) {
                if (a.size != 0)
                    std::memcpy(to.data(), arena_.bytes().data() + a.offsets[set], a.size);
                continue;
            }
            fill(secrets, launch, set, i, to);
        }
        if (auto const noise = arguments_.shared_noise(); !noise.empty())
            lkt::fill(noise, derived(secrets.run, "shared memory", number));
    }

    void fill(job_secrets const& secrets,
              int launch,
              std::size_t set,
              std::size_t i,
              std::span<std::byte> to) const {
        auto const& known = secrets.arguments[i];
        auto const argument = known.position;
        std::vector<std::uint64_t> others;
        for (std::size_t k = 0; k < known.right.size(); ++k)
            if (k != set && known.right[k] != 0) others.push_back(known.right[k]);
        fill_choices const choices{.certain =
                                       !secrets.keep.empty() && launch == secrets.keep.front(),
                                   .nans = is_floating(known.scalar),
                                   .other_test = !others.empty(),
                                   .nearly_right = known.right[set] != 0};
        auto const kind = fill_of_launch(secrets.run, launch, argument, choices);
        auto const key = fill_key(secrets.run, launch, argument);
        std::span<std::byte const> like;
        if (kind == fill_kind::nearly_right)
            like = arena_.bytes().subspan(known.right[set], to.size());
        if (kind == fill_kind::other_test)
            like = arena_.bytes().subspan(others[drawn(key, "which") % others.size()], to.size());
        write_fill(to, kind, key, known.scalar, like);
    }

    void surround(job_secrets const& secrets,
                  std::uint64_t launch,
                  std::size_t set,
                  std::size_t i,
                  std::uint64_t place) {
        auto const size = job_.arguments[i].size;
        auto& around = around_[set * job_.arguments.size() + i];
        around.place = place;
        around.noise.resize(room_bytes(size) - size);
        lkt::fill(around.noise, derived(secrets.run, "canaries", launch, i));
        auto* const room = arguments_.room(set, i);
        std::memcpy(room, around.noise.data(), place);
        std::memcpy(room + place + size, around.noise.data() + place, around.noise.size() - place);
    }

    /// What was written around the buffers, of whichever set: a phrase, or empty. (Past the pages
    /// it has crashed.)
    [[nodiscard]] std::string look() const {
        for (std::size_t set = 0; set < job_.sets; ++set)
            for (std::size_t i = 0; i < job_.arguments.size(); ++i)
                if (auto what = look(set, i); !what.empty()) return what;
        return {};
    }
    [[nodiscard]] std::string look(std::size_t set, std::size_t i) const {
        auto const& a = job_.arguments[i];
        auto const& around = around_[set * job_.arguments.size() + i];
        if (around.noise.empty()) return {};
        auto const* const room = arguments_.room(set, i);
        auto const* const behind = room + around.place + a.size;
        auto const place = around.place;
        auto const rest = around.noise.size() - place;
        auto const* const noise = around.noise.data();
        if (std::memcmp(room, noise, place) == 0 && std::memcmp(behind, noise + place, rest) == 0)
            return {};
        for (std::uint64_t k = place; k-- > 0;)
            if (room[k] != noise[k])
                return "write " + std::to_string(place - k) + " bytes before argument " + a.name;
        for (std::uint64_t k = 0; k < rest; ++k)
            if (behind[k] != noise[place + k])
                return k == 0 ? "write directly after the last element of argument " + a.name
                              : "write " + std::to_string(k) + " bytes after argument " + a.name;
        return {};
    }

    /// Copies all outputs of the launch to the arena.
    void keep(job_secrets const& secrets, std::size_t index) const {
        std::uint64_t one = 0;
        for (auto const& a : job_.arguments)
            if (a.buffer && a.flow != direction::in) one += whole_pages(a.size);
        auto* to = arena_.bytes().data() + secrets.kept_offset + index * one;
        for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
            auto const& a = job_.arguments[i];
            if (!a.buffer || a.flow == direction::in) continue;
            auto const& around = around_[selected_ * job_.arguments.size() + i];
            if (a.size != 0) std::memcpy(to, arguments_.room(selected_, i) + around.place, a.size);
            to += whole_pages(a.size);
        }
    }

    job const& job_;
    buffers const& arguments_;
    unshared_memory arena_, stack_;
    pthread_t thread_{};
    bool started_ = false;
    std::atomic<bool> ending_{false};
    std::vector<surroundings> around_; ///< for each argument of each set
    std::size_t selected_ = 0;
    std::uint64_t finished_ = 0;
    std::string overrun_;
    char const* failed_ = nullptr;
};

} // namespace lkt::host_detail
