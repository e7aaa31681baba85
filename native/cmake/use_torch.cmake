# ringlab_use_torch(TARGET): compiles and links it with the libtorch that cmake/libtorch.cmake has found.
get_filename_component(RINGLAB_COMPAT ${CMAKE_CURRENT_LIST_DIR}/../compat ABSOLUTE)

function(ringlab_use_torch target)
  target_include_directories(${target} SYSTEM PUBLIC ${TORCH_INCLUDE_DIRS})
  # Debian's libtorch-dev 1.13.1 lacks a header that c10d's headers include: compat/ declares its names.
  find_path(RINGLAB_AUTOGRAD_CONTEXT torch/csrc/distributed/autograd/context/context.h HINTS ${TORCH_INCLUDE_DIRS})
  if(NOT RINGLAB_AUTOGRAD_CONTEXT)
    target_include_directories(${target} SYSTEM BEFORE PUBLIC ${RINGLAB_COMPAT}/torch_headers)
  endif()
  # Debian's libtorch-dev includes Gloo's headers but does not depend on libgloo-dev: compat/ declares the few names
  # needed.
  find_path(RINGLAB_GLOO_HEADERS gloo/rendezvous/store.h HINTS ${TORCH_INCLUDE_DIRS})
  if(NOT RINGLAB_GLOO_HEADERS OR RINGLAB_OWN_GLOO_HEADERS)
    target_include_directories(${target} SYSTEM BEFORE PUBLIC ${RINGLAB_COMPAT}/gloo_headers)
  endif()
  target_link_libraries(${target} PUBLIC ${TORCH_LIBRARIES})
  if(RINGLAB_CUDA_HEADERS)
    target_compile_definitions(${target} PRIVATE RINGLAB_CUDA_HEADERS)
  endif()
  if(RINGLAB_NCCL)
    target_compile_definitions(${target} PRIVATE USE_C10D_NCCL)
  endif()
endfunction()
