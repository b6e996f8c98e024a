# Copies libmuster_gloo.so's libraries beside it: libgloo and what that needs, all but libc's own. Run as a script:
#   cmake -DPLUGIN=…/libmuster_gloo.so -DFOLDER=… -DPATCHELF=… -P bundle.cmake
#
# The copies find each other by RUNPATH $ORIGIN, which patchelf writes into them (Debian's have none). The other way, to dlopen each with
# RTLD_GLOBAL in order, would put their symbols, a second libstdc++'s among them, before those of the user's program.
execute_process(COMMAND ldd ${PLUGIN} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
# Part of every glibc system; a copy of these beside another kernel's loader would break the program.
set(of_the_system "^(libc|libm|libdl|librt|libpthread|ld-linux.*|linux-vdso)\\.so")
string(REPLACE "\n" ";" lines "${lines}")
file(MAKE_DIRECTORY ${FOLDER})
foreach(line IN LISTS lines)
  if(line MATCHES "^[ \t]*([^ ]+) => not found")
    message(FATAL_ERROR "bundle: ${CMAKE_MATCH_1}, which ${PLUGIN} needs, is not found")
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
