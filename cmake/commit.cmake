# SPDX-License-Identifier: Apache-2.0
# Writes FILE, which defines muster::kCommit: the commit of the sources in SOURCE, 12 digits; with "+" if tracked files differ from it;
# empty outside a git checkout. The file is written only if its text changes. Run as a script at each build.
execute_process(COMMAND git -C ${SOURCE} describe --always --exclude=* --abbrev=12 --dirty=+
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  set(commit "")
endif()
set(text "#include \"launcher/command/commit.h\"\n\nconst char* const muster::kCommit = \"${commit}\";\n")
set(old "")
if(EXISTS ${FILE})
  file(READ ${FILE} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${FILE} "${text}")
endif()
