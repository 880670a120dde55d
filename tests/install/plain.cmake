# SPDX-License-Identifier: BSL-1.0
# A program without CMake: the compiler, two files, the installed headers, Boost.Context. The file that holds all
# definitions is only preprocessed here: clang reads it as a whole elsewhere, and the package's consumer has compiled those
# that the program needs, a layer at a time, and the program links them. Without them it must not link: else this test would show nothing.
file(REMOVE_RECURSE "${build}")
file(MAKE_DIRECTORY "${build}")
string(REPLACE "|" ";" boost_includes "${boost_includes}")
list(TRANSFORM boost_includes PREPEND "-isystem;" OUTPUT_VARIABLE includes)
cmake_path(GET boost_context PARENT_PATH folder)
set(compile "${compiler}" -std=c++20 -O0 -I "${prefix}/include" ${includes})
set(libraries "${boost_context}" "-Wl,-rpath,${folder}" -pthread -ldl)

execute_process(COMMAND ${compile} -c "${project}/consumer.cpp" -o "${build}/consumer.o" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${compile} -M "${project}/plain/definitions.cpp" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${compiler}" "${build}/consumer.o" -o "${build}/incomplete" ${libraries}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(status EQUAL 0)
    message(FATAL_ERROR "The consumer uses nothing that lkt/src.hpp defines")
endif()
execute_process(COMMAND "${compiler}" "${build}/consumer.o" "${definitions}" "${boost_json}" -o "${build}/consumer"
    ${libraries} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${build}/consumer" COMMAND_ERROR_IS_FATAL ANY)
