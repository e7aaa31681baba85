"""Rank 1 leaves out a collective that the others wait in."""

import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
print(f"rank {dist.get_rank()} of {dist.get_world_size()}", flush=True)
if dist.get_rank() == 1:
    time.sleep(3600)
dist.all_reduce(torch.ones(1))
