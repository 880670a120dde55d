# SPDX-License-Identifier: BSL-1.0
# lkt::lkt, the headers and what they link.

file(GLOB_RECURSE lkt_headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/include/lkt/*.hpp")
add_library(lkt INTERFACE)
add_library(lkt::lkt ALIAS lkt)
target_compile_features(lkt INTERFACE cxx_std_20)
target_sources(lkt INTERFACE
    FILE_SET HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include" FILES ${lkt_headers})
target_link_libraries(lkt INTERFACE
    Boost::headers Boost::json Boost::context Threads::Threads ${CMAKE_DL_LIBS})
