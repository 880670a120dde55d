// SPDX-License-Identifier: BSL-1.0
// All that is taken out of replies.
#pragma once

#include <lkt/llm/extract_code.hpp>
#include <lkt/llm/extract_json.hpp>
#include <lkt/llm/fenced_blocks.hpp>
#include <lkt/llm/thinking.hpp>
