# Three parts that are installed together or one at a time (cmake --install build --component NAME): program, library, and python
# where the module is built.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dppl)

set_target_properties(dppl_core PROPERTIES EXPORT_NAME core)
set_target_properties(dppl_lab PROPERTIES EXPORT_NAME lab)
install(TARGETS dppl_cli COMPONENT program)
install(TARGETS dppl_core dppl dppl_lab EXPORT dppl-targets COMPONENT library)
install(DIRECTORY include/dppl TYPE INCLUDE COMPONENT library)
install(EXPORT dppl-targets NAMESPACE dppl:: DESTINATION ${package_dir} COMPONENT library)
write_basic_package_version_file(dppl-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/dppl-config.cmake cmake/dependencies.cmake ${PROJECT_BINARY_DIR}/dppl-config-version.cmake DESTINATION ${package_dir}
  COMPONENT library)
