# Finds flatbuffers' headers and flatc of the same release, FLATBUFFERS_ROOT first, and generates the schema's headers.
#
# Only the headers are used, so no library of flatbuffers is linked. Any release from 2.0.8 on does.

find_path(PTE_FLATBUFFERS_INCLUDE flatbuffers/minireflect.h HINTS "${FLATBUFFERS_ROOT}/include" "$ENV{FLATBUFFERS_ROOT}/include" REQUIRED)
find_program(PTE_FLATC flatc HINTS "${FLATBUFFERS_ROOT}/bin" "$ENV{FLATBUFFERS_ROOT}/bin" REQUIRED)

add_library(pte_flatbuffers INTERFACE)
add_library(pte::flatbuffers ALIAS pte_flatbuffers)
set_target_properties(pte_flatbuffers PROPERTIES EXPORT_NAME flatbuffers)
target_include_directories(pte_flatbuffers SYSTEM INTERFACE "$<BUILD_INTERFACE:${PTE_FLATBUFFERS_INCLUDE}>")

# --force-empty: without it Pack drops empty vectors and strings, which the runtime then misses.
set(PTE_FLATC_FLAGS --cpp --cpp-std c++17 --scoped-enums --gen-object-api --force-empty --reflect-names --include-prefix pte/fb)
set(PTE_SCHEMAS scalar_type program flat_tensor bundled_program)
set(PTE_GENERATED_INCLUDE "${CMAKE_CURRENT_BINARY_DIR}/generated")
set(PTE_GENERATED_HEADERS)
foreach(schema IN LISTS PTE_SCHEMAS)
  set(input "${CMAKE_CURRENT_SOURCE_DIR}/schema/${schema}.fbs")
  set(output "${PTE_GENERATED_INCLUDE}/pte/fb/${schema}_generated.h")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${PTE_FLATC}" ${PTE_FLATC_FLAGS} -o "${PTE_GENERATED_INCLUDE}/pte/fb" "${input}"
    DEPENDS "${input}" "${CMAKE_CURRENT_SOURCE_DIR}/schema/scalar_type.fbs"
    COMMENT "Generating pte/fb/${schema}_generated.h"
    VERBATIM)
  list(APPEND PTE_GENERATED_HEADERS "${output}")
endforeach()
add_custom_target(pte_schema DEPENDS ${PTE_GENERATED_HEADERS})
