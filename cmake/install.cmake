# SPDX-License-Identifier: Apache-2.0
# cmake --install build/release --prefix P: the program (component `program`), man pages, completions, licence and systemd user unit
# (`extras`), libmuster with headers and CMake package (`worker`). scripts/release uses `portable` in place of `program`: a program that
# also starts where the C library is older or another one (packaging/muster.sh).
include(CMakePackageConfigHelpers)

install(TARGETS muster RUNTIME DESTINATION bin COMPONENT program)
install(TARGETS muster RUNTIME DESTINATION lib/muster COMPONENT portable EXCLUDE_FROM_ALL)
install(PROGRAMS packaging/muster.sh DESTINATION bin RENAME muster COMPONENT portable EXCLUDE_FROM_ALL)
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:muster>\" RESOLVED_DEPENDENCIES_VAR found)
  foreach(library IN LISTS found)
    file(REAL_PATH \"\${library}\" source)
    get_filename_component(name \"\${library}\" NAME)
    if(name MATCHES \"^ld-linux\")
      set(name loader)
    endif()
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/muster/older/libraries\" TYPE PROGRAM FILES \"\${source}\" RENAME \"\${name}\")
  endforeach()" COMPONENT portable EXCLUDE_FROM_ALL)
# Man pages and completions come from the program itself. They are made when it is installed, so that a build does not wait for them.
install(CODE "
  set(words \"${PROJECT_BINARY_DIR}/words\")
  file(REMOVE_RECURSE \"\${words}\")
  execute_process(COMMAND \"$<TARGET_FILE:muster>\" help --man-folder \"\${words}/man\" COMMAND_ERROR_IS_FATAL ANY)
  foreach(shell bash zsh fish)
    execute_process(COMMAND \"$<TARGET_FILE:muster>\" completion \${shell} OUTPUT_FILE \"\${words}/\${shell}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  set(MUSTER \"\${CMAKE_INSTALL_PREFIX}/bin/muster\")
  configure_file(\"${PROJECT_SOURCE_DIR}/packaging/muster.service\" \"\${words}/muster.service\" @ONLY)" COMPONENT extras)
install(DIRECTORY ${PROJECT_BINARY_DIR}/words/man/ DESTINATION share/man/man1 COMPONENT extras FILES_MATCHING PATTERN "*.1")
install(DIRECTORY ${PROJECT_BINARY_DIR}/words/man/ DESTINATION share/man/man5 COMPONENT extras FILES_MATCHING PATTERN "*.5")
install(FILES ${PROJECT_BINARY_DIR}/words/bash DESTINATION share/bash-completion/completions RENAME muster COMPONENT extras)
install(FILES ${PROJECT_BINARY_DIR}/words/zsh DESTINATION share/zsh/site-functions RENAME _muster COMPONENT extras)
install(FILES ${PROJECT_BINARY_DIR}/words/fish DESTINATION share/fish/vendor_completions.d RENAME muster.fish COMPONENT extras)
install(FILES ${PROJECT_BINARY_DIR}/words/muster.service DESTINATION lib/systemd/user COMPONENT extras)
install(FILES LICENSE DESTINATION share/doc/muster RENAME copyright COMPONENT extras)
install(TARGETS muster_worker EXPORT muster LIBRARY DESTINATION lib COMPONENT worker)
install(DIRECTORY core/worker/include/muster DESTINATION include COMPONENT worker)
install(EXPORT muster FILE muster-targets.cmake NAMESPACE muster:: DESTINATION lib/cmake/muster COMPONENT worker)
if(MUSTER_GLOO_BUNDLE)
  install(DIRECTORY ${MUSTER_GLOO_BUNDLE}/ DESTINATION lib COMPONENT worker)  # with the libraries that it needs
elseif(TARGET muster_gloo)
  install(TARGETS muster_gloo LIBRARY DESTINATION lib COMPONENT worker)
endif()
# In 0.x each minor version may change the C++ interface; C functions are only added.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/muster-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/muster-config.cmake ${PROJECT_BINARY_DIR}/muster-config-version.cmake DESTINATION lib/cmake/muster COMPONENT worker)

# The Debian package, by `cpack -G DEB` (scripts/release).
set(CPACK_PACKAGE_NAME muster)
set(CPACK_PACKAGE_VENDOR "the authors of muster")
set(CPACK_PACKAGE_CONTACT "the authors of muster")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Run distributed training on one machine, over SSH and on Kubernetes")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program extras)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS openssh-client)
include(CPack)
