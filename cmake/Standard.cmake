# What every target of this project is compiled with. Flags live in two interface targets that only
# our own code links, so that they never leak into (or from) a dependency.

option(FILECALL_WERROR "Warnings are errors" OFF)
option(FILECALL_TESTS "Build the tests" ON)
option(FILECALL_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(FILECALL_FUZZ_COUNTS "" CACHE STRING "A list of the functions that libFuzzer counts; all of them without")
option(FILECALL_TCMALLOC "Link the worker with tcmalloc; not with sanitizers, which have their own" ON)
option(FILECALL_COVERAGE "Instrument for coverage" OFF)
set(FILECALL_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")
set(FILECALL_SANITIZE_LESS "" CACHE STRING "Checks of those sanitizers that are left out, e.g. null,vptr")

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_library(filecall_settings INTERFACE)
target_compile_features(filecall_settings INTERFACE cxx_std_20)
target_include_directories(filecall_settings INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/ipc-schema)
target_compile_definitions(filecall_settings INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64
                           $<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>
                           $<$<CONFIG:Debug>:FILECALL_JSON_ONCE>)

# One set of macros for all: precompiled headers ask for it (-pthread defines _REENTRANT).
target_compile_options(filecall_settings INTERFACE -pthread)
target_link_options(filecall_settings INTERFACE -pthread)

add_library(filecall_warnings INTERFACE)
target_compile_options(filecall_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wformat=2 $<$<BOOL:${FILECALL_WERROR}>:-Werror>)

if(FILECALL_SANITIZE)
  # g++ 12 takes library code that is instrumented for uninitialised (std::regex, std::function).
  target_compile_options(filecall_warnings INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_compile_options(filecall_settings INTERFACE -fsanitize=${FILECALL_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(filecall_settings INTERFACE -fsanitize=${FILECALL_SANITIZE})
  if(FILECALL_SANITIZE MATCHES address)
    # What is counted and what stands around each variable are 670,000 addresses: a program that may
    # lie anywhere writes them all at each start, which is a quarter of the time of a short one.
    target_compile_options(filecall_settings INTERFACE -fno-pie)
    target_link_options(filecall_settings INTERFACE -no-pie)
  endif()
  if(FILECALL_SANITIZE_LESS)
    target_compile_options(filecall_settings INTERFACE -fno-sanitize=${FILECALL_SANITIZE_LESS})
  endif()
endif()
if(FILECALL_FUZZ)
  # What libFuzzer counts, in programs and libraries. No fuzz target has a unit test in it, and those
  # take a quarter less time to compile without.
  set(is_fuzzed "$<NOT:$<BOOL:$<TARGET_PROPERTY:FILECALL_IS_TEST>>>")
  target_compile_options(filecall_settings INTERFACE $<${is_fuzzed}:-fsanitize=fuzzer-no-link>)
  if(FILECALL_FUZZ_COUNTS)
    # Under a name that says what is in it, and where the compiler runs: neither Ninja nor ccache
    # knows that the option names a file.
    cmake_path(ABSOLUTE_PATH FILECALL_FUZZ_COUNTS BASE_DIRECTORY ${CMAKE_SOURCE_DIR}
               OUTPUT_VARIABLE list)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(SHA256 ${list} digest)
    configure_file(${list} ${CMAKE_BINARY_DIR}/counted-${digest}.txt COPYONLY)
    target_compile_options(filecall_settings INTERFACE
      $<${is_fuzzed}:-fsanitize-coverage-allowlist=counted-${digest}.txt>)
  endif()
  target_link_options(filecall_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(FILECALL_COVERAGE)
  target_compile_options(filecall_settings INTERFACE --coverage)
  target_link_options(filecall_settings INTERFACE --coverage)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # By default g++ collects garbage from 128 MiB on, which is a tenth of its time. A process of it
  # takes up to 1.6 GiB without that (and 1.4 with it), so not on a machine with less than 2 GiB for
  # each of them.
  cmake_host_system_information(RESULT memory_mib QUERY TOTAL_PHYSICAL_MEMORY)
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR memory_mib "${memory_mib} / ${processors}")
  if(memory_mib GREATER 2000)
    target_compile_options(filecall_settings INTERFACE "SHELL:--param ggc-min-heapsize=524288")
  endif()
endif()
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
  # Only the linker sees two types of one name in two files.
  target_link_options(filecall_settings INTERFACE -Werror=odr)
endif()
