# SPDX-License-Identifier: Apache-2.0
# muster_folder(DEPENDS a/b … TEST_DEPENDS … LIBRARIES x … TEST_LIBRARIES …): builds one folder as one static library. The
# folder core/job/plan becomes the target muster_core_job_plan (alias muster::core_job_plan) with its *.cc; its *_test.cc become
# one test program, core_job_plan_test. DEPENDS lists the folders of this tree that its headers and sources include;
# TEST_DEPENDS lists those that only its tests include. test/layering compares both with the includes and rejects cycles.
# LIBRARIES are third-party libraries and stay private. If a folder has no sources, the target provides only its headers.
#
# Sources are compiled in groups (CMake's unity build), because most of the compile time goes into shared headers.

set(MUSTER_UNITY_GROUP 10 CACHE STRING "Number of sources that are compiled together; 1: each separately")

function(muster_flags target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Werror -Wno-missing-field-initializers)
  # False warnings of GCC 12 when it optimizes: overlaps in `"text" + std::string` (GCC bug 105651), and strings in inactive
  # alternatives of a variant (bug 105562).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
  endif()
  if(MUSTER_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${MUSTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${MUSTER_SANITIZE})
  endif()
  if(MUSTER_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
  endif()
  if(MUSTER_UNITY_GROUP GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${MUSTER_UNITY_GROUP})
  endif()
endfunction()

# core/job/plan → muster::core_job_plan
function(muster_targets result)
  string(REPLACE "/" "_" names "${ARGN}")
  list(TRANSFORM names PREPEND muster::)
  set(${result} ${names} PARENT_SCOPE)
endfunction()

function(muster_folder)
  cmake_parse_arguments(arg "" "" "DEPENDS;TEST_DEPENDS;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name ${folder})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cc$")
  muster_targets(depends ${arg_DEPENDS})
  if(sources)
    add_library(muster_${name} STATIC ${sources})
    muster_flags(muster_${name})
    target_link_libraries(muster_${name} PUBLIC ${depends} PRIVATE ${arg_LIBRARIES})
    # Code that runs once per command is optimized for size: the program is smaller to send to hosts and to load.
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND folder MATCHES "^(launcher|backends|core/client)")
      target_compile_options(muster_${name} PRIVATE -Os)
    endif()
  else()
    add_library(muster_${name} INTERFACE)
    target_include_directories(muster_${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(muster_${name} INTERFACE ${depends})
  endif()
  add_library(muster::${name} ALIAS muster_${name})
  if(tests AND NOT MUSTER_FUZZ)
    muster_test(${name}_test SOURCES ${tests} DEPENDS ${folder} ${arg_TEST_DEPENDS} LABELS unit
                LIBRARIES ${arg_LIBRARIES} ${arg_TEST_LIBRARIES})
    # Only folders without gRPC are built for ThreadSanitizer: Debian's gRPC is not instrumented, so its races could not be
    # distinguished from ours.
    if(folder MATCHES "^(core/(base|rank|job|framework|machine|journal|attempt|output|agent|coordinator|controller)|test/sim)" OR
       folder MATCHES "^core/system/(asio|nvml|spdlog|store)")
      add_dependencies(tsan_tests ${name}_test)
    endif()
  endif()
endfunction()

add_custom_target(tsan_tests)

# A GoogleTest program; each of its cases becomes one ctest test. The target LABEL_tests is all programs of a label.
function(muster_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LABELS;LIBRARIES" ${ARGN})
  muster_targets(depends ${arg_DEPENDS})
  add_executable(${name} ${arg_SOURCES})
  muster_flags(${name})
  target_compile_definitions(${name} PRIVATE MUSTER_SOURCE_DIR="${PROJECT_SOURCE_DIR}" MUSTER_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${depends} ${arg_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main)
  set(timeout 300)
  if(MUSTER_SANITIZE)
    set(timeout 1200)  # a sanitizer makes random histories several times slower
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${timeout})
  foreach(label ${arg_LABELS})
    if(NOT TARGET ${label}_tests)
      add_custom_target(${label}_tests)
    endif()
    add_dependencies(${label}_tests ${name})
  endforeach()
endfunction()

# A libFuzzer program over one parser (only in the `fuzz` preset).
function(muster_fuzzer name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  if(MUSTER_FUZZ)
    muster_targets(depends ${arg_DEPENDS})
    add_executable(${name} ${arg_SOURCES})
    muster_flags(${name})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name} PRIVATE ${depends} ${arg_LIBRARIES})
    add_dependencies(fuzzers ${name})
  endif()
endfunction()

add_custom_target(fuzzers)
