# Every dependency is a Debian 12 package; scripts/packages lists them.
find_package(Threads REQUIRED)
find_package(hwy REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
if(NOT MUSTER_INSTALLED)  # headers only: compiled into what is installed
  find_package(Eigen3 REQUIRED NO_MODULE)
  find_package(nlohmann_json REQUIRED)
endif()
if(MUSTER_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()

# Packages without a CMake configuration of their own.
function(muster_find_plain target header library)
  if(TARGET ${target})
    return()
  endif()
  find_path(${target}_INCLUDE ${header} REQUIRED)
  find_library(${target}_LIBRARY ${library} REQUIRED)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

muster_find_plain(dnnl dnnl.h dnnl)  # its own configuration file asks for OpenCL
target_link_libraries(dnnl INTERFACE gomp)
muster_find_plain(dsdp dsdp/dsdp5.h dsdp)
muster_find_plain(jpeg jpeglib.h jpeg)
muster_find_plain(png png.h png)
muster_find_plain(tiff tiffio.h tiff)
muster_find_plain(webp webp/decode.h webp)
muster_find_plain(vlfeat vl/covdet.h vl)

# Debian has these as archives as well. Executables take the archives, and need five packages and shared libraries less to be installed and
# to start. The archives are not position-independent, so shared libraries and modules take the shared ones.
function(muster_find_solver target header library)
  if(TARGET ${target})
    return()
  endif()
  find_library(${target}_ARCHIVE lib${library}.a REQUIRED)
  muster_find_plain(${target} ${header} ${library})
  set(executable $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "$<IF:${executable},${${target}_ARCHIVE},${${target}_LIBRARY}>")
  list(TRANSFORM ARGN REPLACE "(.+)" "$<${executable}:\\1>" OUTPUT_VARIABLE of_archive)
  target_link_libraries(${target} INTERFACE ${of_archive})
endfunction()

muster_find_solver(coinutils coin/CoinPragma.hpp CoinUtils bz2 z lapack blas)
muster_find_solver(clp coin/Clp_C_Interface.h Clp coinutils)
muster_find_solver(liblinear linear.h linear blas)
muster_find_solver(libsvm libsvm/svm.h svm)
