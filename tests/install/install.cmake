# SPDX-License-Identifier: BSL-1.0
# cmake -D build=... -D prefix=... -D source=... -P install.cmake: installs, and compares with the tree.
file(REMOVE_RECURSE "${prefix}")
execute_process(COMMAND ${CMAKE_COMMAND} --install "${build}" --prefix "${prefix}"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

file(GLOB_RECURSE wanted RELATIVE "${source}/include" "${source}/include/lkt/*.hpp" "${source}/include/lkt/*.ipp")
file(GLOB_RECURSE installed RELATIVE "${prefix}/include" "${prefix}/include/*")
list(SORT wanted)
list(SORT installed)
if(NOT wanted OR NOT wanted STREQUAL installed)
    message(FATAL_ERROR "The headers that were installed are not those of the tree:\n${wanted}\n${installed}")
endif()
foreach(program IN ITEMS "worker;apps/lkt_worker.cpp" "tune;apps/lkt_tune" "verify;apps/lkt_verify" "attack;apps/lkt_attack"
    "scan;apps/lkt_scan" "store;apps/lkt_store")
    list(GET program 0 name)
    list(GET program 1 sources)
    if(EXISTS "${source}/${sources}" AND NOT EXISTS "${prefix}/bin/lkt-${name}")
        message(FATAL_ERROR "lkt-${name} was not installed")
    endif()
endforeach()
list(LENGTH installed count)
message(STATUS "${count} headers installed")
