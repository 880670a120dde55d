# SPDX-License-Identifier: BSL-1.0
# lkt::lkt: lkt::headers, with what <lkt/src.hpp> holds compiled once in the project that uses it, by its compiler and
# under its options. In the source tree and in an installation alike, which brings headers alone.
# LKT_DEFINED_LAYERS (a list; empty: all): tests that need only some of them set it.

function(lkt_add_definitions include_dir)
    if(TARGET lkt_definitions)
        return()
    endif()
    # A layer each, so that they are compiled side by side.
    file(GLOB layers RELATIVE "${include_dir}/lkt" CONFIGURE_DEPENDS
        "${include_dir}/lkt/*/src.hpp" "${include_dir}/lkt/*/*/src.hpp")
    list(REMOVE_ITEM layers llm/http/src.hpp) # see LktHttp.cmake
    if(LKT_DEFINED_LAYERS)
        list(JOIN LKT_DEFINED_LAYERS "|" some)
        list(FILTER layers INCLUDE REGEX "^(${some})/")
    endif()
    set(sources)
    foreach(layer IN LISTS layers)
        cmake_path(GET layer PARENT_PATH layer)
        string(REPLACE "/" "_" name "${layer}")
        set(source "${CMAKE_CURRENT_BINARY_DIR}/lkt_definitions/${name}.cpp")
        file(CONFIGURE OUTPUT "${source}" CONTENT "#include <lkt/${layer}/src.hpp>\n")
        list(APPEND sources "${source}")
    endforeach()
    add_library(lkt_definitions STATIC EXCLUDE_FROM_ALL ${sources})
    add_library(lkt::lkt ALIAS lkt_definitions)
    target_link_libraries(lkt_definitions PUBLIC lkt::headers)
    set_target_properties(lkt_definitions PROPERTIES
        POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF OUTPUT_NAME lkt)
endfunction()
