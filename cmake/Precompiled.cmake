# The headers of libraries that nearly every source reads, parsed once a preset: a quarter to a half of
# what a source costs is spent on them. The project's own headers are not among them, so that an
# edit compiles what includes the file and no more. Not with clang and no sanitizer (clang-tidy),
# which reads each source with its own includes alone, and so finds one that is missing. With
# sanitizers g++ 12 may warn of library code then; dev and release make errors of warnings.
option(FILECALL_PRECOMPILED "Precompile the headers of libraries" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT FILECALL_SANITIZE)
  set(FILECALL_PRECOMPILED OFF)
endif()

# filecall_precompiled_headers(NAME DEPENDS libraries HEADERS <a> <b>): a library to reuse them from.
function(filecall_precompiled_headers name)
  cmake_parse_arguments(PCH "" "" "DEPENDS;HEADERS" ${ARGN})
  set(source ${CMAKE_BINARY_DIR}/precompiled/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} STATIC ${source})
  target_link_libraries(${name} PRIVATE filecall_settings filecall_warnings ${PCH_DEPENDS})
  target_precompile_headers(${name} PRIVATE ${PCH_HEADERS})
  # ccache asks for it: what is preprocessed names the precompiled header instead of its text.
  target_compile_options(filecall_settings INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

if(FILECALL_PRECOMPILED)
  filecall_precompiled_headers(filecall_precompiled DEPENDS nlohmann_json::nlohmann_json fmt::fmt
    HEADERS <algorithm> <array> <chrono> <cstdint> <deque> <filesystem> <functional> <map> <memory>
            <mutex> <optional> <set> <span> <string> <string_view> <unordered_map> <utility>
            <variant> <vector> <fmt/core.h> <nlohmann/json.hpp>)
  if(FILECALL_TESTS)
    filecall_precompiled_headers(filecall_precompiled_tests
      DEPENDS nlohmann_json::nlohmann_json fmt::fmt GTest::gmock GTest::gtest
      HEADERS <algorithm> <array> <chrono> <cstdint> <deque> <filesystem> <fstream> <functional>
              <map> <memory> <optional> <random> <set> <span> <string> <string_view> <utility>
              <vector> <fmt/core.h> <nlohmann/json.hpp> <gmock/gmock.h> <gtest/gtest.h>)
    # As those that reuse them.
    set_target_properties(filecall_precompiled_tests PROPERTIES FILECALL_IS_TEST ON)
    if(FILECALL_SANITIZE)
      target_compile_options(filecall_precompiled_tests PRIVATE -O0)
    endif()
  endif()
endif()

# filecall_reuse_precompiled(TARGET FROM): nothing when they are off.
function(filecall_reuse_precompiled target from)
  if(FILECALL_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()
