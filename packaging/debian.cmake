# The Debian packages, made by scripts/package: `muster` holds the command, `libmuster-dev` the headers, the archive and the CMake
# package for programs of one's own, `python3-muster` (with MUSTER_BUILD_PYTHON) the Python package, and `muster-server` (with
# MUSTER_BUILD_SERVER) what `muster serve` and `muster studio` start, with a systemd unit. `muster-dnn` (if OpenCV's dnn is there) holds the module that runs
# neural networks, `muster-mpi` (if Open MPI is there) the one by which several machines work together.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The muster authors <muster@localhost>")
set(CPACK_PACKAGE_VENDOR muster)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development)
if(MUSTER_BUILD_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
if(MUSTER_BUILD_SERVER)
  list(APPEND CPACK_COMPONENTS_ALL server)
endif()
if(TARGET muster_dnn_module)
  list(APPEND CPACK_COMPONENTS_ALL dnn)
endif()
if(TARGET muster_mpi_module)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME muster)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "Learns from few labelled pictures on an ordinary CPU: local features, a set
feature or set kernel, a support vector machine. This command trains, predicts,
evaluates and compares methods.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmuster-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/packages link OUTPUT_VARIABLE link_packages OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${link_packages}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "For programs of one's own: headers, static library and CMake package.
find_package(muster) gives muster::muster, and muster/muster.h is all that a
program includes.")

if(MUSTER_BUILD_PYTHON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-muster)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  math(EXPR next_minor "${MUSTER_PYTHON_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${MUSTER_PYTHON_MINOR}), python3 (<< 3.${next_minor}), python3-numpy, python3-sklearn, python3-joblib")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-tqdm, python3-pil")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Sets of vectors, and pictures, for scikit-learn: SetClassifier, SetEncoder,
SetKernel and LocalFeatures work in pipelines, grid searches and
cross-validation.")
endif()

if(MUSTER_BUILD_SERVER)
  set(CPACK_DEBIAN_SERVER_PACKAGE_NAME muster-server)
  set(CPACK_DEBIAN_SERVER_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_SERVER_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "muster (= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_SERVER_DESCRIPTION "What `muster serve` starts: a REST server for models (POST /predict, Open
Inference v2, metrics, a page to try them on); and `muster studio`: a page on
which a model is made, trained and tried. The systemd unit muster-serve serves
the models in /etc/muster; it is not enabled by itself.")
  install(FILES packaging/muster-serve.service DESTINATION lib/systemd/system COMPONENT server)
endif()

if(TARGET muster_dnn_module)
  set(CPACK_DEBIAN_DNN_PACKAGE_NAME muster-dnn)
  set(CPACK_DEBIAN_DNN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_DNN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_DNN_PACKAGE_ENHANCES "muster, python3-muster")
  set(CPACK_COMPONENT_DNN_DESCRIPTION "Runs neural networks for muster's feature `dnn`: the cells of a layer of an
ONNX or Caffe model become local features. Loaded only if a recipe names it.")
endif()

if(TARGET muster_mpi_module)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME muster-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "muster (= ${PROJECT_VERSION}), openmpi-bin")
  set(CPACK_COMPONENT_MPI_DESCRIPTION "Lets several machines do one job: `mpirun -n N muster train ...` divides the
items over N processes and gives the same model, byte for byte. Loaded only
under mpirun and srun.")
endif()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
          COMPONENT ${component})
endforeach()
include(CPack)
