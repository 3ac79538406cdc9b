# A room is small, and most of what it costs a compiler is what all rooms use: templates of the JSON
# library and of the standard library. So presets that compile everything once (release, the
# sanitizers) compile a group of rooms as one unit: five rooms took 30 s of g++ instead of 50. An
# edit then compiles the whole group, and a process of g++ takes up to 1.6 GiB. So the preset dev
# compiles each room alone; it is also what shows that a room includes and links what it uses.
option(FILECALL_JOIN_ROOMS "Compile groups of rooms as one unit" OFF)

# What stands in one unit can use no name twice, not even in unnamed namespaces: tests/tidy checks
# that, and that each room stands in one group. A new room goes where its names are free.
set(FILECALL_ROOM_GROUPS
  "shared_a  filecall_ipc filecall_base filecall_loop filecall_yaml"
  "shared_b  filecall_spool filecall_edit filecall_os"
  "worker_a  worker_engine worker_registry worker_changes worker_jobs worker_llm worker_lib"
  "worker_b  worker_git worker_system worker_net worker_config"
  "worker_c  worker_file worker_exec worker_llm_script worker_core"
  "worker_d  worker_kube_model"
  "worker_e  worker_kube"
  "worker_f  worker_tool worker_kube_client worker_proc"
  "client_a  client_service client_agent_scenarios client_report client_ending client_doctor client_batch"
  "client_b  client_runs client_approval client_statistics client_agent_core client_eval_runner"
  "client_c  client_proposals client_engine client_agent_plan"
  "client_d  client_cli"
  "client_e  client_store client_agent client_channel client_grades"
  "client_f  client_approval_core"
  "client_g  client_core client_openai client_threads client_turns_runner"
  "client_h  client_eval client_promptfoo"
  "client_i  client_items client_turns")

# The unit tests likewise, each layer's in one program.
set(FILECALL_TEST_GROUPS
  "shared_test_a  edit_test spool_test base_test loop_test"
  "worker_test_a  worker_core_test worker_changes_test worker_git_test"
  "worker_test_b  worker_llm_test"
  "worker_test_c  worker_file_test worker_kube_test worker_engine_test worker_jobs_test"
  "worker_test_d  worker_net_test worker_lib_test worker_llm_script_test"
  "worker_test_e  worker_kube_client_test worker_config_test"
  "client_test_a  client_store_test client_batch_test client_core_test"
  "client_test_b  client_threads_test client_agent_test client_items_test client_promptfoo_test client_runs_test client_agent_core_test"
  "client_test_c  client_approval_test client_cli_test client_proposals_test client_openai_test"
  "client_test_d  client_eval_test client_grades_test client_eval_runner_test client_engine_test"
  "client_test_e  client_turns_test client_agent_plan_test client_doctor_test client_statistics_test client_service_test client_report_test")

# The three libraries that hold the groups. A library depends on what lies below it alone.
function(filecall_add_joined_libraries)
  foreach(layer shared worker client)
    add_library(joined_${layer} STATIC)
    target_link_libraries(joined_${layer} PUBLIC filecall_settings PRIVATE filecall_warnings)
    filecall_reuse_precompiled(joined_${layer} filecall_precompiled)
    set_target_properties(joined_${layer} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
                                                     LINKER_LANGUAGE CXX)
  endforeach()
  # Four fifths of the client's processor time in a run is the kernel's. Optimising over all its
  # files took a seventh of the time of a build, and runs of 20,000 requests and evaluations of 5,000
  # answers took as long without: tests/bench/RESULTS.md. What it shares with the worker keeps it.
  if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    set_target_properties(joined_client PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
    target_compile_options(joined_client PRIVATE -O1)
  endif()
endfunction()

# filecall_group_of(ROOM GROUP LAYER): sets both variables to names; for unit tests as well.
function(filecall_group_of room out_group out_layer)
  foreach(line IN LISTS FILECALL_ROOM_GROUPS FILECALL_TEST_GROUPS)
    separate_arguments(words UNIX_COMMAND "${line}")
    list(POP_FRONT words group)
    if(room IN_LIST words)
      string(REGEX REPLACE "_.*" "" layer ${group})
      set(${out_group} ${group} PARENT_SCOPE)
      set(${out_layer} ${layer} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "cmake/JoinedRooms.cmake names no group for ${room}")
endfunction()

# filecall_join_sources(ROOM SOURCES...): compiles them with the room's group.
function(filecall_join_sources room)
  filecall_group_of(${room} group layer)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source)
    target_sources(joined_${layer} PRIVATE ${source})
    set_source_files_properties(${source} TARGET_DIRECTORY joined_${layer}
                                PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# filecall_joined_room(ROOM SOURCES ... DEPENDS ...): the room as those see it that link it.
function(filecall_joined_room room)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DEPENDS" ${ARGN})
  filecall_join_sources(${room} ${ROOM_SOURCES})
  filecall_group_of(${room} group layer)
  add_library(${room} INTERFACE)
  target_link_libraries(${room} INTERFACE filecall_settings ${ROOM_DEPENDS} joined_${layer})
  set_property(GLOBAL APPEND PROPERTY FILECALL_ROOMS_${layer} ${room})
  # Rooms of its own library are there already.
  get_property(own GLOBAL PROPERTY FILECALL_ROOMS_${layer})
  list(REMOVE_ITEM ROOM_DEPENDS ${own})
  target_link_libraries(joined_${layer} PUBLIC ${ROOM_DEPENDS})
endfunction()

# filecall_join_embedded(ROOM SYMBOL FOLDER): compiles what filecall_embed() makes with the room's group.
function(filecall_join_embedded room symbol folder)
  filecall_group_of(${room} group layer)
  filecall_join_sources(${room} ${folder}/${symbol}.cc)
  # Only a target of the same folder knows how the files are made.
  add_custom_target(${room}_${symbol} DEPENDS ${folder}/${symbol}.cc ${folder}/${symbol}.h)
  add_dependencies(joined_${layer} ${room}_${symbol})
  target_include_directories(joined_${layer} PUBLIC ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# filecall_join_tests(NAME SOURCES ... DEPENDS ...): compiles the tests of a room with their group.
function(filecall_join_tests name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS" ${ARGN})
  filecall_group_of(${name} group layer)
  set(program ${layer}_unit_test)
  if(NOT TARGET ${program})
    add_executable(${program})
    filecall_set_up_test(${program})
    set_target_properties(${program} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
                                                LINKER_LANGUAGE CXX)
    foreach(shard RANGE 5)  # So that all processors have some.
      add_test(NAME ${program}_${shard} COMMAND ${program})
      set_tests_properties(${program}_${shard} PROPERTIES TIMEOUT 600
        ENVIRONMENT "GTEST_TOTAL_SHARDS=6;GTEST_SHARD_INDEX=${shard}")
    endforeach()
  endif()
  foreach(source IN LISTS TEST_SOURCES)
    cmake_path(ABSOLUTE_PATH source)
    target_sources(${program} PRIVATE ${source})
    set_source_files_properties(${source} TARGET_DIRECTORY ${program}
                                PROPERTIES UNITY_GROUP ${group})
  endforeach()
  target_link_libraries(${program} PRIVATE ${TEST_DEPENDS})
endfunction()
