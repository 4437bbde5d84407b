# What the library needs beside flatbuffers. The tool, the tests and the benchmarks find their own.
find_package(absl REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(nlohmann_json REQUIRED)
find_path(PTE_XXHASH_INCLUDE xxhash.h REQUIRED)
