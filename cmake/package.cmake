# `cpack` in the build directory makes Debian packages of the three parts, named and divided as Debian's own are: who runs the program
# needs no Python, and who imports the module needs no headers.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "dppl maintainers <maintainers@dppl.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME dppl)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "The program: makes a classifier that may be published of a small, sensitive,\nlabelled data set and a publicly pre-trained encoder.")

# What find_package(dppl) asks for (cmake/dependencies.cmake).
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libdppl-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
  "pkg-config, libgmp-dev, libmpfr-dev, libmpfi-dev, libsodium-dev, libsqlite3-dev, libdnnl-dev, libjpeg-dev, libpng-dev, zlib1g-dev")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The C++ library: static libraries, headers and find_package(dppl).")

if(TARGET dppl_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-dppl)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  # An extension module is for one version of Python.
  math(EXPR next "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy, python3-sklearn")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-cryptography, python3-distributed, python3-matplotlib, python3-pandas, python3-tqdm")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/postinst;${PROJECT_SOURCE_DIR}/cmake/debian/prerm")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "The Python module: an estimator for scikit-learn, the ledger of what data sets\nhave spent, and conversions between notions of privacy.")
endif()

set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/tidy-package.cmake)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES LICENSE DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} RENAME copyright COMPONENT ${component})
endforeach()
include(CPack)
