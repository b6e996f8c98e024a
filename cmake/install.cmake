# cmake --install build/release --prefix P: installs the program (component `program`) and libmuster with its headers and CMake
# package (component `worker`).
include(CMakePackageConfigHelpers)

install(TARGETS muster RUNTIME DESTINATION bin COMPONENT program)
# The program itself generates manual pages and completions. This is done on installation, so that it does not slow down builds.
install(CODE "
  set(words \"${PROJECT_BINARY_DIR}/words\")
  file(REMOVE_RECURSE \"\${words}\")
  execute_process(COMMAND \"$<TARGET_FILE:muster>\" help --man-folder \"\${words}/man\" COMMAND_ERROR_IS_FATAL ANY)
  foreach(shell bash zsh fish)
    execute_process(COMMAND \"$<TARGET_FILE:muster>\" completion \${shell} OUTPUT_FILE \"\${words}/\${shell}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()" COMPONENT program)
install(DIRECTORY ${PROJECT_BINARY_DIR}/words/man/ DESTINATION share/man/man1 COMPONENT program FILES_MATCHING PATTERN "*.1")
install(DIRECTORY ${PROJECT_BINARY_DIR}/words/man/ DESTINATION share/man/man5 COMPONENT program FILES_MATCHING PATTERN "*.5")
install(FILES ${PROJECT_BINARY_DIR}/words/bash DESTINATION share/bash-completion/completions RENAME muster COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/words/zsh DESTINATION share/zsh/site-functions RENAME _muster COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/words/fish DESTINATION share/fish/vendor_completions.d RENAME muster.fish COMPONENT program)
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
