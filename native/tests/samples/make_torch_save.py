"""Created torch-save.pth beside this file (torch 1.13.1): a small checkpoint as written by Python. A seed of the fuzz tests."""
import collections
import os

import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3, bias=False), torch.nn.BatchNorm2d(2), torch.nn.Flatten(), torch.nn.Linear(2, 2))
optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
model(torch.rand(3, 1, 3, 3)).sum().backward()
optimizer.step()
scheduler.step()
weights = collections.OrderedDict((f"module.{name}", value) for name, value in model.state_dict().items())
weights["module.parameter"] = torch.nn.Parameter(torch.rand(3, 2).t())
weights["module.half"] = torch.rand(3).half()
weights["module.slice"] = torch.arange(10)[2:8:2]
torch.save(
    {
        "epoch": 1,
        "arch": "tiny",
        "state_dict": weights,
        "best_acc1": torch.tensor(12.5),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "large": 1 << 40,
        "nothing": None,
        "pair": (True, -3),
    },
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch-save.pth"),
)
