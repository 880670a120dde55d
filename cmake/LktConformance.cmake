# SPDX-License-Identifier: BSL-1.0
# The suites that models of lkt's concepts have to pass, for those of your own. They need doctest, which you bring.
#
# lkt::conformance: folders with llm/, search/ and verify/conformance.hpp, templates that check a model.
# lkt::backend_conformance: also the sources of a program that checks a back end; the program defines
# `conformance::tested()` (gpu/conformance/tested_backend.hpp).

# lkt_add_conformance(FOLDER): where the suites lie.
function(lkt_add_conformance folder)
    if(TARGET lkt::conformance)
        return()
    endif()
    add_library(lkt::conformance INTERFACE IMPORTED GLOBAL)
    target_include_directories(lkt::conformance INTERFACE "${folder}")
    target_link_libraries(lkt::conformance INTERFACE lkt::lkt)
    add_library(lkt::backend_conformance INTERFACE IMPORTED GLOBAL)
    set(suite "${folder}/gpu/conformance")
    file(GLOB sources CONFIGURE_DEPENDS "${suite}/kernels/*.cpp" "${suite}/behaviour/*.cpp")
    target_sources(lkt::backend_conformance INTERFACE
        ${sources} "${suite}/main.cpp" "${suite}/against_references.cpp" "${suite}/kernel_case.cpp")
    target_link_libraries(lkt::backend_conformance INTERFACE lkt::conformance)
endfunction()
