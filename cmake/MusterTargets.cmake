# One library per folder: muster_library(NAME SOURCES ... SEES folders... LINKS packages...)
# TOGETHER: its files may be compiled as a few units, since what takes long are the headers that all of them read (JSON, methods).
# and its tests beside it:  muster_test(NAME SOURCES ... LINKS ...).

add_library(muster_flags INTERFACE)
target_compile_options(muster_flags INTERFACE -Wall -Wextra -Wno-unused-parameter)
target_link_options(muster_flags INTERFACE -Wl,--as-needed)  # libraries that nothing calls are neither loaded nor depended on
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns of its own std::string, the more so if it comes from a compiled header.
  target_compile_options(muster_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Portable baseline; anything wider is dispatched at run time by Highway.
  target_compile_options(muster_flags INTERFACE -march=x86-64-v2)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 crashes on arm_sve.h if the target is set by a pragma, as Highway does. NEON stays.
  target_compile_definitions(muster_flags INTERFACE "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
endif()
if(MUSTER_SANITIZE)
  target_compile_options(muster_flags INTERFACE -fsanitize=${MUSTER_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(muster_flags INTERFACE -fsanitize=${MUSTER_SANITIZE})
  target_compile_definitions(muster_flags INTERFACE MUSTER_SANITIZED)
  if(MUSTER_NO_SANITIZE)
    target_compile_options(muster_flags INTERFACE -fno-sanitize=${MUSTER_NO_SANITIZE})
  endif()
endif()

# The standard headers that most files want, compiled once for all libraries: half of the time of a typical file goes into them.
add_library(muster_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/headers.cc)
target_link_libraries(muster_headers PRIVATE fmt::fmt muster_flags)
target_compile_features(muster_headers PRIVATE cxx_std_20)
target_precompile_headers(muster_headers PRIVATE <fmt/format.h> <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem>
                          <fstream> <functional> <limits> <map> <memory> <numeric> <optional> <set> <span> <string> <string_view>
                          <vector>)

function(muster_library name)
  cmake_parse_arguments(ARG "TOGETHER" "" "SOURCES;SEES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(muster_${name} STATIC ${ARG_SOURCES})
  add_library(muster::${name} ALIAS muster_${name})
  set_target_properties(muster_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(muster_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(muster_${name} PUBLIC cxx_std_20)
  foreach(folder ${ARG_SEES})
    target_link_libraries(muster_${name} PUBLIC muster_${folder})
  endforeach()
  target_link_libraries(muster_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS}
                        $<BUILD_INTERFACE:muster_flags>)
  target_precompile_headers(muster_${name} REUSE_FROM muster_headers)
  if(ARG_TOGETHER)
    set_target_properties(muster_${name} PROPERTIES UNITY_BUILD ${MUSTER_UNITY})
  endif()
  set_property(GLOBAL PROPERTY MUSTER_SEES_OF_${name} ${ARG_SEES})
  set_property(GLOBAL PROPERTY MUSTER_LINKS_OF_${name} ${ARG_LINKS} ${ARG_PRIVATE_LINKS})
endfunction()

if(MUSTER_BUILD_TESTS)
  add_library(test_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/headers.cc)
  target_link_libraries(test_headers PRIVATE GTest::gtest GTest::gmock rapidcheck muster_flags)
  target_compile_features(test_headers PRIVATE cxx_std_20)
  # As executables are compiled: compilers refuse precompiled headers of other settings.
  target_compile_options(test_headers PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0> -fPIE)
  target_precompile_headers(test_headers PRIVATE <gtest/gtest.h> <gmock/gmock.h> <rapidcheck.h>
                            <rapidcheck/gtest.h>)
endif()

function(muster_test name)
  if(NOT MUSTER_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "IN_TWO" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name}_test PRIVATE ${ARG_LINKS} GTest::gtest_main GTest::gmock rapidcheck
                        muster_flags)
  # Tests spend their time in the libraries; compiling them is what takes long. Together they take two fifths of the time:
  # the headers of the oracles are read, and RapidCheck's templates made, once.
  set_target_properties(${name}_test PROPERTIES UNITY_BUILD ${MUSTER_UNITY})
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0>)
  target_precompile_headers(${name}_test REUSE_FROM test_headers)
  if(MUSTER_SANITIZE OR ARG_IN_TWO)
    # Starting an instrumented process, or one with thousands of tests, costs more than most tests do: one for each half of a binary.
    foreach(shard 0 1)
      add_test(NAME ${name}_test.${shard} COMMAND ${name}_test --gtest_brief=1)
      set_tests_properties(${name}_test.${shard} PROPERTIES TIMEOUT 1800
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${shard}")
    endforeach()
  else()
    include(GoogleTest)
    gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
endfunction()
