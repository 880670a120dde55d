# SPDX-License-Identifier: BSL-1.0
# Headers, the programs, and what find_package(lkt) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(lkt_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lkt")
install(TARGETS lkt EXPORT lkt-targets FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT lkt-targets NAMESPACE lkt:: DESTINATION "${lkt_config_dir}")

# In an export of its own, so that an installation of the headers alone is complete, too.
if(TARGET lkt-worker)
    install(TARGETS lkt-worker EXPORT lkt-worker-targets DESTINATION "${CMAKE_INSTALL_BINDIR}")
    install(EXPORT lkt-worker-targets NAMESPACE lkt:: DESTINATION "${lkt_config_dir}")
endif()
foreach(lkt_program tune verify attack scan store)
    if(TARGET lkt-${lkt_program})
        install(TARGETS lkt-${lkt_program} EXPORT lkt-${lkt_program}-targets DESTINATION "${CMAKE_INSTALL_BINDIR}")
        set_target_properties(lkt-${lkt_program} PROPERTIES EXPORT_NAME ${lkt_program})
        install(EXPORT lkt-${lkt_program}-targets NAMESPACE lkt:: DESTINATION "${lkt_config_dir}")
    endif()
endforeach()

configure_package_config_file(
    "${CMAKE_CURRENT_SOURCE_DIR}/cmake/lktConfig.cmake.in"
    "${CMAKE_CURRENT_BINARY_DIR}/lktConfig.cmake"
    INSTALL_DESTINATION "${lkt_config_dir}"
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_DATADIR
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# While the major version is 0, a minor version may break what the one before offered.
write_basic_package_version_file(
    "${CMAKE_CURRENT_BINARY_DIR}/lktConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
    "${CMAKE_CURRENT_BINARY_DIR}/lktConfig.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/lktConfigVersion.cmake"
    "${CMAKE_CURRENT_SOURCE_DIR}/cmake/LktDefinitions.cmake"
    "${CMAKE_CURRENT_SOURCE_DIR}/cmake/LktHttp.cmake"
    "${CMAKE_CURRENT_SOURCE_DIR}/cmake/LktConformance.cmake"
    DESTINATION "${lkt_config_dir}")

# The suites for models of one's own.
set(lkt_suites "${CMAKE_INSTALL_DATADIR}/lkt/conformance")
foreach(lkt_layer llm search verify gpu)
    install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/tests/${lkt_layer}/" DESTINATION "${lkt_suites}/${lkt_layer}"
        FILES_MATCHING
        REGEX "/(conformance|archetypes|support)[.]hpp$"
        REGEX "/conformance/(kernel_case|tested_backend)[.]hpp$"
        REGEX "/conformance/(main|against_references|kernel_case)[.]cpp$"
        REGEX "/conformance/(kernels|behaviour)/[a-z_]+[.][ch]pp$"
        REGEX "/(cuda|device|webgpu|hostile|http|peers|programs|data|golden)$" EXCLUDE)
endforeach()
install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
