"""Writes src/shared/cost/architecture-shapes.ts from torchvision's models: python3 scripts/architecture-shapes.py

What an exchange of gradients costs follows from the shapes of the parameters, what a step computes from the
multiplications. torchvision has both (the meta device needs torch 2); the app's tests compare the table with the trainer's own models.
"""
import collections
import os
import re
import subprocess

import torch
import torchvision

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
OUT = os.path.join(ROOT, "src/shared/cost/architecture-shapes.ts")
FIRST_BUCKET, BUCKET = 1 << 20, 25 << 20  # bytes, as DistributedDataParallel takes them
CLASSES = (1000, 10)


# The values do not matter here, and drawing them would take most of the time.
for name in ("kaiming_normal_", "kaiming_uniform_", "normal_", "trunc_normal_", "uniform_", "xavier_uniform_", "constant_", "zeros_", "ones_"):
    setattr(torch.nn.init, name, lambda tensor, *_, **__: tensor)


def names():
    with open(os.path.join(ROOT, "src/shared/lab/architectures.ts")) as file:
        return re.findall(r"name: '([a-z0-9_]+)'", file.read())


def shapes_of(model):
    return [tuple(parameter.shape) for parameter in model.parameters()]


def matrix_of(shape):
    rows = shape[0]
    columns = 1
    for edge in shape[1:]:
        columns *= edge
    return rows, columns


def multiplications(model, size):
    """Of a forward pass of one image, in millions: convolutions, linear layers and attention."""
    total = 0

    def layer(module, _, output):
        nonlocal total
        positions = output.numel() // module.weight.shape[0]
        total += positions * module.weight.numel()

    def attention(_, __, output):
        nonlocal total
        tokens, width = output[0].shape[1], output[0].shape[2]
        total += tokens * 4 * width * width + 2 * tokens * tokens * width

    def windows(module, inputs, _):
        # Its linear layers are called as functions; places are padded to whole windows.
        nonlocal total
        height, width, channels = inputs[0].shape[1:]
        side = module.window_size[0]
        tokens = -(-height // side) * side * -(-width // side) * side
        total += tokens * 4 * channels * channels + 2 * tokens * side * side * channels

    def groups(_, inputs, __):
        nonlocal total
        total += 2 * inputs[0].numel() * inputs[0].shape[2]

    for module in model.modules():
        if isinstance(module, torch.nn.MultiheadAttention):
            module.register_forward_hook(attention)
        elif isinstance(module, torchvision.models.swin_transformer.ShiftedWindowAttention):
            module.register_forward_hook(windows)
        elif isinstance(module, torchvision.models.maxvit.RelativePositionalMultiHeadAttention):
            module.register_forward_hook(groups)
        elif isinstance(module, (torch.nn.Conv2d, torch.nn.Linear)):
            module.register_forward_hook(layer)
    # On the meta device shapes are computed and nothing else.
    model.eval().to("meta")
    with torch.no_grad():
        model(torch.zeros(1, 3, size, size, device="meta"))
    return round(total / 1e6)


def last_bucket(shapes):
    """Bytes of the gradients that are complete only when backward ends: they cross the network while nothing computes."""
    held, limit, full = 0, FIRST_BUCKET, 0
    for shape in reversed(shapes):
        held += 4 * torch.Size(shape).numel()
        if held >= limit:
            full, held, limit = held, 0, BUCKET
    return held or full


def line(name):
    extra = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    models = [getattr(torchvision.models, name)(num_classes=classes, weights=None, **extra) for classes in CLASSES]
    counts = collections.Counter()
    vectors = class_vectors = 0
    for many, few in zip(*map(shapes_of, models)):
        by_class = many != few
        if by_class:
            assert many[0] == CLASSES[0] and few[0] == CLASSES[1] and many[1:] == few[1:], (name, many, few)
        if len(many) >= 2:
            rows, columns = matrix_of(many)
            counts[f"k×{columns}" if by_class else f"{rows}×{columns}"] += 1
        elif by_class:
            class_vectors += 1
        else:
            vectors += torch.Size(many).numel()
    matrices = " ".join(shape if count == 1 else f"{count}*{shape}" for shape, count in counts.items())
    size = 299 if name == "inception_v3" else 224
    macs = multiplications(models[0], size)
    norms = [module.num_features for module in models[0].modules() if isinstance(module, torch.nn.BatchNorm2d)]
    return f"  {name}: [{macs}, {last_bucket(shapes_of(models[0]))}, {vectors}, {class_vectors}, {len(norms)}, {sum(norms)}, '{matrices}'],"


lines = "\n".join(line(name) for name in names())
with open(OUT, "w") as file:
    file.write(f"""/** The shapes of every architecture's parameters. Made by scripts/architecture-shapes.py from torchvision; not edited. */

/**
 * By name: millions of multiplications of a forward pass for one 224-pixel image (inception_v3: 299); bytes of the
 * last gradient bucket with 1000 classes; elements in one-dimensional tensors; how many of those have one element per
 * class; batch norms, and channels of all of them; then the tensors of two dimensions and more as matrices: `2*64×576`
 * are two of 64 rows and 576 columns, `k×512` has one row per class.
 */
export const architectureShapes: Readonly<
  Record<string, readonly [number, number, number, number, number, number, string] | undefined>
> = {{
{lines}
}};
""")
subprocess.run(["npx", "prettier", "--write", OUT], check=True, cwd=ROOT)
