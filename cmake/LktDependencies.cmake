# SPDX-License-Identifier: BSL-1.0
# What lkt::lkt needs of others: Boost 1.81 or newer, threads, and the dynamic loader.

# scripts/lib/setup.sh unpacks Boost here where the system's own is too old.
if(PROJECT_IS_TOP_LEVEL AND IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/build/deps/usr")
    list(APPEND CMAKE_PREFIX_PATH "${CMAKE_CURRENT_SOURCE_DIR}/build/deps/usr")
endif()

# The unpacked packages hold archives only, and a static program has no library path to lose.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED Boost_USE_STATIC_LIBS)
    set(Boost_USE_STATIC_LIBS ON)
endif()

set(lkt_boost_components json context)
if(LKT_BUILD_TOOLS)
    list(APPEND lkt_boost_components program_options)
endif()
find_package(Boost 1.81 CONFIG QUIET COMPONENTS ${lkt_boost_components})
# In another project, what the set-up unpacked beside lkt's source comes after all that the project itself has.
if(NOT Boost_FOUND AND IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/build/deps/usr")
    list(APPEND CMAKE_PREFIX_PATH "${CMAKE_CURRENT_SOURCE_DIR}/build/deps/usr")
    find_package(Boost 1.81 CONFIG QUIET COMPONENTS ${lkt_boost_components})
endif()
if(NOT Boost_FOUND)
    list(JOIN lkt_boost_components ", " lkt_boost_wanted)
    message(FATAL_ERROR
        "lkt needs Boost >= 1.81 with its CMake configuration and these libraries: ${lkt_boost_wanted}\n"
        "  What was found instead: ${Boost_NOT_FOUND_MESSAGE}\n"
        "  Debian 12: apt install libboost1.81-dev libboost-{json,context,container,system,program-options,url}1.81-dev\n"
        "  Ubuntu 24.04: the same with 1.83 in the place of 1.81\n"
        "  Fedora: dnf install boost-devel boost-static\n"
        "  Without installing: scripts/test or scripts/demo unpacks it into build/deps; in another project pass that "
        "folder as -DCMAKE_PREFIX_PATH=.../build/deps\n"
        "  Elsewhere: install it, and pass its prefix as -DCMAKE_PREFIX_PATH=...")
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
