# Finds libtorch: TORCH_LIBRARIES, TORCH_INCLUDE_DIRS; and RINGLAB_CUDA_HEADERS, RINGLAB_NCCL where it is one for CUDA whose
# toolkit's and NCCL's headers are installed.
#
# A libtorch for CUDA asks in its own TorchConfig.cmake for nvcc and the whole toolkit. We compile no kernel: where nvcc is
# missing, the libraries are enough.
find_library(RINGLAB_C10_CUDA c10_cuda PATH_SUFFIXES lib)
find_program(RINGLAB_NVCC nvcc HINTS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin)

if(RINGLAB_C10_CUDA AND NOT RINGLAB_NVCC)
  find_path(RINGLAB_TORCH_INCLUDE torch/csrc/api/include/torch/types.h PATH_SUFFIXES include)
  if(NOT RINGLAB_TORCH_INCLUDE)
    message(FATAL_ERROR "${RINGLAB_C10_CUDA} is there, its headers are not: install libtorch's development files")
  endif()
  set(TORCH_INCLUDE_DIRS ${RINGLAB_TORCH_INCLUDE} ${RINGLAB_TORCH_INCLUDE}/torch/csrc/api/include)
  get_filename_component(RINGLAB_TORCH_FOLDER ${RINGLAB_C10_CUDA} DIRECTORY)
  # Kernels register themselves when a library is loaded: the linker must keep those that no symbol is taken from.
  set(TORCH_LIBRARIES -Wl,--no-as-needed)
  foreach(name torch torch_cpu torch_cuda c10 c10_cuda)
    find_library(RINGLAB_LIB_${name} ${name} PATHS ${RINGLAB_TORCH_FOLDER} NO_DEFAULT_PATH)
    if(NOT RINGLAB_LIB_${name})
      message(FATAL_ERROR "no lib${name} beside ${RINGLAB_C10_CUDA}")
    endif()
    list(APPEND TORCH_LIBRARIES ${RINGLAB_LIB_${name}})
  endforeach()
  list(APPEND TORCH_LIBRARIES -Wl,--as-needed)
  message(STATUS "libtorch with CUDA, without nvcc: ${RINGLAB_TORCH_FOLDER}")
else()
  find_package(Torch REQUIRED)
endif()

if(RINGLAB_C10_CUDA)
  find_path(RINGLAB_CUDA_INCLUDE cuda_runtime_api.h HINTS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES include targets/x86_64-linux/include)
  find_path(RINGLAB_CUBLAS_INCLUDE cublas_v2.h HINTS ${RINGLAB_CUDA_INCLUDE} ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES include targets/x86_64-linux/include)
  find_path(RINGLAB_CUSOLVER_INCLUDE cusolverDn.h HINTS ${RINGLAB_CUDA_INCLUDE} ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES include targets/x86_64-linux/include)
  find_path(RINGLAB_NCCL_INCLUDE nccl.h HINTS ${RINGLAB_CUDA_INCLUDE} PATH_SUFFIXES include)
  find_library(RINGLAB_CUDART cudart HINTS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES lib lib64 targets/x86_64-linux/lib)
  if(RINGLAB_CUDA_INCLUDE AND RINGLAB_CUBLAS_INCLUDE AND RINGLAB_CUSOLVER_INCLUDE AND RINGLAB_CUDART)
    set(RINGLAB_CUDA_HEADERS ON)
    list(APPEND TORCH_INCLUDE_DIRS ${RINGLAB_CUDA_INCLUDE})
    list(APPEND TORCH_LIBRARIES ${RINGLAB_CUDART})
  endif()
  if(RINGLAB_CUDA_HEADERS AND RINGLAB_NCCL_INCLUDE)
    set(RINGLAB_NCCL ON)
    list(APPEND TORCH_INCLUDE_DIRS ${RINGLAB_NCCL_INCLUDE})
  endif()
  list(REMOVE_DUPLICATES TORCH_INCLUDE_DIRS)
  # Two builds of one libtorch: with CUDA's headers device names, memory and graphs, with NCCL's its backend.
  message(STATUS "CUDA headers: ${RINGLAB_CUDA_HEADERS}, NCCL: ${RINGLAB_NCCL}")
endif()
