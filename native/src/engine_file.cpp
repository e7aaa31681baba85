// The only source file of libringlab_engine.so: everything else in it is the engine's archive.
