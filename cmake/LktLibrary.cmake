# SPDX-License-Identifier: BSL-1.0
# lkt::headers, the headers and what they link, and lkt::lkt, which everybody links.

set(lkt_include_dir "${CMAKE_CURRENT_SOURCE_DIR}/include")
file(GLOB_RECURSE lkt_headers CONFIGURE_DEPENDS "${lkt_include_dir}/lkt/*.hpp")
file(GLOB_RECURSE lkt_header_parts CONFIGURE_DEPENDS "${lkt_include_dir}/lkt/*.ipp")
add_library(lkt INTERFACE)
add_library(lkt::headers ALIAS lkt)
set_target_properties(lkt PROPERTIES EXPORT_NAME headers)
target_compile_features(lkt INTERFACE cxx_std_20)
target_sources(lkt INTERFACE
    FILE_SET HEADERS BASE_DIRS "${lkt_include_dir}" FILES ${lkt_headers} ${lkt_header_parts})
target_link_libraries(lkt INTERFACE
    Boost::headers Boost::json Boost::context Threads::Threads ${CMAKE_DL_LIBS})

include(LktDefinitions)
lkt_add_definitions("${lkt_include_dir}")

include(LktConformance)
lkt_add_conformance("${CMAKE_CURRENT_SOURCE_DIR}/tests")

include(LktHttp)
lkt_add_http()
if(lkt_http_missing AND PROJECT_IS_TOP_LEVEL)
    message(STATUS "${lkt_http_missing}")
endif()
