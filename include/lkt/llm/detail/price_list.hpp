// SPDX-License-Identifier: BSL-1.0
// What servers ask for their models. Written by scripts/update-prices; the figures are litellm's.
#pragma once

#include <lkt/llm/prices.hpp>

#include <span>
#include <string_view>

namespace lkt::detail::price_list {

inline constexpr std::string_view month = "2026-10";
inline constexpr std::string_view source = "litellm 1.106.2";

/// Of all lengths of a prompt the highest.
struct listed_price {
    std::string_view model; ///< a date of eight digits may follow
    token_price price;
};

inline constexpr listed_price api_openai_com[] = {
    {"gpt-3.5-turbo", {0.5, 0.5, 1.5}},   {"gpt-3.5-turbo-0125", {0.5, 0.5, 1.5}},
    {"gpt-3.5-turbo-16k", {3, 3, 4}},     {"gpt-4", {30, 30, 60}},
    {"gpt-4-0613", {30, 30, 60}},         {"gpt-4-1106-preview", {10, 10, 30}},
    {"gpt-4-turbo", {10, 10, 30}},        {"gpt-4.1", {2, 0.5, 8}},
    {"gpt-4.1-mini", {0.4, 0.1, 1.6}},    {"gpt-4.1-nano", {0.1, 0.025, 0.4}},
    {"gpt-4o", {2.5, 1.25, 10}},          {"gpt-4o-2024-05-13", {5, 5, 15}},
    {"gpt-4o-mini", {0.15, 0.075, 0.6}},  {"gpt-5", {1.25, 0.125, 10}},
    {"gpt-5-mini", {0.25, 0.025, 2}},     {"gpt-5-nano", {0.05, 0.005, 0.4}},
    {"gpt-5-pro", {15, 15, 120}},         {"gpt-5.1", {1.25, 0.125, 10}},
    {"gpt-5.2", {1.75, 0.175, 14}},       {"gpt-5.2-pro", {21, 21, 168}},
    {"gpt-5.3-codex", {1.75, 0.175, 14}}, {"gpt-5.4", {5, 0.5, 22.5}},
    {"gpt-5.4-mini", {0.75, 0.075, 4.5}}, {"gpt-5.4-nano", {0.2, 0.02, 1.25}},
    {"gpt-5.4-pro", {60, 60, 270}},       {"gpt-5.5", {10, 1, 45}},
    {"gpt-5.5-pro", {60, 60, 270}},       {"gpt-5.6", {10, 0.8, 30}},
    {"gpt-5.6-luna", {0.5, 0.04, 1.8}},   {"gpt-5.6-sol", {10, 0.8, 30}},
    {"gpt-5.6-terra", {5, 0.4, 18}},      {"gpt-6-astra", {25, 2, 75}},
    {"gpt-6-luna", {0.25, 0.02, 0.75}},   {"gpt-6-sol", {5, 0.4, 15}},
    {"gpt-6.1-sol", {5, 0.2, 15}},        {"o1", {15, 7.5, 60}},
    {"o1-pro", {150, 150, 600}},          {"o3", {2, 0.5, 8}},
    {"o3-mini", {1.1, 0.55, 4.4}},        {"o3-pro", {20, 20, 80}},
    {"o4-mini", {1.1, 0.275, 4.4}},
};

inline constexpr listed_price api_anthropic_com[] = {
    {"claude-fable-5", {10, 1, 50}},
    {"claude-fable-5-1", {10, 0.25, 50}},
    {"claude-haiku-4-5", {1, 0.1, 5}},
    {"claude-haiku-5-5", {0.5, 0.05, 2.5}},
    {"claude-mythos-5", {10, 1, 50}},
    {"claude-mythos-5-1", {10, 0.25, 50}},
    {"claude-opus-4-5", {5, 0.5, 25}},
    {"claude-opus-4-6", {5, 0.5, 25}},
    {"claude-opus-4-7", {5, 0.5, 25}},
    {"claude-opus-4-8", {5, 0.5, 25}},
    {"claude-opus-5", {5, 0.5, 25}},
    {"claude-opus-5-5", {4, 0.2, 20}},
    {"claude-sonnet-4-5", {3, 0.3, 15}},
    {"claude-sonnet-4-6", {3, 0.3, 15}},
    {"claude-sonnet-5", {2, 0.2, 10}},
    {"claude-sonnet-5-5", {2, 0.1, 10}},
};

inline constexpr listed_price generativelanguage_googleapis_com[] = {
    {"gemini-2.5-flash", {0.3, 0.03, 2.5}},
    {"gemini-2.5-flash-lite", {0.1, 0.01, 0.4}},
    {"gemini-2.5-pro", {2.5, 0.25, 15}},
    {"gemini-3-flash-preview", {0.5, 0.05, 3}},
    {"gemini-3.1-flash-lite", {0.25, 0.025, 1.5}},
    {"gemini-3.1-pro-preview", {4, 0.4, 18}},
    {"gemini-3.5-flash", {1.5, 0.15, 9}},
    {"gemini-3.5-flash-lite", {0.3, 0.03, 2.5}},
    {"gemini-3.6-flash", {0.75, 0.075, 3.75}},
    {"gemini-3.7-flash", {0.75, 0.075, 3.75}},
    {"gemini-3.8-flash", {0.75, 0.075, 3.75}},
    {"gemini-4-argon", {2, 0.1, 10}},
    {"gemini-flash-latest", {0.75, 0.075, 3.75}},
    {"gemini-flash-lite-latest", {0.3, 0.03, 2.5}},
    {"gemini-pro-latest", {4, 0.4, 18}},
};

inline constexpr listed_price api_mistral_ai[] = {
    {"codestral-2508", {0.3, 0.03, 0.9}},
    {"codestral-latest", {0.3, 0.03, 0.9}},
    {"codestral-mamba-latest", {0.25, 0.025, 0.25}},
    {"devstral-latest", {0.4, 0.04, 2}},
    {"devstral-medium-latest", {0.4, 0.04, 2}},
    {"devstral-small-latest", {0.1, 0.01, 0.3}},
    {"magistral-medium-latest", {1.5, 0.15, 7.5}},
    {"magistral-small-latest", {0.15, 0.015, 0.6}},
    {"ministral-14b-2512", {0.2, 0.02, 0.2}},
    {"ministral-14b-latest", {0.2, 0.02, 0.2}},
    {"ministral-3-14b-2512", {0.2, 0.02, 0.2}},
    {"ministral-3-3b-2512", {0.1, 0.01, 0.1}},
    {"ministral-3-8b-2512", {0.15, 0.015, 0.15}},
    {"ministral-3b-2512", {0.1, 0.01, 0.1}},
    {"ministral-3b-latest", {0.1, 0.01, 0.1}},
    {"ministral-8b-2512", {0.15, 0.015, 0.15}},
    {"ministral-8b-latest", {0.15, 0.015, 0.15}},
    {"mistral-code-agent-latest", {0.4, 0.04, 2}},
    {"mistral-code-latest", {0.3, 0.03, 0.9}},
    {"mistral-large-2512", {0.5, 0.05, 1.5}},
    {"mistral-large-3", {0.5, 0.05, 1.5}},
    {"mistral-large-4", {0.68, 0.068, 2.09}},
    {"mistral-large-4-0", {0.68, 0.068, 2.09}},
    {"mistral-large-latest", {0.5, 0.05, 1.5}},
    {"mistral-medium", {1.5, 0.15, 7.5}},
    {"mistral-medium-2604", {1.5, 0.15, 7.5}},
    {"mistral-medium-3", {1.5, 0.15, 7.5}},
    {"mistral-medium-3-5", {1.5, 0.15, 7.5}},
    {"mistral-medium-3.5", {1.5, 0.15, 7.5}},
    {"mistral-medium-latest", {1.5, 0.15, 7.5}},
    {"mistral-small", {0.1, 0.01, 0.3}},
    {"mistral-small-2603", {0.15, 0.015, 0.6}},
    {"mistral-small-latest", {0.15, 0.015, 0.6}},
    {"mistral-tiny", {0.25, 0.025, 0.25}},
    {"open-mistral-nemo", {0.3, 0.03, 0.3}},
};

inline constexpr listed_price api_deepseek_com[] = {
    {"deepseek-flash", {0.3, 0.006, 1.2}},
    {"deepseek-v4-flash", {0.3, 0.006, 1.2}},
    {"deepseek-v4-pro", {1.32, 0.044, 3.96}},
};

inline constexpr listed_price api_x_ai[] = {
    {"grok-4.20", {2.5, 0.4, 5}},
    {"grok-4.20-0309", {2.5, 0.4, 5}},
    {"grok-4.20-0309-non-reasoning", {2.5, 0.4, 5}},
    {"grok-4.20-0309-reasoning", {2.5, 0.4, 5}},
    {"grok-4.20-multi-agent", {2.5, 0.4, 5}},
    {"grok-4.20-multi-agent-0309", {2.5, 0.4, 5}},
    {"grok-4.20-multi-agent-latest", {2.5, 0.4, 5}},
    {"grok-4.20-non-reasoning", {2.5, 0.4, 5}},
    {"grok-4.20-non-reasoning-latest", {2.5, 0.4, 5}},
    {"grok-4.20-reasoning", {2.5, 0.4, 5}},
    {"grok-4.20-reasoning-latest", {2.5, 0.4, 5}},
    {"grok-4.3", {2.5, 0.4, 5}},
    {"grok-4.3-latest", {2.5, 0.4, 5}},
    {"grok-4.5", {4, 0.6, 12}},
    {"grok-4.5-latest", {4, 0.6, 12}},
    {"grok-4.6", {4, 1, 12}},
    {"grok-4.7", {4, 1, 12}},
    {"grok-build-0.1", {2, 0.4, 4}},
    {"grok-build-latest", {4, 0.6, 12}},
    {"grok-code-fast", {2, 0.4, 4}},
    {"grok-code-fast-1", {2, 0.4, 4}},
    {"grok-code-fast-1-0825", {2, 0.4, 4}},
};

inline constexpr listed_price api_groq_com[] = {
    {"openai/gpt-oss-120b", {0.15, 0.075, 0.6}},
    {"openai/gpt-oss-20b", {0.075, 0.0375, 0.3}},
    {"qwen/qwen3.8-27b", {0.8, 0.8, 4}},
};

struct price_server {
    std::string_view host;
    std::span<listed_price const> models;
};
inline constexpr price_server servers[] = {
    {"api.openai.com", api_openai_com},
    {"api.anthropic.com", api_anthropic_com},
    {"generativelanguage.googleapis.com", generativelanguage_googleapis_com},
    {"api.mistral.ai", api_mistral_ai},
    {"api.deepseek.com", api_deepseek_com},
    {"api.x.ai", api_x_ai},
    {"api.groq.com", api_groq_com},
};

} // namespace lkt::detail::price_list
