# A room is one static library: the link lines are the dependency rule ("down only"), because a room
# can include only the headers of what it links (checked again by tests/tidy).

# filecall_room(NAME SOURCES a.cc b.cc [DEPENDS other rooms and libraries])
function(filecall_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DEPENDS" ${ARGN})
  if(ROOM_SOURCES)
    add_library(${name} STATIC ${ROOM_SOURCES})
    target_link_libraries(${name} PUBLIC filecall_settings ${ROOM_DEPENDS} PRIVATE filecall_warnings)
    filecall_reuse_precompiled(${name} filecall_precompiled)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE filecall_settings ${ROOM_DEPENDS})
  endif()
endfunction()

# filecall_unit_test(NAME SOURCES x_test.cc [DEPENDS rooms]): one GoogleTest binary a room. With sanitizers
# the test's own sources are not optimised: that halves their compilation, and what they test is in
# libraries that are compiled as ever.
function(filecall_unit_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE filecall_settings filecall_warnings ${TEST_DEPENDS}
                        fmt::fmt GTest::gmock GTest::gtest_main)
  if(FILECALL_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  endif()
  filecall_reuse_precompiled(${name} filecall_precompiled_tests)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()

# filecall_embed(TARGET NAME symbol FILES ...): compiles files into the binary as string_views.
# Generates <target>_<symbol>.h/.cc with `std::span<const filecall::EmbeddedFile> <symbol>()`.
function(filecall_embed target symbol)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  add_custom_command(
    OUTPUT ${out}/${symbol}.cc ${out}/${symbol}.h
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSYMBOL=${symbol} "-DFILES=${ARGN}"
            -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
  target_sources(${target} PRIVATE ${out}/${symbol}.cc ${out}/${symbol}.h)
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
