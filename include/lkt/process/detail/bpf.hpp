// SPDX-License-Identifier: BSL-1.0
// Seccomp filters, assembled by hand: a program over `seccomp_data` that names what each system
// call leads to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <span>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
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

class bpf_builder {
public:
    /// Another architecture's calls (int 0x80, x32) have other numbers: they kill at once.
    bpf_builder() {
        code_.reserve(1024); // so that installing takes no memory
        load(offsetof(seccomp_data, arch));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, seccomp_machine, 1, 0));
        end(SECCOMP_RET_KILL_PROCESS);
        load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000U, 0, 1));
        end(SECCOMP_RET_KILL_PROCESS);
#endif
    }

    void always(long call, std::uint32_t action) {
        on(call, 1);
        end(action);
    }
    /// `action` if any bit of `mask` is set in the low half of the argument, else `otherwise`.
    /// The bits that are tested all lie in that half, which is all that the kernel looks at, too.
    void if_bits(long call,
                 unsigned argument,
                 std::uint32_t mask,
                 std::uint32_t action,
                 std::uint32_t otherwise) {
        on(call, 4);
        load(low_half(argument));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, mask, 0, 1));
        end(action);
        end(otherwise);
    }
    /// As above for two masks: `action` unless a bit of `needed` is set and none of `forbidden`.
    void unless_bits(long call,
                     unsigned argument,
                     std::uint32_t needed,
                     std::uint32_t forbidden,
                     std::uint32_t action) {
        on(call, 5);
        load(low_half(argument));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, forbidden, 1, 0));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, needed, 1, 0));
        end(action);
        end(bpf_allow);
    }
    /// `action` if the 32-bit argument is one of two values, else `otherwise`.
    void if_equal(long call,
                  unsigned argument,
                  std::uint32_t one,
                  std::uint32_t other,
                  std::uint32_t action,
                  std::uint32_t otherwise) {
        on(call, 5);
        load(low_half(argument));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one, 1, 0));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1));
        end(action);
        end(otherwise);
    }
    /// `action` if the 32-bit argument is one of `values` (at most 200), else `otherwise`.
    void if_among(long call,
                  unsigned argument,
                  std::span<std::uint32_t const> values,
                  std::uint32_t action,
                  std::uint32_t otherwise) {
        auto const n = static_cast<unsigned char>(values.size());
        on(call, static_cast<unsigned char>(n + 3));
        load(low_half(argument));
        for (unsigned char k = 0; k < n; ++k) // to the last instruction of the block
            code_.push_back(BPF_JUMP(
                BPF_JMP | BPF_JEQ | BPF_K, values[k], static_cast<unsigned char>(n - k), 0));
        end(otherwise);
        end(action);
    }
    /// `action` if all 64 bits of the argument are zero (a null pointer), else `otherwise`.
    void if_null(long call, unsigned argument, std::uint32_t action, std::uint32_t otherwise) {
        on(call, 6);
        load(low_half(argument));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3));
        load(low_half(argument) + 4);
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1));
        end(action);
        end(otherwise);
    }

    /// Ends the program with what becomes of all other calls, and installs it; false: errno says.
    [[nodiscard]] bool install(std::uint32_t otherwise) {
        end(otherwise);
        sock_fprog const program{static_cast<unsigned short>(code_.size()), code_.data()};
        return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }

private:
    // Both machines are little-endian.
    static std::uint32_t low_half(unsigned argument) {
        return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * argument);
    }
    /// The block of one call: skipped, by `size` instructions, for all others. A block that loads
    /// an argument ends in a decision, so the accumulator holds the number wherever one begins.
    void on(long call, unsigned char size) {
        code_.push_back(
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, size));
    }
    void load(std::size_t offset) {
        code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    }
    void end(std::uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }

    std::vector<sock_filter> code_;
};

} // namespace lkt::process_detail
