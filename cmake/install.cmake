include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dppl)

install(TARGETS dppl EXPORT dppl-targets)
install(TARGETS dppl_cli)
install(DIRECTORY include/dppl TYPE INCLUDE)
install(EXPORT dppl-targets NAMESPACE dppl:: DESTINATION ${package_dir})
write_basic_package_version_file(dppl-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/dppl-config.cmake cmake/dependencies.cmake ${PROJECT_BINARY_DIR}/dppl-config-version.cmake DESTINATION ${package_dir})
