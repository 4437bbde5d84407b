# Install rules: pte::pte, its headers, the tool and the CMake package "pte".

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pte")

install(TARGETS pte pte_flatbuffers EXPORT pteTargets)
install(DIRECTORY include/pte DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES ${PTE_GENERATED_HEADERS} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/pte/fb")
install(DIRECTORY schema/ DESTINATION "${CMAKE_INSTALL_DATADIR}/pte/schema")
if(PTE_BUILD_TOOL)
  install(TARGETS pte_tool)
endif()

install(EXPORT pteTargets NAMESPACE pte:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/pteConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/pteConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/pteConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/pteConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/pteConfigVersion.cmake" DESTINATION "${package_dir}")
