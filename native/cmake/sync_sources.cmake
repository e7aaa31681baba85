# What the trainer and Python's engine (python/CMakeLists.txt) have in common: the rendezvous of the ranks, and the synchronisation.
# Paths from the folder of the sources.

# Without libtorch.
set(RINGLAB_RENDEZVOUS_SOURCES
  comm/collectives/backend_error.cpp
  comm/transport/connections.cpp
  comm/transport/descriptors.cpp
  comm/transport/net.cpp
  comm/transport/run_secret.cpp
  comm/transport/sealed_channel.cpp
  comm/store/agent_rendezvous.cpp
  comm/store/agent_store.cpp
  comm/store/heartbeat.cpp
  comm/store/next_members.cpp
  comm/store/rank_places.cpp
  comm/store/run_keys.cpp
  comm/store/socket_io.cpp
  comm/store/store_client.cpp
  comm/store/store_server.cpp
  comm/store/store_table.cpp)
set(RINGLAB_MODE_SOURCES
  sync/bucket_order.cpp
  sync/mode.cpp
  sync/stream/stream_codec.cpp
  sync/stream/stream_rule.cpp
  sync/stream/stream_scan.cpp
  sync/stream/stream_watch.cpp)

# With libtorch.
set(RINGLAB_COLLECTIVE_SOURCES
  comm/collectives/collective_thread.cpp
  comm/collectives/collectives.cpp
  comm/collectives/communicator.cpp
  comm/collectives/exchange_guard.cpp
  comm/collectives/gradient_reducer.cpp
  comm/collectives/groups.cpp
  comm/collectives/rendezvous.cpp)
set(RINGLAB_SYNC_SOURCES
  sync/agreement.cpp
  sync/codec.cpp
  sync/coded_average.cpp
  sync/compressor.cpp
  sync/outer_average.cpp
  sync/outer_state.cpp
  sync/parameter_average.cpp
  sync/power_sgd.cpp
  sync/sparse_codec.cpp
  sync/streamed/streamed_average.cpp
  sync/streamed/streamed_exchange.cpp
  sync/streamed/streamed_state.cpp
  sync/sync_state.cpp
  sync/top_k.cpp
  sync/streamed/vector_stream.cpp)
set(RINGLAB_BUFFER_SOURCES
  comm/collectives/share_model.cpp
  sync/shared_buffers.cpp)
