"""A project with its own nets folder, on one node: nn.DataParallel, as older projects use it."""

import torch
from nets.small import SmallNet

model = torch.nn.DataParallel(SmallNet())
optimizer = torch.optim.Adam(model.parameters(), 0.01)
torch.manual_seed(0)
for step in range(30):
    inputs = torch.randn(64, 8)
    targets = (inputs.sum(1, keepdim=True) > 0).float()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"Iter [{step + 1}/30] Loss: {loss.item():.4f}")
torch.save(model.state_dict(), "model_last.pth")
