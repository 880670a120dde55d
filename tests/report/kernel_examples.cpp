// SPDX-License-Identifier: BSL-1.0
#include <lkt/report/kernel_examples.hpp>

#include <lkt/problems/problem_file.hpp>

#include <doctest/doctest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using features = std::vector<std::string>;

lkt::problem operation(std::string const& source) {
    std::string const text =
        R"({"KernelSpecification": {"KernelName": "f", "ProblemSize": [64]}, "lkt": {"size_names": ["N"],
        "operation": {"torch": {"source": ")" +
        source +
        R"(", "function": "f"}, "inputs": [{"name": "x", "shape": ["N"]}, {"name": "w", "shape": ["N", "N"]}],
        "outputs": [{"name": "y", "shape": ["N"]}]}}})";
    return lkt::parse_problem_file(text, {}, "p.json").value().task;
}

lkt::kernel_entry entry(std::string const& name,
                        features const& like,
                        lkt::stored_status status,
                        std::string const& text = "void k() {}") {
    lkt::kernel_entry e;
    e.key.operation = name;
    e.status = status;
    e.kernel = text;
    e.why = status == lkt::stored_status::rejected ? "wrong output in " + name : "";
    e.file = name + ".json";
    boost::json::array said;
    for (auto const& f : like) said.emplace_back(f);
    e.record = R"({"features":)" + boost::json::serialize(said) + "}";
    return e;
}

features named(std::vector<lkt::kernel_example> const& examples) {
    features names;
    for (auto const& e : examples) names.push_back((e.text.empty() ? "-" : "+") + e.operation);
    return names;
}

} // namespace

TEST_CASE("an operation is like what it calls, and by its inputs and outputs") {
    auto const task =
        operation("import torch\\ndef f(x, w):\\n    return F.Conv2d(x @ w, len(x))\\n");
    CHECK(lkt::features_of(task) == features{"calls conv",
                                             "calls matmul",
                                             "fewer outputs than inputs",
                                             "inputs 2",
                                             "outputs 1",
                                             "reads float32",
                                             "writes float32"});
    CHECK(lkt::features_of(operation("def f(x, w):\\n    return batch_norm(x)\\n")) ==
          lkt::features_of(operation("def f(x, w):\\n    return nn.BatchNorm3d(x)\\n")));
    features const a{"calls conv2d", "inputs 2"}, b{"calls conv2d", "inputs 3"}, c{"inputs 2"},
        d{"calls softmax", "inputs 2"}, e{"inputs 2", "outputs 1"};
    CHECK(lkt::likeness(a, a) == 1);
    CHECK(lkt::likeness(a, b) == doctest::Approx(4.0 / 6));
    CHECK(lkt::likeness(a, c) == 0); // one of them calls something
    CHECK(lkt::likeness(a, d) == 0);
    CHECK(lkt::likeness(c, e) == doctest::Approx(0.5)); // neither calls anything
    CHECK(lkt::likeness({}, {}) == 0);
}

TEST_CASE("examples are the most alike, of different operations, and bounded") {
    using enum lkt::stored_status;
    auto const task = operation("def f(x, w):\\n    return relu(conv2d(x, w))\\n");
    auto const own = lkt::features_of(task);
    features const conv{"calls conv", "inputs 2", "outputs 1"}, other{"calls softmax", "inputs 2"};
    std::vector<lkt::kernel_entry> entries{entry("conv", conv, accepted),
                                           entry("same", own, slower),
                                           entry("same", own, accepted, "void again() {}"),
                                           entry("softmax", other, accepted),
                                           entry("conv", conv, rejected),
                                           entry("conv", conv, rejected),
                                           entry("bad", {}, accepted)};
    entries[0].kernel = "a\x1b[2Jb";
    lkt::kernel_key key;
    CHECK(named(lkt::examples_for(task, key, entries)) == features{"+same", "+conv", "-conv"});
    CHECK(lkt::examples_for(task, key, entries)[1].text.find('\x1b') == std::string::npos);
    CHECK(named(lkt::examples_for(task, key, entries, {.right = 1, .wrong = 0})) ==
          features{"+same"});
    CHECK(lkt::examples_for(task, key, entries, {.right = 0, .wrong = 0}).empty());
    CHECK(lkt::examples_for(task, key, entries, {.bytes = 5}).empty());
    // None for the very key, none in another language.
    key = entries[1].key;
    CHECK(named(lkt::examples_for(task, key, entries)) == features{"+conv", "-conv"});
    key.language = lkt::language::wgsl;
    CHECK(lkt::examples_for(task, key, entries).empty());
    // An entry may say anything of itself.
    entries.assign(1, entry("odd", own, accepted));
    for (char const* record : {"", "[]", "{}", R"({"features":3})", R"({"features":[1,null]})"}) {
        entries[0].record = record;
        CHECK(lkt::examples_for(task, {}, entries).empty());
    }
}
