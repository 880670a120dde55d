// SPDX-License-Identifier: BSL-1.0
// Seccomp filters, assembled by hand: a program over `seccomp_data` that names what each system
// call leads to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <map>
#include <span>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lkt::process_detail {

#if defined(__x86_64__)
inline constexpr std::uint32_t seccomp_machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__) && defined(__LITTLE_ENDIAN__)
inline constexpr std::uint32_t seccomp_machine = AUDIT_ARCH_AARCH64;
#elif defined(__aarch64__)
inline constexpr std::uint32_t seccomp_machine = AUDIT_ARCH_AARCH64;
#else
inline constexpr std::uint32_t seccomp_machine = 0; ///< no filter is known for this machine
#endif

inline constexpr std::uint32_t bpf_allow = SECCOMP_RET_ALLOW;
inline constexpr std::uint32_t bpf_trap = SECCOMP_RET_TRAP; ///< SIGSYS that names the call
[[nodiscard]] constexpr std::uint32_t bpf_errno(int number) {
    return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(number) & SECCOMP_RET_DATA);
}

/// A filter as the operating system takes it.
class bpf_program {
public:
    explicit bpf_program(std::vector<sock_filter> code) : code_(std::move(code)) {}

    /// False: errno says. Takes no memory.
    [[nodiscard]] bool install() {
        sock_fprog const program{static_cast<unsigned short>(code_.size()), code_.data()};
        return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }
    [[nodiscard]] std::vector<sock_filter> const& code() const { return code_; }

private:
    std::vector<sock_filter> code_;
};

/// What each call leads to. Of what is said of one call more than once, the first counts. The
/// program looks for a call by halving: at each installation Linux runs it for every number that
/// there is, which took longer than the fork when calls were compared one after the other.
class bpf_builder {
public:
    void always(long call, std::uint32_t action) { on(call, {ended(action)}); }
    /// `action` if any bit of `mask` is set in the low half of the argument, else `otherwise`.
    /// The bits that are tested all lie in that half, which is all that the kernel looks at, too.
    void if_bits(long call,
                 unsigned argument,
                 std::uint32_t mask,
                 std::uint32_t action,
                 std::uint32_t otherwise) {
        on(call,
           {loaded(low_half(argument)),
            jump(BPF_JSET, mask, 0, 1),
            ended(action),
            ended(otherwise)});
    }
    /// As above for two masks: `action` unless a bit of `needed` is set and none of `forbidden`.
    void unless_bits(long call,
                     unsigned argument,
                     std::uint32_t needed,
                     std::uint32_t forbidden,
                     std::uint32_t action) {
        on(call,
           {loaded(low_half(argument)),
            jump(BPF_JSET, forbidden, 1, 0),
            jump(BPF_JSET, needed, 1, 0),
            ended(action),
            ended(bpf_allow)});
    }
    /// `action` if the 32-bit argument is one of `values` (at most 200), else `otherwise`.
    void if_among(long call,
                  unsigned argument,
                  std::span<std::uint32_t const> values,
                  std::uint32_t action,
                  std::uint32_t otherwise) {
        block what{loaded(low_half(argument))};
        for (auto left = values.size(); auto const value : values) // to the last of the block
            what.push_back(jump(BPF_JEQ, value, static_cast<unsigned char>(left--), 0));
        what.push_back(ended(otherwise));
        what.push_back(ended(action));
        on(call, std::move(what));
    }
    /// `action` if the 32-bit argument is one of two values, else `otherwise`.
    void if_equal(long call,
                  unsigned argument,
                  std::uint32_t one,
                  std::uint32_t other,
                  std::uint32_t action,
                  std::uint32_t otherwise) {
        std::uint32_t const values[] = {one, other};
        if_among(call, argument, values, action, otherwise);
    }
    /// `action` if all 64 bits of the argument are zero (a null pointer), else `otherwise`.
    void if_null(long call, unsigned argument, std::uint32_t action, std::uint32_t otherwise) {
        on(call,
           {loaded(low_half(argument)),
            jump(BPF_JEQ, 0, 0, 3),
            loaded(low_half(argument) + 4),
            jump(BPF_JEQ, 0, 0, 1),
            ended(action),
            ended(otherwise)});
    }

    /// The program; `otherwise` becomes of all other calls. Another architecture's calls (int 0x80,
    /// x32) have other numbers: they kill at once.
    [[nodiscard]] bpf_program program(std::uint32_t otherwise) const {
        std::vector<sock_filter> code;
        code.push_back(loaded(offsetof(seccomp_data, arch)));
        code.push_back(jump(BPF_JEQ, seccomp_machine, 1, 0));
        code.push_back(ended(SECCOMP_RET_KILL_PROCESS));
        code.push_back(loaded(offsetof(seccomp_data, nr)));
#if defined(__x86_64__)
        code.push_back(jump(BPF_JGE, 0x40000000U, 0, 1));
        code.push_back(ended(SECCOMP_RET_KILL_PROCESS));
#endif
        auto const all = ranges(otherwise);
        auto const chosen = choice(all);
        code.insert(code.end(), chosen.begin(), chosen.end());
        return bpf_program{std::move(code)};
    }

private:
    using block = std::vector<sock_filter>;
    /// What becomes of calls from this number to the next range. A block that loads an argument
    /// ends in a decision.
    struct range {
        std::uint32_t from;
        block what;
    };

    // Both machines are little-endian.
    static std::uint32_t low_half(unsigned argument) {
        return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * argument);
    }
    static sock_filter loaded(std::size_t offset) {
        return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
    }
    static sock_filter ended(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
    static sock_filter
    jump(unsigned test, std::uint32_t value, unsigned char then, unsigned char otherwise) {
        return BPF_JUMP(
            static_cast<unsigned short>(BPF_JMP | BPF_K | test), value, then, otherwise);
    }
    static bool alike(block const& a, block const& b) {
        return a.size() == 1 && b.size() == 1 && a.front().code == b.front().code &&
               a.front().k == b.front().k;
    }

    [[nodiscard]] std::vector<range> ranges(std::uint32_t otherwise) const {
        std::vector<range> all;
        std::uint32_t next = 0;
        auto const add = [&](std::uint32_t from, block const& what) {
            if (all.empty() || !alike(all.back().what, what)) all.push_back({from, what});
        };
        for (auto const& [call, what] : calls_) {
            if (call > next) add(next, {ended(otherwise)});
            add(call, what);
            next = call + 1;
        }
        add(next, {ended(otherwise)});
        return all;
    }

    static block choice(std::span<range const> among) {
        if (among.size() == 1) return among[0].what;
        auto const half = among.size() / 2;
        auto const below = choice(among.first(half)), rest = choice(among.subspan(half));
        block code;
        if (below.size() < 256) {
            code.push_back(
                jump(BPF_JGE, among[half].from, static_cast<unsigned char>(below.size()), 0));
        } else { // farther than a conditional jump reaches
            code.push_back(jump(BPF_JGE, among[half].from, 0, 1));
            code.push_back(BPF_STMT(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(below.size())));
        }
        code.insert(code.end(), below.begin(), below.end());
        code.insert(code.end(), rest.begin(), rest.end());
        return code;
    }

    void on(long call, block what) {
        calls_.emplace(static_cast<std::uint32_t>(call), std::move(what));
    }

    std::map<std::uint32_t, block> calls_;
};

} // namespace lkt::process_detail
