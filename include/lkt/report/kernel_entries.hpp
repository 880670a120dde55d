// SPDX-License-Identifier: BSL-1.0
// A run as entries of a store of kernels.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/store/kernel_store.hpp>
#include <lkt/tuner/tuning_outcome.hpp>

#include <span>
#include <string>
#include <vector>

namespace lkt {

/// What decides whether a kernel solves `task` on this device. Notes and the names of files do not
/// count, their contents do. `judges`: digests of further oracles and scripts of tests. Errors:
/// those of reading a Python file or recorded outputs that the problem names.
[[nodiscard]] result<kernel_key>
key_of(problem const& task, device_description const& device, std::vector<std::string> judges = {});

/// A request, and the text of its reply.
struct heard_reply {
    conversation asked;
    std::string reply;
};

/// One entry for each reply of a run that held a kernel: of the strategy and, before that, of the
/// first kernel. `heard` adds the prompts.
[[nodiscard]] std::vector<kernel_entry> entries_of(tuning_outcome const& out,
                                                   kernel_key const& key,
                                                   std::span<heard_reply const> heard = {});

/// The kernel of an entry, as it can be judged: its one configuration and its launch. Errors:
/// `lkt.kernel.note`, and `lkt.store.entry` where it does not say how it is launched.
[[nodiscard]] result<candidate> candidate_of(kernel_entry const& e, problem const& task);

} // namespace lkt
