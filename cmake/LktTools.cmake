# SPDX-License-Identifier: BSL-1.0
# The two installed programs. Each appears with its source.

file(GLOB lkt_worker_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_worker.cpp")
if(lkt_worker_sources)
    lkt_add_program(lkt-worker ${lkt_worker_sources})
    add_executable(lkt::worker ALIAS lkt-worker)
    set_target_properties(lkt-worker PROPERTIES EXPORT_NAME worker)
endif()

file(GLOB lkt_tune_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_tune/*.cpp")
if(lkt_tune_sources)
    lkt_add_program(lkt-tune ${lkt_tune_sources})
    target_link_libraries(lkt-tune PRIVATE Boost::program_options)
    target_include_directories(lkt-tune PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/apps/lkt_tune")
endif()
