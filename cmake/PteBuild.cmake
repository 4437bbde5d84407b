# Compiler settings that every target of the project shares: pte_target(NAME) applies them.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

set(PTE_WARNINGS -Wall -Wextra -Wconversion -Wshadow)
if(PTE_WERROR)
  list(APPEND PTE_WARNINGS -Werror)
endif()

set(PTE_INSTRUMENT)
if(PTE_SANITIZE)
  list(APPEND PTE_INSTRUMENT -fsanitize=${PTE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
if(PTE_COVERAGE)
  list(APPEND PTE_INSTRUMENT --coverage)
endif()
# What a fuzzer sees. Programs of tests do without: compiling them takes a tenth longer with it.
set(PTE_FUZZ_INSTRUMENT)
if(PTE_FUZZ)
  set(PTE_FUZZ_INSTRUMENT -fsanitize=fuzzer-no-link
    "-fsanitize-coverage-ignorelist=${CMAKE_CURRENT_LIST_DIR}/fuzz_ignorelist.txt")
endif()

# With a second argument, NOT_FUZZED, without the instruments of fuzzing.
function(pte_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_options(${name} PRIVATE ${PTE_WARNINGS} ${PTE_INSTRUMENT})
  target_link_options(${name} PRIVATE ${PTE_INSTRUMENT})
  if(NOT "NOT_FUZZED" IN_LIST ARGN)
    target_compile_options(${name} PRIVATE ${PTE_FUZZ_INSTRUMENT})
    target_link_options(${name} PRIVATE ${PTE_FUZZ_INSTRUMENT})
  endif()
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()
