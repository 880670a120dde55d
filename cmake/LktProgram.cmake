# SPDX-License-Identifier: BSL-1.0
# How this repository's own programs are compiled; nothing here reaches a user of lkt::lkt.

# -Werror only on the compilers that the tests run on: a newer one may warn about anything.
set(lkt_werror_default OFF)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    string(REGEX MATCH "^[0-9]+" lkt_compiler_major "${CMAKE_CXX_COMPILER_VERSION}")
    if("${CMAKE_CXX_COMPILER_ID} ${lkt_compiler_major}" MATCHES "^(GNU 12|Clang 16|Clang 19)$")
        set(lkt_werror_default ON)
    endif()
endif()
option(LKT_WERROR "Turn warnings into errors" ${lkt_werror_default})
set(LKT_SANITIZE "" CACHE STRING "Value of -fsanitize= for the programs of this repository")

add_library(lkt_options INTERFACE)
target_compile_options(lkt_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${LKT_WERROR}>:-Werror>)
# g++ collects garbage when its heap has grown by some tenth of a gigabyte, which takes a tenth of its time.
target_compile_options(lkt_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
# Some seventy programs are linked, each with all of lkt: by the quickest linker there is.
if(NOT LKT_SANITIZE)
    include(CheckLinkerFlag)
    foreach(lkt_linker IN ITEMS lld gold)
        check_linker_flag(CXX -fuse-ld=${lkt_linker} lkt_links_with_${lkt_linker})
        if(lkt_links_with_${lkt_linker})
            target_link_options(lkt_options INTERFACE -fuse-ld=${lkt_linker})
            break()
        endif()
    endforeach()
endif()
if(LKT_SANITIZE)
    target_compile_options(lkt_options INTERFACE
        -fsanitize=${LKT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(lkt_options INTERFACE -fsanitize=${LKT_SANITIZE})
endif()
foreach(lkt_compiled IN ITEMS lkt_definitions lkt_http)
    if(TARGET ${lkt_compiled})
        target_link_libraries(${lkt_compiled} PRIVATE lkt_options)
    endif()
endforeach()
# Inputs are drawn and outputs compared element by element, and the host back end fills the memory of kernels, runs their
# threads and watches their accesses: without optimisation twenty times as slow, most of what the tests would do. With -O2
# they are no quicker, and compiling takes half as long again.
foreach(lkt_layer IN ITEMS verify scan gpu)
    set_property(SOURCE "${lkt_BINARY_DIR}/lkt_definitions/${lkt_layer}.cpp" TARGET_DIRECTORY lkt_definitions
        APPEND PROPERTY COMPILE_OPTIONS $<$<NOT:$<CONFIG:Release,RelWithDebInfo>>:-O1>)
endforeach()
# The other layers a few in one go, since they include much the same headers: less than three quarters of the CPU time, and no
# group takes longer than verify. -DCMAKE_UNITY_BUILD=OFF compiles each alone.
if(NOT DEFINED CMAKE_UNITY_BUILD)
    set(lkt_together_below core graph kernel lang lang_cuda lang_diagnostics lang_expression lang_wgsl)
    set(lkt_together_devices gpu_cuda gpu_device gpu_hip gpu_webgpu lang_wgsl_as_cpp)
    set(lkt_together_runs evaluate llm problems process report search store strategies)
    foreach(lkt_group IN ITEMS below devices runs)
        list(TRANSFORM lkt_together_${lkt_group}
            REPLACE "^(.+)$" "${lkt_BINARY_DIR}/lkt_definitions/\\1.cpp" OUTPUT_VARIABLE lkt_grouped)
        set_property(SOURCE ${lkt_grouped} TARGET_DIRECTORY lkt_definitions PROPERTY UNITY_GROUP ${lkt_group})
    endforeach()
    set_target_properties(lkt_definitions PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endif()
add_library(lkt_program INTERFACE)
target_link_libraries(lkt_program INTERFACE lkt::lkt lkt_options)

# Where scripts/lib/setup.sh puts the WebGPU library and its headers.
set(lkt_wgpu "${lkt_SOURCE_DIR}/build/deps/wgpu")

# lkt_add_program(NAME SOURCE...): an executable under the rules above. C++20 without extensions. It finds that library,
# for which it asks the dynamic loader.
function(lkt_add_program name)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE lkt_program)
    set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF BUILD_RPATH "${lkt_wgpu}/lib")
endfunction()
