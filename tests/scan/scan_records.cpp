// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/scan_records.hpp>

#include <doctest/doctest.h>

#include <lkt/scan/simulated_engine.hpp>

#include <algorithm>

namespace {

lkt::scan_table sample(std::int64_t m) {
    lkt::simulated_engine engine;
    auto const spec =
        lkt::gemm_spec::make({.m = m, .n = 64, .k = 64, .type = lkt::gemm_type::f16, .beta = 0.25})
            .value();
    auto const device = lkt::accelerator_called("MI300X").value();
    return lkt::rows_of(
        "simulated", spec, engine.measure(spec).value(), "2025-01-01T00:00:00Z", &device);
}

std::string lines_of(lkt::scan_table const& table) {
    std::string text;
    for (auto const& row : table) text += to_json_line(row);
    return text;
}

} // namespace

TEST_CASE("scan_records: JSON Lines read back as they were") {
    auto table = sample(64);
    table[0].instance.name = "a \"name\",\n\x1b[31m";
    table[0].instance.again = lkt::seconds{1};
    auto const read = lkt::read_json_lines(lines_of(table));
    REQUIRE(read.has_value());
    REQUIRE(read->table.size() == table.size());
    // Boost.JSON 1.81 may miss the last bit of a number.
    for (std::size_t i = 0; i < table.size(); ++i) {
        CHECK(read->table[i].instance.time.count() ==
              doctest::Approx(table[i].instance.time.count()).epsilon(1e-14));
        CHECK(read->table[i].best == table[i].best);
        CHECK(read->table[i].product() == table[i].product());
    }
    CHECK(to_markdown(read->table) == to_markdown(table));
    CHECK(read->table[0].instance.again == table[0].instance.again);
    CHECK(read->table[0].instance.name == table[0].instance.name);
    CHECK(read->table[0].spec == table[0].spec);
    CHECK(lines_of(table).find('\x1b') == std::string::npos);
}

TEST_CASE("scan_records: a torn line and a product that is cut off are dropped, wherever") {
    auto const first = lines_of(sample(64)), both = first + lines_of(sample(128));
    for (std::size_t cut = 0; cut <= both.size(); cut += 97) {
        auto const read = lkt::read_json_lines(both.substr(0, cut));
        REQUIRE(read.has_value());
        CHECK(read->whole == (cut < first.size() ? 0 : first.size()));
    }
    CHECK(lkt::read_json_lines(both)->whole == both.size());
    CHECK(lkt::read_json_lines(both)->cut == 0);
}

TEST_CASE("scan_records: what is no result is refused, with its line") {
    auto const good = lines_of(sample(64));
    auto const wrong = [](std::string text) {
        auto const read = lkt::read_json_lines(text);
        return read ? std::string() : read.error().message;
    };
    CHECK(wrong(good + "{}\n").find("line 7 ") == 0);
    CHECK(wrong("not json\n").find("line 1 ") == 0);
    auto text = good;
    text.replace(text.find("\"m\":64"), 6, "\"m\":-1");
    CHECK(wrong(text).find("cannot be") != std::string::npos);
    text = good;
    text.replace(text.find("\"iterations\":100"), 16, "\"iterations\":4294967396");
    CHECK(wrong(text).find("`iterations`") != std::string::npos);
    // Rows from the middle of a product are missing.
    CHECK_FALSE(wrong(good.substr(0, good.find('\n') + 1) + lines_of(sample(128))).empty());
}

TEST_CASE("scan_records: clock and workspace, which older files lack") {
    auto table = sample(64);
    table[0].instance.clock_mhz = 1755;
    table[0].instance.workspace = lkt::bytes{33554432};
    auto text = lines_of(table);
    auto const back = lkt::read_json_lines(text)->table[0].instance;
    CHECK(back.clock_mhz == 1755);
    CHECK(back.workspace.count == 33554432);
    for (std::string const field : {"\"clock_mhz\":", "\"workspace_bytes\":"})
        for (auto at = text.find(field); at != text.npos; at = text.find(field))
            text.erase(at, text.find(',', at) + 1 - at);
    auto const older = lkt::read_json_lines(text);
    REQUIRE(older.has_value());
    CHECK(older->table[0].instance.clock_mhz == 0);
    CHECK(older->table[0].instance.workspace.count == 0);
}

TEST_CASE("scan_records: CSV and Markdown") {
    auto table = sample(64);
    table[0].instance.name = "=1+1, \"x\"";
    auto const csv = to_csv(table);
    CHECK(csv.starts_with("engine,device,date,settings,status,instance,operation,m,n,k,"));
    CHECK(csv.find(",\"'=1+1, \"\"x\"\"\",gemm,64,64,64,") != std::string::npos);
    table[0].instance.name = "a|b";
    table[0].instance.time = lkt::seconds{1e-9};
    CHECK(to_markdown(table).find("| a\\|b | 1 ns |") != std::string::npos);
    CHECK(to_markdown(lkt::compare(table, table)).find("speed-ups 1\n") != std::string::npos);
    CHECK(to_markdown(table).find("no instance is right") == std::string::npos);
    for (auto& row : table) {
        row.instance.verdict = lkt::scan_verdict::wrong;
        row.message = "element 3 is 1 instead of 2";
    }
    auto const none = to_markdown(table);
    auto const said = none.find("no instance is right: element 3 is 1 instead of 2");
    CHECK(said != std::string::npos);
    CHECK(none.find("no instance is right", said + 1) == std::string::npos); // once
}

TEST_CASE("scan_records: each operation reads back as it was; columns of a mixed table") {
    lkt::simulated_engine engine;
    lkt::scan_spec const specs[] = {
        lkt::gemm_spec::make({.m = 4, .n = 8, .k = 16, .type = lkt::gemm_type::f16, .gap = 3})
            .value(),
        lkt::convolution_spec::make({.n = 1,
                                     .c = 4,
                                     .h = 9,
                                     .w = 8,
                                     .k = 6,
                                     .r = 3,
                                     .s = 2,
                                     .stride = 2,
                                     .padding = 1,
                                     .groups = 2,
                                     .type = lkt::gemm_type::f16,
                                     .output = lkt::gemm_type::f32,
                                     .layout = lkt::image_layout::nhwc})
            .value(),
        lkt::elementwise_spec::make({.elements = 10, .function = lkt::elementwise_function::gelu})
            .value(),
        lkt::elementwise_spec::make(
            {.elements = 10, .inputs = 5, .flops = 8, .function = lkt::elementwise_function::other})
            .value(),
        lkt::gemm_spec::make({.m = 4,
                              .n = 8,
                              .k = 16,
                              .type = lkt::gemm_type::f16,
                              .epilogue = lkt::gemm_epilogue::gelu_bias})
            .value()};
    lkt::scan_table table;
    for (auto const& spec : specs)
        for (auto& row : lkt::rows_of("simulated", spec, engine.measure(spec).value(), "", nullptr))
            table.push_back(std::move(row));
    auto const text = lines_of(table);
    auto const read = lkt::read_json_lines(text);
    REQUIRE(read.has_value());
    for (std::size_t i = 0; i < table.size(); ++i) CHECK(read->table[i].spec == table[i].spec);
    CHECK(to_markdown(read->table) == to_markdown(table));
    // A row has its own fields; a table of several operations has all columns, each once.
    CHECK(text.substr(0, text.find('\n')).find("\"padding\"") == text.npos);
    auto const csv = to_csv(table);
    auto const header = csv.substr(0, csv.find('\n'));
    for (std::string const field :
         {",m,", ",stride_a,", ",c,", ",padding,", ",layout,", ",function,", ",verdict,"})
        CHECK(header.find(field) == header.rfind(field));
    auto const commas = std::count(header.begin(), header.end(), ',');
    for (std::size_t at = 0; at < csv.size();) {
        auto const line = csv.substr(at, csv.find('\n', at) - at);
        CHECK(std::count(line.begin(), line.end(), ',') == commas);
        at += line.size() + 1;
    }
    // Before there were other operations, and epilogues, no line named one.
    auto older = to_json_line(table[0]);
    for (std::string const field : {"\"operation\":", "\"epilogue\":"}) {
        auto const at = older.find(field);
        older.erase(at, older.find(',', at) + 1 - at);
    }
    auto const rows = older.find("\"product_rows\":") + 15;
    older.replace(rows, older.find(',', rows) - rows, "1");
    CHECK(lkt::read_json_lines(older)->table.at(0).spec == table[0].spec);
    auto other = text;
    other.replace(other.find("\"gemm\""), 6, "\"sort\"");
    CHECK(lkt::read_json_lines(other).error().message.find("no operation `sort`") !=
          std::string::npos);
    other = text;
    other.replace(other.find("\"gelu_bias\""), 11, "\"gelu_bia\"");
    CHECK(lkt::read_json_lines(other).error().message.find("no epilogue `gelu_bia`") !=
          std::string::npos);
}
