# A room is one static library: the link lines are the dependency rule ("down only"), because a room
# can include only the headers of what it links (checked again by tests/tidy).

# filecall_room(NAME SOURCES a.cc b.cc [DEPENDS other rooms and libraries])
function(filecall_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DEPENDS" ${ARGN})
  if(ROOM_SOURCES AND FILECALL_JOIN_ROOMS)
    filecall_joined_room(${name} ${ARGN})
  elseif(ROOM_SOURCES)
    add_library(${name} STATIC ${ROOM_SOURCES})
    target_link_libraries(${name} PUBLIC filecall_settings ${ROOM_DEPENDS} PRIVATE filecall_warnings)
    filecall_reuse_precompiled(${name} filecall_precompiled)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE filecall_settings ${ROOM_DEPENDS})
  endif()
endfunction()

# filecall_starts_threads(OUT ROOM SOURCES...): whether a test, or the room that it is of, starts threads
# or hands work to those of libuv and libcurl: by the text of its sources, so a test of a room that has
# threads from a room below it names what starts them.
function(filecall_starts_threads out room)
  set(${out} OFF PARENT_SCOPE)
  get_target_property(folder ${room} SOURCE_DIR)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc ${folder}/*.h)
  foreach(source IN LISTS ARGN sources)
    file(STRINGS ${source} lines
         REGEX "std::(jthread|thread|async)|os/side_by_side\\.h|loop/pool_work\\.h|uv_queue_work|curl_easy_init|curl_multi")
    if(lines)
      set(${out} ON PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# filecall_unit_test(NAME SOURCES x_test.cc [DEPENDS rooms] [ALONE]): one GoogleTest binary a room, or
# with FILECALL_JOIN_ROOMS one a layer: ALONE is for those that change their process or need more than
# sources. With sanitizers the test's own sources are not optimised: that halves their compilation,
# and what they test is in libraries that are compiled as ever. The first of DEPENDS is the room that
# is tested. ThreadSanitizer is given those that have two threads: in the others it finds nothing.
function(filecall_unit_test name)
  cmake_parse_arguments(TEST "ALONE" "" "SOURCES;DEPENDS" ${ARGN})
  set(excluded OFF)
  if(FILECALL_SANITIZE STREQUAL "thread")
    list(GET TEST_DEPENDS 0 room)
    filecall_starts_threads(has_threads ${room} ${TEST_SOURCES})
    if(NOT has_threads)
      set(excluded ON)
    endif()
  endif()
  if(FILECALL_JOIN_ROOMS AND NOT TEST_ALONE)
    if(NOT excluded)
      filecall_join_tests(${name} SOURCES ${TEST_SOURCES} DEPENDS ${TEST_DEPENDS})
    endif()
    return()
  endif()
  add_executable(${name} ${TEST_SOURCES})
  filecall_set_up_test(${name})
  target_link_libraries(${name} PRIVATE ${TEST_DEPENDS})
  if(excluded)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()

# filecall_set_up_test(NAME): what every program of unit tests is compiled and linked with.
function(filecall_set_up_test name)
  target_link_libraries(${name} PRIVATE filecall_settings filecall_warnings fmt::fmt GTest::gmock
                        GTest::gtest_main)
  # Designated initializers leave out what a test does not speak of.
  target_compile_options(${name} PRIVATE -Wno-missing-field-initializers)
  if(FILECALL_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  endif()
  filecall_reuse_precompiled(${name} filecall_precompiled_tests)
  set_target_properties(${name} PROPERTIES FILECALL_IS_TEST ON
                                           RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
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
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    filecall_join_embedded(${target} ${symbol} ${out})
  else()
    target_sources(${target} PRIVATE ${out}/${symbol}.cc ${out}/${symbol}.h)
    target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_BINARY_DIR})
  endif()
endfunction()
