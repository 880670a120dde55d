# SPDX-License-Identifier: BSL-1.0
# Configures, builds and runs a project that uses lkt; with `refusal`, configuring must fail and say that.
file(REMOVE_RECURSE "${build}")
string(REPLACE "|" ";" prefix_path "${prefixes}")
if(prefix)
    list(PREPEND prefix_path "${prefix}")
endif()
set(arguments -S "${project}" -B "${build}" -G "${generator}"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_FLAGS=-O0" "-DBoost_USE_STATIC_LIBS=ON")
if(source)
    list(APPEND arguments "-DLKT_SOURCE=${source}")
endif()

# The list of prefixes goes as one argument.
execute_process(COMMAND ${CMAKE_COMMAND} ${arguments} "-DCMAKE_PREFIX_PATH=${prefix_path}"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(refusal)
    string(REGEX REPLACE "[ \n]+" " " flat "${output}")
    string(FIND "${flat}" "${refusal}" at)
    if(status EQUAL 0 OR at EQUAL -1)
        message(FATAL_ERROR "Configuring should have said '${refusal}', and said (status ${status}):\n${output}")
    endif()
    return()
endif()
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${output}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build "${build}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${build}/consumer" COMMAND_ERROR_IS_FATAL ANY)
if(source)
    # A subproject brings lkt::lkt, and neither programs nor tests.
    file(GLOB_RECURSE objects "${build}/*.o")
    list(FILTER objects EXCLUDE REGEX "/lkt_definitions[.]dir/")
    list(LENGTH objects count)
    if(NOT count EQUAL 1 OR EXISTS "${build}/lkt/CTestTestfile.cmake")
        message(FATAL_ERROR "As a subproject lkt built more than its user's one file: ${objects}")
    endif()
endif()
