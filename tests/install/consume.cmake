# SPDX-License-Identifier: BSL-1.0
# Configures, builds and runs a project that uses lkt; with `refusal`, configuring must fail and say that. With `source`,
# a subproject: of what its build would compile, the consumer and lkt's smallest layer are. With `layers`, only their
# definitions are compiled: install.cmake has seen that the headers are those of the tree, which compiles all of them.
file(REMOVE_RECURSE "${build}")
string(REPLACE "|" ";" prefix_path "${prefixes}")
if(prefix)
    list(PREPEND prefix_path "${prefix}")
endif()
set(arguments -S "${project}" -B "${build}" -G "${generator}"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_FLAGS=-O0" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "-DBoost_USE_STATIC_LIBS=ON")
if(source)
    list(APPEND arguments "-DLKT_SOURCE=${source}")
endif()
string(REPLACE "|" ";" layers "${layers}")

# The list of prefixes goes as one argument.
execute_process(COMMAND ${CMAKE_COMMAND} ${arguments} "-DCMAKE_PREFIX_PATH=${prefix_path}"
    "-DLKT_DEFINED_LAYERS=${layers}"
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
if(NOT source)
    execute_process(COMMAND ${CMAKE_COMMAND} --build "${build}" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${build}/consumer" COMMAND_ERROR_IS_FATAL ANY)
    return()
endif()

# A subproject brings lkt::lkt, and neither programs nor tests.
if(EXISTS "${build}/lkt/CTestTestfile.cmake")
    message(FATAL_ERROR "As a subproject lkt has tests")
endif()
file(READ "${build}/compile_commands.json" commands)
string(JSON count LENGTH "${commands}")
set(compiled 0)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
    string(JSON file GET "${commands}" ${i} file)
    if(NOT file MATCHES "/(consumer|lkt_definitions/[a-z_]+)[.]cpp$")
        message(FATAL_ERROR "As a subproject lkt compiles more than its definitions: ${file}")
    elseif(file MATCHES "/(consumer|core)[.]cpp$")
        string(JSON command GET "${commands}" ${i} command)
        string(JSON folder GET "${commands}" ${i} directory)
        execute_process(COMMAND sh -c "${command}" WORKING_DIRECTORY "${folder}" COMMAND_ERROR_IS_FATAL ANY)
        math(EXPR compiled "${compiled} + 1")
    endif()
endforeach()
if(NOT compiled EQUAL 2)
    message(FATAL_ERROR "${compiled} of the consumer's file and lkt's core were compiled: ${commands}")
endif()
