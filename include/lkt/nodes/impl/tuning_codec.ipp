// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/archive.hpp>
#include <lkt/nodes/batch.hpp>
#include <lkt/nodes/draft.hpp>
#include <lkt/nodes/planning_state.hpp>
#include <lkt/nodes/step_ledger.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/store/codec.hpp>

namespace lkt {

template struct compiled_codec<problem>;
template struct compiled_codec<device_description>;
template struct compiled_codec<candidate>;
template struct compiled_codec<tuned_kernel>;
template struct compiled_codec<rejected_attempt>;
template struct compiled_codec<attempt_record>;
template struct compiled_codec<std::vector<rejected_attempt>>;
template struct compiled_codec<std::vector<attempt_record>>;
template struct compiled_codec<model_usage>;
template struct compiled_codec<std::vector<inquiry>>;
template struct compiled_codec<problem_draft>;
template struct compiled_codec<declaration_log>;
template struct compiled_codec<planning_record>;
template struct compiled_codec<step_ledger>;
template struct compiled_codec<batch_proposal>;
template struct compiled_codec<elite>;

} // namespace lkt
