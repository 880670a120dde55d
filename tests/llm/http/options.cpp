// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/http/options.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace {

constexpr lkt::dialect all[]{lkt::dialect::openai_chat,
                             lkt::dialect::openai_responses,
                             lkt::dialect::anthropic,
                             lkt::dialect::ollama,
                             lkt::dialect::llama_cpp,
                             lkt::dialect::vllm};

lkt::http_options of(lkt::dialect d, std::string base_url) {
    lkt::http_options o;
    o.dialect = d;
    o.base_url = std::move(base_url);
    return o;
}

} // namespace

TEST_CASE("each dialect has a name, a place and a variable for its key") {
    std::set<std::string_view> names;
    for (auto const d : all) {
        names.insert(to_string(d));
        CHECK(lkt::default_base_url(d).starts_with("http"));
        CHECK_FALSE(lkt::default_base_url(d).ends_with('/'));
        CHECK(lkt::default_key_variable(d).ends_with("_API_KEY"));
    }
    CHECK(names.size() == std::size(all));
    CHECK(lkt::default_base_url(lkt::dialect::anthropic) == "https://api.anthropic.com");
}

TEST_CASE("a provider's key is not read for somebody else's server") {
    using lkt::key_variable_of;
    CHECK(key_variable_of(of(lkt::dialect::openai_chat, "")) == "OPENAI_API_KEY");
    CHECK(key_variable_of(of(lkt::dialect::openai_chat, "https://api.openai.com/v1")) ==
          "OPENAI_API_KEY");
    CHECK(key_variable_of(of(lkt::dialect::openai_chat, "https://api.openai.com")) ==
          "OPENAI_API_KEY");
    CHECK(key_variable_of(of(lkt::dialect::openai_chat, "https://api.openai.com.evil.org/v1")) ==
          "");
    CHECK(key_variable_of(of(lkt::dialect::openai_chat, "http://api.openai.com/v1")) == "");
    CHECK(key_variable_of(of(lkt::dialect::anthropic, "http://127.0.0.1:8080")) == "");
    // These are the user's own servers.
    CHECK(key_variable_of(of(lkt::dialect::ollama, "https://ollama.com")) == "OLLAMA_API_KEY");
    CHECK(key_variable_of(of(lkt::dialect::vllm, "http://gpu7:8000/v1")) == "VLLM_API_KEY");
    auto named = of(lkt::dialect::openai_chat, "https://openrouter.ai/api/v1");
    named.key_variable = "OPENROUTER_API_KEY";
    CHECK(key_variable_of(named) == "OPENROUTER_API_KEY");
}

TEST_CASE("what is waited for has a limit, certificates are looked at") {
    lkt::http_options const o;
    CHECK(o.timeouts.connect.count() > 0);
    CHECK(o.timeouts.idle.count() > 0);
    CHECK(o.verify_tls);
    CHECK(o.stream);
}
