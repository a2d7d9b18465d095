# Every dependency is a Debian 12 package; scripts/packages lists them.
find_package(TBB REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(hwy REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenMP REQUIRED)
find_package(ZLIB REQUIRED)
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
muster_find_plain(clp coin/Clp_C_Interface.h Clp)
muster_find_plain(dsdp dsdp/dsdp5.h dsdp)
muster_find_plain(jpeg jpeglib.h jpeg)
muster_find_plain(png png.h png)
muster_find_plain(tiff tiffio.h tiff)
muster_find_plain(webp webp/decode.h webp)
muster_find_plain(lemon lemon/network_simplex.h lemon)
muster_find_plain(liblinear linear.h linear)
muster_find_plain(libsvm libsvm/svm.h svm)
muster_find_plain(vlfeat vl/covdet.h vl)

# Of dlib only headers are used, which want the BLAS that its package brings.
muster_find_plain(dlib dlib/matrix.h blas)
