// SPDX-License-Identifier: BSL-1.0
// A stack that can be switched to: Boost.Context where its headers are there, else <ucontext.h>.
#pragma once

#include <lkt/config.hpp>

#include <cstddef>
#include <dlfcn.h>

#if !defined(LKT_USE_UCONTEXT)
#include <boost/context/detail/fcontext.hpp>
#else
#include <cstdint>
#include <ucontext.h>
#endif

namespace lkt::host_detail {

/// AddressSanitizer has to be told of every switch. Empty where it is not loaded.
struct fibre_annotations {
    void (*start)(void** fake_stack, void const* bottom, std::size_t size) = nullptr;
    void (*finish)(void* fake_stack, void const** bottom, std::size_t* size) = nullptr;

    [[nodiscard]] static fibre_annotations find() {
        fibre_annotations found;
        found.start = reinterpret_cast<decltype(start)>( // NOLINT
            ::dlsym(RTLD_DEFAULT, "__sanitizer_start_switch_fiber"));
        found.finish = reinterpret_cast<decltype(finish)>( // NOLINT
            ::dlsym(RTLD_DEFAULT, "__sanitizer_finish_switch_fiber"));
        if (found.start == nullptr || found.finish == nullptr) return {};
        return found;
    }
};

/// A point of execution on a stack of its own. The default one stands for the stack that first
/// switches away from it.
class fibre {
public:
    using entry = void (*)();
#if !defined(LKT_USE_UCONTEXT)
    static constexpr char mechanism[] = "Boost.Context";
#else
    static constexpr char mechanism[] = "ucontext";
#endif

    fibre() = default;
    fibre(fibre const&) = delete;
    fibre& operator=(fibre const&) = delete;

    /// The next switch to it calls `Entry`, which never returns.
    template <entry Entry>
    void prepare(void* bottom, std::size_t size) {
        bottom_ = bottom;
        size_ = size;
#if !defined(LKT_USE_UCONTEXT)
        context_ = boost::context::detail::make_fcontext(
            static_cast<char*>(bottom) + size, size, [](boost::context::detail::transfer_t from) {
                static_cast<fibre*>(from.data)->context_ = from.fctx;
                arrive(nullptr, static_cast<fibre*>(from.data));
                Entry();
            });
#else
        ::getcontext(&context_);
        context_.uc_stack.ss_sp = bottom;
        context_.uc_stack.ss_size = size;
        context_.uc_link = nullptr;
        ::makecontext(
            &context_,
            +[] {
                arrive(nullptr, came_from);
                Entry();
            },
            0);
#endif
    }

    /// Leaves the running fibre `from` and goes on in this one.
    void switch_from(fibre& from) {
        void* fake_stack = nullptr;
        if (annotations.start != nullptr) annotations.start(&fake_stack, bottom_, size_);
#if !defined(LKT_USE_UCONTEXT)
        auto const back = boost::context::detail::jump_fcontext(context_, &from);
        auto* const previous = static_cast<fibre*>(back.data);
        previous->context_ = back.fctx;
#else
        came_from = &from;
        ::swapcontext(&from.context_, &context_);
        auto* const previous = came_from;
#endif
        arrive(fake_stack, previous);
    }

    /// To be filled before the first switch.
    static inline fibre_annotations annotations{};

private:
    static void arrive(void* fake_stack, fibre* previous) {
        if (annotations.finish == nullptr) return;
        void const* bottom = nullptr;
        std::size_t size = 0;
        annotations.finish(fake_stack, &bottom, &size);
        if (previous->bottom_ == nullptr) { // the stack that this thread started on
            previous->bottom_ = bottom;
            previous->size_ = size;
        }
    }

#if !defined(LKT_USE_UCONTEXT)
    boost::context::detail::fcontext_t context_ = nullptr;
#else
    ucontext_t context_{};
    static inline thread_local fibre* came_from = nullptr;
#endif
    void const* bottom_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace lkt::host_detail
