# cmake --install gives a package that find_package(muster CONFIG) finds.
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY MUSTER_LIBRARIES)
install(TARGETS ${libraries} EXPORT musterTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS muster_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY src/muster DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        PATTERN "test_*.h" EXCLUDE)
install(EXPORT musterTargets NAMESPACE muster:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
install(FILES cmake/MusterDependencies.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
configure_package_config_file(cmake/musterConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/musterConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/musterConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/musterConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/musterConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
