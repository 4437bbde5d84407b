# Builds the stranger's project and reads a program with it: cmake -DMODE=package|subdirectory ... -P run.cmake
#   PTE_SOURCE PTE_BUILD  the library     WORK  a folder to build in, emptied first     FIXTURE METHODS  a program and what it must print
#   OPTIONS               further options of the configure step
cmake_minimum_required(VERSION 3.23)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK}")
if(MODE STREQUAL "package")
  run("${CMAKE_COMMAND}" --install "${PTE_BUILD}" --prefix "${WORK}/prefix")
  set(library "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
else()
  set(library "-DPTE_SOURCE=${PTE_SOURCE}")
endif()
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build" ${library} ${OPTIONS})
run("${CMAKE_COMMAND}" --build "${WORK}/build")

execute_process(COMMAND "${WORK}/build/methods" "${FIXTURE}" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" " " output "${output}")
string(STRIP "${output}" output)
if(NOT output STREQUAL METHODS)
  message(FATAL_ERROR "wanted the methods ${METHODS}, found ${output}")
endif()
