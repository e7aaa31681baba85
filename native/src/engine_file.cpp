// The one source of libringlab_engine.so: all else in it is the engine's archive.
