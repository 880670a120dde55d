// SPDX-License-Identifier: BSL-1.0
// A back end that several threads may use.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/gpu_backend.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace lkt {

/// A back end over a back end, which is called by one thread at a time; the others wait, and their
/// stop tokens end that. `one_at_a_time gpu{cuda{}}` owns it, `one_at_a_time<cuda&>` refers to it;
/// copies share both the turn and what is inside.
template <class B>
class one_at_a_time {
    static_assert(gpu_backend<std::remove_reference_t<B>>,
                  "[lkt.gpu.one-at-a-time] one_at_a_time needs a gpu_backend: device, compile and "
                  "run with the results that the concept names");

public:
    explicit one_at_a_time(B backend)
        : inside_(std::make_shared<shared>(std::forward<B>(backend))) {}

    [[nodiscard]] result<device_description> device(call_context const& context) {
        return in_turn(context, [&](auto& gpu) { return gpu.device(context); });
    }
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context) {
        return in_turn(context, [&](auto& gpu) { return gpu.compile(request, context); });
    }
    [[nodiscard]] result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
        return in_turn(context, [&](auto& gpu) { return gpu.run(kernel, request, context); });
    }
    void prefetch(compile_request const& request)
        requires prefetching_backend<std::remove_reference_t<B>>
    {
        std::unique_lock lock(inside_->mutex);
        inside_->changed.wait(lock, [&] { return !inside_->busy; });
        inside_->backend.prefetch(request); // returns at once, so nobody waits for its turn to end
    }
    [[nodiscard]] bool can_profile()
        requires profiling_backend<std::remove_reference_t<B>>
    {
        std::unique_lock lock(inside_->mutex);
        inside_->changed.wait(lock, [&] { return !inside_->busy; });
        return inside_->backend.can_profile();
    }
    [[nodiscard]] result<kernel_profile>
    profile(compiled_kernel const& kernel, run_request const& request, call_context const& context)
        requires profiling_backend<std::remove_reference_t<B>>
    {
        return in_turn(context, [&](auto& gpu) { return gpu.profile(kernel, request, context); });
    }

private:
    struct shared {
        explicit shared(B b) : backend(std::forward<B>(b)) {}
        B backend;
        std::mutex mutex;
        std::condition_variable_any changed;
        bool busy = false;
    };
    /// Gives the turn back, also when an exception passes through.
    struct turn {
        shared& of;
        ~turn() {
            {
                std::lock_guard const alone(of.mutex);
                of.busy = false;
            }
            of.changed.notify_all();
        }
    };

    template <class Call>
    auto in_turn(call_context const& context, Call call)
        -> decltype(call(std::declval<std::remove_reference_t<B>&>())) {
        {
            std::unique_lock lock(inside_->mutex);
            if (!inside_->changed.wait(lock, context.stop, [&] { return !inside_->busy; }))
                return cancelled("the wait for the device");
            inside_->busy = true;
        }
        turn const mine{*inside_};
        return call(inside_->backend);
    }

    std::shared_ptr<shared> inside_;
};

template <class B>
one_at_a_time(B) -> one_at_a_time<B>;

} // namespace lkt
