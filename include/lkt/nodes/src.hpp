// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/nodes/impl/baseline.ipp>
#include <lkt/nodes/impl/break_down.ipp>
#include <lkt/nodes/impl/conclude.ipp>
#include <lkt/nodes/impl/confirm.ipp>
#include <lkt/nodes/impl/declaration.ipp>
#include <lkt/nodes/impl/declare_tests.ipp>
#include <lkt/nodes/impl/default_steps.ipp>
#include <lkt/nodes/impl/draft.ipp>
#include <lkt/nodes/impl/evaluate.ipp>
#include <lkt/nodes/impl/fix_parameters.ipp>
#include <lkt/nodes/impl/plan.ipp>
#include <lkt/nodes/impl/plan_steps.ipp>
#include <lkt/nodes/impl/planning_prompts.ipp>
#include <lkt/nodes/impl/planning_state.ipp>
#include <lkt/nodes/impl/fit_parameters.ipp>
#include <lkt/nodes/impl/gate.ipp>
#include <lkt/nodes/impl/prompt_texts.ipp>
#include <lkt/nodes/impl/prompts.ipp>
#include <lkt/nodes/impl/propose.ipp>
#include <lkt/nodes/impl/recognise.ipp>
#include <lkt/nodes/impl/reply.ipp>
#include <lkt/nodes/impl/select_step.ipp>
#include <lkt/nodes/impl/rivals.ipp>
#include <lkt/nodes/impl/step.ipp>
#include <lkt/nodes/impl/step_file.ipp>
#include <lkt/nodes/impl/step_list.ipp>
#include <lkt/nodes/impl/test_prompts.ipp>
#include <lkt/nodes/impl/toolbox.ipp>
#include <lkt/nodes/impl/tuning_codec.ipp>
#include <lkt/nodes/impl/tuning_state.ipp>
#include <lkt/nodes/impl/validate_step.ipp>
#include <lkt/nodes/impl/vouch.ipp>
#include <lkt/nodes/impl/words.ipp>
