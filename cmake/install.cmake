# cmake --install build/release --prefix P: the program (component `program`), and libmuster with headers and CMake package (component `worker`).
include(CMakePackageConfigHelpers)

install(TARGETS muster RUNTIME DESTINATION bin COMPONENT program)
install(TARGETS muster_worker EXPORT muster LIBRARY DESTINATION lib COMPONENT worker)
install(DIRECTORY core/worker/include/muster DESTINATION include COMPONENT worker)
install(EXPORT muster FILE muster-targets.cmake NAMESPACE muster:: DESTINATION lib/cmake/muster COMPONENT worker)
if(MUSTER_GLOO_BUNDLE)
  install(DIRECTORY ${MUSTER_GLOO_BUNDLE}/ DESTINATION lib COMPONENT worker)  # with the libraries it needs
elseif(TARGET muster_gloo)
  install(TARGETS muster_gloo LIBRARY DESTINATION lib COMPONENT worker)
endif()
# 0.x: each minor version may change the C++ face; the C functions only grow.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/muster-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/muster-config.cmake ${PROJECT_BINARY_DIR}/muster-config-version.cmake DESTINATION lib/cmake/muster COMPONENT worker)
