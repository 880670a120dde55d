# SPDX-License-Identifier: BSL-1.0
# The installed programs. Each appears with its source.

file(GLOB lkt_worker_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_worker.cpp")
if(lkt_worker_sources)
    lkt_add_program(lkt-worker ${lkt_worker_sources})
    add_executable(lkt::worker ALIAS lkt-worker)
    set_target_properties(lkt-worker PROPERTIES EXPORT_NAME worker)
endif()

# The command lines: lkt-tune, lkt-verify and lkt-scan.
foreach(lkt_program tune verify scan)
    file(GLOB lkt_program_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_${lkt_program}/*.cpp"
        "${CMAKE_CURRENT_SOURCE_DIR}/apps/common/*.cpp")
    if(lkt_program_sources)
        lkt_add_program(lkt-${lkt_program} ${lkt_program_sources})
        target_link_libraries(lkt-${lkt_program} PRIVATE Boost::program_options)
    endif()
endforeach()
if(TARGET lkt-tune AND TARGET lkt::http)
    target_sources(lkt-tune PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_tune/servers/servers.cpp")
    target_link_libraries(lkt-tune PRIVATE lkt::http)
elseif(TARGET lkt-tune)
    target_sources(lkt-tune PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_tune/servers/none.cpp")
endif()
