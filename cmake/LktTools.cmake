# SPDX-License-Identifier: BSL-1.0
# The installed programs. Each appears with its source.

file(GLOB lkt_worker_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_worker.cpp")
if(lkt_worker_sources)
    lkt_add_program(lkt-worker ${lkt_worker_sources})
    add_executable(lkt::worker ALIAS lkt-worker)
    set_target_properties(lkt-worker PROPERTIES EXPORT_NAME worker)
endif()

# The command lines: lkt-tune, lkt-verify, lkt-attack, lkt-scan and lkt-store, and what they share, compiled once.
file(GLOB lkt_common_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/apps/common/*.cpp")
add_library(lkt_common OBJECT ${lkt_common_sources})
target_link_libraries(lkt_common PUBLIC lkt_program Boost::program_options)
set_target_properties(lkt_common PROPERTIES CXX_EXTENSIONS OFF)
foreach(lkt_program tune verify attack scan store)
    file(GLOB lkt_program_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_${lkt_program}/*.cpp")
    if(lkt_program_sources)
        lkt_add_program(lkt-${lkt_program} ${lkt_program_sources})
        target_link_libraries(lkt-${lkt_program} PRIVATE lkt_common)
    endif()
endforeach()
# Those that ask models.
if(TARGET lkt-attack)
    target_sources(lkt-attack PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_tune/model.cpp"
        "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_tune/limits.cpp")
endif()
foreach(lkt_program lkt-tune lkt-attack)
    if(TARGET ${lkt_program} AND TARGET lkt::http)
        target_sources(${lkt_program} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_tune/servers/servers.cpp")
        target_link_libraries(${lkt_program} PRIVATE lkt::http)
    elseif(TARGET ${lkt_program})
        target_sources(${lkt_program} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_tune/servers/none.cpp")
    endif()
endforeach()
