# SPDX-License-Identifier: Apache-2.0
# Third-party libraries, all from Debian 12 (scripts/packages.txt). MUSTER_STATIC links their static archives, so that the
# release binary needs only libc and libm.

include(GoogleTest)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
find_program(PROTOC protoc REQUIRED)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)

set(archive_folder /usr/lib/${CMAKE_CXX_LIBRARY_ARCHITECTURE})

# dependency(NAME SHARED -lx … STATIC -lx …): an interface target deps::NAME. The archives are one link item with file names:
# CMake removes repeated items, so a second -Wl,-Bstatic … -Wl,-Bdynamic would lose its options.
function(dependency name)
  cmake_parse_arguments(arg "" "" "SHARED;STATIC" ${ARGN})
  add_library(deps_${name} INTERFACE)
  add_library(deps::${name} ALIAS deps_${name})
  if(MUSTER_STATIC)
    list(TRANSFORM arg_STATIC REPLACE "^-l(.+)$" "-l:lib\\1.a")
    list(JOIN arg_STATIC "," archives)
    target_link_libraries(deps_${name} INTERFACE -Wl,--start-group,${archives},--end-group)
  else()
    target_link_libraries(deps_${name} INTERFACE ${arg_SHARED})
  endif()
endfunction()

find_program(PKG_CONFIG pkg-config REQUIRED)
execute_process(COMMAND ${PKG_CONFIG} --static --libs-only-l grpc++ protobuf
                OUTPUT_VARIABLE grpc_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[ \n]+" ";" grpc_archives "${grpc_archives}")
list(REMOVE_DUPLICATES grpc_archives)
# These are parts of glibc 2.36 itself.
list(REMOVE_ITEM grpc_archives -lpthread -ldl -lrt -lm)

dependency(grpc SHARED -lgrpc++ -lgrpc -lgpr -lprotobuf -labsl_synchronization STATIC ${grpc_archives})
dependency(yaml SHARED -lyaml-cpp STATIC -lyaml-cpp)
dependency(sqlite SHARED -lsqlite3 STATIC -lsqlite3)
dependency(zlib SHARED -lz STATIC -lz)
dependency(elf SHARED -lelf STATIC -lelf -lz)
dependency(zstd SHARED -lzstd STATIC -lzstd)
dependency(crypto SHARED -lcrypto STATIC -lcrypto)
dependency(hwloc SHARED -lhwloc STATIC -lhwloc)

if(MUSTER_STATIC)
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
  add_compile_options(-ffunction-sections -fdata-sections)
endif()

# spdlog and fmt are used header-only, because Debian has no static libraries of them.
add_library(deps_spdlog INTERFACE)
add_library(deps::spdlog ALIAS deps_spdlog)
target_compile_definitions(deps_spdlog INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
