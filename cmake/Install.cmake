# What `cmake --install` and `cpack -G DEB` put where. Man pages and completion are made from the
# programs' own help texts and docs/, in builds that are meant to be installed.
option(FILECALL_DOCS "Make man pages and shell completion" OFF)

set(share ${CMAKE_INSTALL_DATADIR}/filecall)
set(programs "")
foreach(program filecall filecall-worker)
  if(TARGET ${program})
    list(APPEND programs ${program})
  endif()
endforeach()
install(TARGETS ${programs} DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ipc-schema/schema DESTINATION ${share} OPTIONAL)
install(DIRECTORY scripts/examples tmp-layout DESTINATION ${share} USE_SOURCE_PERMISSIONS
        PATTERN __pycache__ EXCLUDE)
install(PROGRAMS scripts/filecall.py DESTINATION ${share}/python)
install(FILES README.md SECURITY.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# systemd's folders are relative to the prefix: /usr/lib/systemd/system for a package. A unit names
# the program by its absolute path, and the prefix is known when it is installed, not before: a
# package, and `cmake --install --prefix`, have others than the build.
foreach(unit system/filecall-worker.service system/filecall-drain.service
             user/filecall-worker@.service)
  get_filename_component(name ${unit} NAME)
  get_filename_component(folder ${unit} DIRECTORY)
  install(CODE "
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE prefix)
    cmake_path(APPEND prefix \"${CMAKE_INSTALL_BINDIR}\" OUTPUT_VARIABLE FILECALL_BINDIR)
    configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/packaging/systemd/${name}.in\"
                   \"${CMAKE_CURRENT_BINARY_DIR}/packaging/${name}\" @ONLY)"
    COMPONENT systemd)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/packaging/${name} DESTINATION lib/systemd/${folder}
          COMPONENT systemd)
endforeach()
install(FILES packaging/systemd/filecall-drain.timer DESTINATION lib/systemd/system
        COMPONENT systemd)
install(FILES packaging/systemd/filecall.sysusers DESTINATION lib/sysusers.d RENAME filecall.conf
        COMPONENT systemd)
install(FILES packaging/systemd/filecall.tmpfiles DESTINATION lib/tmpfiles.d RENAME filecall.conf
        COMPONENT systemd)

if(FILECALL_DOCS)
  set(docs ${CMAKE_CURRENT_BINARY_DIR}/docs)
  file(MAKE_DIRECTORY ${docs})
  set(outputs "")
  find_program(PYTHON3 python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
  find_program(CMARK_GFM cmark-gfm REQUIRED)
  set(writer ${CMAKE_SOURCE_DIR}/packaging/man/generate.py)
  set(write_page ${CMAKE_COMMAND} -E env FILECALL_VERSION=${PROJECT_VERSION} ${PYTHON3} ${writer})
  foreach(program IN LISTS programs)
    add_custom_command(OUTPUT ${docs}/${program}.1
      COMMAND ${write_page} $<TARGET_FILE:${program}> > ${docs}/${program}.1
      DEPENDS ${program} ${writer} VERBATIM)
    list(APPEND outputs ${docs}/${program}.1)
    install(FILES ${docs}/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endforeach()
  set(page ${CMAKE_SOURCE_DIR}/docs/configuration.md)
  add_custom_command(OUTPUT ${docs}/filecall-worker.yaml.5
    COMMAND ${write_page} --page "filecall-worker.yaml(5)" "configuration of the worker"
            < ${page} > ${docs}/filecall-worker.yaml.5
    DEPENDS ${page} ${writer} VERBATIM)
  list(APPEND outputs ${docs}/filecall-worker.yaml.5)
  install(FILES ${docs}/filecall-worker.yaml.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
  set(generator ${CMAKE_SOURCE_DIR}/packaging/completion/generate.py)
  foreach(shell bash zsh)
    if(TARGET filecall)  # It knows its own subcommands and options.
      add_custom_command(OUTPUT ${docs}/filecall.${shell}
        COMMAND filecall completion ${shell} > ${docs}/filecall.${shell} DEPENDS filecall VERBATIM)
      list(APPEND outputs ${docs}/filecall.${shell})
    endif()
    if(TARGET filecall-worker)
      add_custom_command(OUTPUT ${docs}/filecall-worker.${shell}
        COMMAND ${PYTHON3} ${generator} ${shell} $<TARGET_FILE:filecall-worker>
                > ${docs}/filecall-worker.${shell}
        DEPENDS filecall-worker ${generator} VERBATIM)
      list(APPEND outputs ${docs}/filecall-worker.${shell})
    endif()
  endforeach()
  foreach(program IN LISTS programs)
    install(FILES ${docs}/${program}.bash RENAME ${program}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
    install(FILES ${docs}/${program}.zsh RENAME _${program}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions OPTIONAL)
  endforeach()
  add_custom_target(docs ALL DEPENDS ${outputs})
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME filecall)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The filecall maintainers <maintainers@filecall.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "A worker that answers JSON request files with JSON response files,
 and an orchestrator that retries, resumes and reports. Programs that drop requests
 need no library: a directory is the interface.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS python3)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/packaging/deb/postinst)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
