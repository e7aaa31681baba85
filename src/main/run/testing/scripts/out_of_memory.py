"""Asks for more memory than its limit."""

import resource

import torch

print("loss: 2.5", flush=True)
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
kept = [torch.ones(1 << 28) for _ in range(64)]
