# SPDX-License-Identifier: Apache-2.0
# Copies the libraries of libmuster_gloo.so beside it: libgloo and its dependencies, except those of glibc. Run as a script:
#   cmake -DPLUGIN=…/libmuster_gloo.so -DFOLDER=… -DPATCHELF=… -P bundle.cmake
#
# The copies find each other by RUNPATH $ORIGIN, which patchelf writes into them (Debian's libraries have none). Loading each
# with dlopen and RTLD_GLOBAL instead would put their symbols, with those of a second libstdc++, before those of the program.
execute_process(COMMAND ldd ${PLUGIN} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
# Part of every glibc system; a copy of these would not match the system's dynamic loader.
set(of_the_system "^(libc|libm|libdl|librt|libpthread|ld-linux.*|linux-vdso)\\.so")
string(REPLACE "\n" ";" lines "${lines}")
file(MAKE_DIRECTORY ${FOLDER})
foreach(line IN LISTS lines)
  if(line MATCHES "^[ \t]*([^ ]+) => not found")
    message(FATAL_ERROR "bundle: ${CMAKE_MATCH_1}, which ${PLUGIN} needs, was not found")
  endif()
  if(NOT line MATCHES "^[ \t]*([^ /]+) => (/[^ ]+)")
    continue()
  endif()
  set(name ${CMAKE_MATCH_1})
  set(found ${CMAKE_MATCH_2})
  if(name MATCHES "${of_the_system}")
    continue()
  endif()
  file(REAL_PATH ${found} source)
  set(copy ${FOLDER}/${name})
  if(source STREQUAL copy)
    continue()
  endif()
  file(COPY_FILE ${source} ${copy})
  file(CHMOD ${copy} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  execute_process(COMMAND ${PATCHELF} --set-rpath "\$ORIGIN" ${copy} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
