// SPDX-License-Identifier: BSL-1.0
// A program of somebody who uses lkt.
#include <lkt/core/result.hpp>
#include <lkt/version.hpp>

#include <boost/json.hpp>
#include <iostream>

int main() {
    // The library's own type, and an archive that lkt::lkt must have brought along.
    lkt::result<boost::json::value> const value = boost::json::parse(R"({"lkt": true})");
    if (!value || !value->at("lkt").as_bool()) return 1;
    std::cout << "lkt " << lkt::version << '\n';
}
