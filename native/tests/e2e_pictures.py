"""Pixels are Pillow's to the bit: hundreds of odd pictures, decoded and through validation's and training's transforms, and refusals alike."""
import collections
import io
import os
import subprocess
import sys
import warnings

import ringlab

ringlab.need_torch()
import numpy  # noqa: E402
from PIL import Image  # noqa: E402
import torchvision.datasets.folder as folder  # noqa: E402
import torchvision.transforms.functional as functional  # noqa: E402

import picture_cases  # noqa: E402
import tiff_cases  # noqa: E402

PROBE = sys.argv[2]
warnings.simplefilter("ignore")


def pillow(path):
    """What ImageFolder's loader gives, or None where it raises."""
    try:
        return numpy.asarray(folder.pil_loader(path))
    except Exception:
        return None


class Answers:
    """The probe's, file after file."""

    def __init__(self, paths, *arguments):
        done = subprocess.run([PROBE, *arguments], input="".join(path + "\n" for path in paths).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0 and done.stderr == b"", (done.returncode, done.stderr[:500])
        self.stream = io.BytesIO(done.stdout)

    def next(self, dtype, shape):
        """(numbers of the line, array), or the words of the refusal."""
        line = self.stream.readline().decode(errors="replace").split(" ", 1)
        if line[0] != "ok":
            return line[1].strip()
        numbers = [int(n) for n in line[1].split()]
        size = shape(numbers)
        count = int(numpy.prod(size))
        return numbers, numpy.frombuffer(self.stream.read(count * numpy.dtype(dtype).itemsize), dtype).reshape(size)


def known(name):
    """Where ours and Pillow's differ, each for a reason."""
    return (
        name.startswith("tiff-8-")  # CIE L*a*b*: Pillow asks LittleCMS
        or name.startswith("tiff-2-16x4-999-")  # libtiff takes Corel's 999 for alpha at any depth, and we cannot see it behind it
        or name in ("tiff-6-8x3--1-II-tiles", "tiff-6-8x3--1-MM-tiles")  # uncompressed YCbCr: Pillow makes noise of its tiles and refuses its strips
    )


def transformed(path, size, crop):
    """main.py's transforms, the draws of RandomResizedCrop given."""
    picture = folder.pil_loader(path)
    if crop is None:
        edge = size * 256 // 224
        picture = functional.center_crop(functional.resize(picture, edge), size)
    else:
        left, top, width, height, flip = crop
        picture = functional.resized_crop(picture, top, left, height, width, [size, size])
        picture = functional.hflip(picture) if flip else picture
    return functional.normalize(functional.to_tensor(picture), [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]).numpy()


with ringlab.folder() as root:
    made = os.path.join(root, "made")
    os.makedirs(made)
    subprocess.run([PROBE, "make", made], check=True)
    jpegs = sorted((f"jpeg-{name}", open(os.path.join(made, name), "rb").read()) for name in os.listdir(made))
    cases = [*picture_cases.pngs(), *picture_cases.bmps(), *picture_cases.netpbms(), *picture_cases.jpegs(jpegs), *picture_cases.webps(), *tiff_cases.tiffs(), *picture_cases.foreign()]
    paths = []
    for number, (name, data) in enumerate(cases):
        # The content counts: every extension on every kind.
        paths.append(os.path.join(root, f"{number}{folder.IMG_EXTENSIONS[number % len(folder.IMG_EXTENSIONS)]}"))
        with open(paths[-1], "wb") as file:
            file.write(data)
    answers = Answers(paths, "decode")
    wrong, read, refused = [], [], collections.Counter()
    for (name, _), path in zip(cases, paths):
        theirs = pillow(path)
        ours = answers.next(numpy.uint8, lambda numbers: (numbers[1], numbers[0], 3))
        if theirs is None or isinstance(ours, str):
            if theirs is not None or not isinstance(ours, str):
                wrong.append((name, "Pillow refuses it" if theirs is None else f"we refuse it: {ours}"))
            else:
                refused[name.split("-")[0]] += 1
        elif theirs.shape != ours[1].shape:
            wrong.append((name, f"{theirs.shape} and {ours[1].shape}"))
        elif (theirs != ours[1]).any():
            difference = numpy.abs(theirs.astype(int) - ours[1])
            wrong.append((name, f"{(difference > 0).mean():.3f} of the levels differ, by at most {difference.max()}"))
        else:
            read.append((name, path))
    wrong = [(name, what) for name, what in wrong if not known(name)]
    for name, what in wrong:
        print(f"{name}: {what}")
    print(f"{len(cases)} pictures: {len(read)} equal, {sum(refused.values())} refused by both {dict(refused)}, {len(wrong)} differ")
    assert not wrong, f"{len(wrong)} of {len(cases)}"
    # Through the whole of validation and training, those that are read in turns of the formats, and larger ones.
    large = []
    for number, (name, image) in enumerate(picture_cases.large()):
        large.append((name, os.path.join(root, f"large-{number}.jpg")))
        with open(large[-1][1], "wb") as file:
            file.write(image)
    chosen = read[::5] + large
    for size in (224, 96):
        for training in (False, True):
            answers = Answers([path for _, path in chosen], "train" if training else "validate", str(size), "0")
            for name, path in chosen:
                crop, ours = answers.next(numpy.float32, lambda numbers: (3, size, size))
                theirs = transformed(path, size, crop if training else None)
                assert (ours == theirs).all(), f"{name}, {size} px, {'training' if training else 'validation'}: by at most {numpy.abs(ours - theirs).max()}"
    print(f"{len(chosen)} of them through validation and training at 224 and 96 px: equal")

    # --draft departs from Pillow only where a picture is reduced, and little.
    answers = Answers([path for _, path in large], "validate", "96", "1")
    most = 0
    for name, path in large:
        _, ours = answers.next(numpy.float32, lambda numbers: (3, 96, 96))
        most = max(most, numpy.abs(ours - transformed(path, 96, None)).mean())
    print(f"--draft: mean difference of an input at most {most:.4f}")
    assert 0 < most < 0.05
