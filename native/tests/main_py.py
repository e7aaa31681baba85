"""The checkpoint handling of PyTorch's examples/imagenet/main.py: what it loads with --resume and what it saves, statement by statement.

One process, or one rank of several with env:// and DistributedDataParallel. On the CPU, at 32 pixels.
python3 main_py.py DATA ARCH EPOCHS [RESUME]
"""
import os
import shutil
import sys

import torch
import torchvision

data, arch, epochs = sys.argv[1], sys.argv[2], int(sys.argv[3])
resume = sys.argv[4] if len(sys.argv) > 4 else ""
distributed = int(os.environ.get("WORLD_SIZE", "1")) > 1
rank = int(os.environ.get("RANK", "0"))
best_acc1 = 0
start_epoch = 0


def save_checkpoint(state, is_best, filename="checkpoint.pth.tar"):
    torch.save(state, filename)
    if is_best:
        shutil.copyfile(filename, "model_best.pth.tar")


if distributed:
    torch.distributed.init_process_group("gloo", init_method="env://")
torch.set_num_threads(1)
torch.manual_seed(1)
data_set = torchvision.datasets.ImageFolder(os.path.join(data, "train"), torchvision.transforms.ToTensor())
print(f"=> creating model '{arch}'")
model = torchvision.models.__dict__[arch](num_classes=len(data_set.classes))
if distributed:
    model = torch.nn.parallel.DistributedDataParallel(model)
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.1)
if resume:
    print(f"=> loading checkpoint '{resume}'")
    checkpoint = torch.load(resume, map_location="cpu", **({} if torch.__version__.startswith("1.") else {"weights_only": False}))
    start_epoch = checkpoint["epoch"]
    best_acc1 = checkpoint["best_acc1"]
    best_acc1 = best_acc1.to("cpu")  # with --gpu: best_acc1.to(args.gpu)
    model.load_state_dict(checkpoint["state_dict"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    print(f"=> loaded checkpoint '{resume}' (epoch {checkpoint['epoch']})")
sampler = torch.utils.data.distributed.DistributedSampler(data_set) if distributed else None
loader = torch.utils.data.DataLoader(data_set, batch_size=8, shuffle=sampler is None, sampler=sampler)
for epoch in range(start_epoch, epochs):
    if distributed:
        sampler.set_epoch(epoch)
    model.train()
    right = 0
    for images, target in loader:
        output = model(images)
        loss = criterion(output, target)
        right += (output.argmax(1) == target).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    acc1 = torch.tensor(float(100.0 * right / len(data_set) + best_acc1 + 1))  # above any accuracy: model_best is written, too
    scheduler.step()
    is_best = acc1 > best_acc1
    best_acc1 = max(acc1, best_acc1)
    if rank == 0:
        save_checkpoint(
            {"epoch": epoch + 1, "arch": arch, "state_dict": model.state_dict(), "best_acc1": best_acc1, "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()},
            is_best,
        )
