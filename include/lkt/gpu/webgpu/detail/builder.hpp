// SPDX-License-Identifier: BSL-1.0
// Programs become pipelines, when they are asked for or ahead of that.
#pragma once

#include <lkt/gpu/webgpu/detail/objects.hpp>
#include <lkt/gpu/webgpu/device_service.hpp>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lkt::webgpu_detail {

/// What the library reported outside of error scopes; its callbacks come on any thread.
struct device_trouble {
    std::mutex gate;
    wg_error error = wg_error::none; ///< the first since it was taken
    std::string error_text;
    bool lost = false;
    std::string lost_text;
};

/// A program whose pipeline is there, or why it is not.
struct built_program {
    wgsl_program program;
    build_answer answer;
    std::vector<owned_group_layout> groups; ///< by number; those between are empty
    owned_pipeline_layout layout;
    owned_pipeline pipeline;
};

/// One error that was caught, or none.
struct caught_error {
    wg_error kind = wg_error::none;
    std::string text;
};
/// Calls `make` between error scopes. The caller holds the device for itself: scopes are the
/// device's, not the thread's.
template <class Make>
[[nodiscard]] caught_error caught(api const& library, wg_device device, Make&& make) {
    library.push_scope(device, wg_filter::out_of_memory);
    library.push_scope(device, wg_filter::validation);
    make();
    caught_error found;
    for (int scope = 0; scope < 2; ++scope) {
        wg_call_back<wg_scope_callback> take;
        take.callback = [](wg_status, wg_error kind, wg_text message, void* to, void*) {
            auto& error = *static_cast<caught_error*>(to);
            if (kind == wg_error::none || error.kind != wg_error::none) return;
            error = {kind, message.text()};
        };
        take.first = &found;
        library.pop_scope(device, take); // wgpu-native calls back before it returns
    }
    return found;
}

/// Keeps what it built, by what it was built from, and builds ahead on a thread of its own; but
/// never while somebody holds `device_use`, so that nothing is built while something is measured.
class program_builder {
public:
    program_builder(api const& library, wg_device device, device_trouble& trouble);
    program_builder(program_builder const&) = delete;
    ~program_builder();

    [[nodiscard]] std::shared_ptr<built_program const> get(std::string const& packed);
    void ahead(std::string packed);
    [[nodiscard]] std::mutex& device_use() { return device_use_; }

private:
    [[nodiscard]] std::shared_ptr<built_program const> build(std::string const& packed);
    void serve();

    api const& library_;
    wg_device device_;
    device_trouble& trouble_;
    std::mutex device_use_; ///< taken before gate_ where both are
    std::mutex gate_;
    std::condition_variable wake_;
    bool ends_ = false;
    std::deque<std::string> waiting_;
    std::map<std::string, std::shared_ptr<built_program const>> built_;
    std::deque<std::string> order_; ///< of `built_`, the oldest first
    std::thread thread_;
};

} // namespace lkt::webgpu_detail
