# SPDX-License-Identifier: Apache-2.0
# Run at each build: asks git which commit this is and writes OUTPUT from INPUT; configure_file leaves an equal file
# alone, so that nothing is compiled again unless the answer changed.
set(HOGWILD_COMMIT "unknown")
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE answer RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0 AND answer)
    set(HOGWILD_COMMIT "${answer}")
  endif()
endif()
configure_file("${INPUT}" "${OUTPUT}" @ONLY)
