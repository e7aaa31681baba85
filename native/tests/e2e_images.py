"""Pixels are bit-identical to Pillow's: hundreds of unusual images, decoded and through validation's and training's transforms, and the
same refusals."""
import collections
import io
import os
import re
import subprocess
import sys
import warnings

import ringlab

ringlab.need_torch()
import numpy  # noqa: E402
import PIL  # noqa: E402
from PIL import Image  # noqa: E402
import torchvision.datasets.folder as folder  # noqa: E402
import torchvision.transforms.functional as functional  # noqa: E402

import image_cases  # noqa: E402
import tiff_cases  # noqa: E402

PROBE = sys.argv[2]
warnings.simplefilter("ignore")


def pillow(path):
    """The result of ImageFolder's loader, or None if it raises."""
    try:
        return numpy.asarray(folder.pil_loader(path))
    except Exception:
        return None


class Answers:
    """The probe's results, file by file."""

    def __init__(self, paths, *arguments):
        done = subprocess.run([PROBE, *arguments], input="".join(path + "\n" for path in paths).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0 and done.stderr == b"", (done.returncode, done.stderr[:500])
        self.stream = io.BytesIO(done.stdout)

    def next(self, dtype, shape):
        """(numbers of the line, array), or the message of the refusal."""
        line = self.stream.readline().decode(errors="replace").split(" ", 1)
        if line[0] != "ok":
            return line[1].strip()
        numbers = [int(n) for n in line[1].split()]
        size = shape(numbers)
        count = int(numpy.prod(size))
        return numbers, numpy.frombuffer(self.stream.read(count * numpy.dtype(dtype).itemsize), dtype).reshape(size)


# Pillow 9.4 is the reference. Later versions fill the missing colours of a palette with black instead of grey levels, and read a few
# rare kinds of TIFF, BMP and GIF in another way.
LATER = re.compile(
    r"png-3-\d-(short|no)-palette|bmp-[48]-(few-colours|white-and-black)-|bmp-header-16|gif-(1|local-palette|no-frame)"
    r"|tiff-1-16x1--2-MM-deflate|tiff-2-(8|16)x4-0-1-(II|MM)-planes-deflate|tiff-5-16x4--1-MM"
)


def known(name):
    """Known differences to Pillow, each with its reason."""
    return (
        (int(PIL.__version__.split(".")[0]) > 9 and LATER.match(name) is not None)
        or name.startswith("tiff-8-")  # CIE L*a*b*: Pillow asks LittleCMS
        or name.startswith("tiff-2-16x4-999-")  # libtiff reads Corel's 999 as alpha at any depth, which we cannot detect
        or name in ("tiff-6-8x3--1-II-tiles", "tiff-6-8x3--1-MM-tiles")  # uncompressed YCbCr: Pillow decodes its tiles to noise, refuses its strips
    )


def transformed(path, size, crop):
    """main.py's transforms, with given draws of RandomResizedCrop."""
    image = folder.pil_loader(path)
    if crop is None:
        edge = size * 256 // 224
        image = functional.center_crop(functional.resize(image, edge), size)
    else:
        left, top, width, height, flip = crop
        image = functional.resized_crop(image, top, left, height, width, [size, size])
        image = functional.hflip(image) if flip else image
    return functional.normalize(functional.to_tensor(image), [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]).numpy()


with ringlab.folder() as root:
    made = os.path.join(root, "made")
    os.makedirs(made)
    subprocess.run([PROBE, "make", made], check=True)
    jpegs = sorted((f"jpeg-{name}", open(os.path.join(made, name), "rb").read()) for name in os.listdir(made))
    cases = [*image_cases.pngs(), *image_cases.bmps(), *image_cases.netpbms(), *image_cases.jpegs(jpegs), *image_cases.webps(), *image_cases.gifs(), *tiff_cases.tiffs(), *image_cases.foreign()]
    paths = []
    for number, (name, data) in enumerate(cases):
        # Only the content counts: every extension with every format.
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
    print(f"{len(cases)} images: {len(read)} equal, {sum(refused.values())} refused by both {dict(refused)}, {len(wrong)} differ")
    assert not wrong, f"{len(wrong)} of {len(cases)}"
    # Through all transforms of validation and training: the formats that are read row by row, and larger ones.
    large = []
    for number, (name, image) in enumerate(image_cases.large()):
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

    # --draft differs from Pillow only for a reduced image, and slightly.
    answers = Answers([path for _, path in large], "validate", "96", "1")
    max_mean = 0
    for name, path in large:
        _, ours = answers.next(numpy.float32, lambda numbers: (3, 96, 96))
        max_mean = max(max_mean, numpy.abs(ours - transformed(path, 96, None)).mean())
    print(f"--draft: mean difference of an input at most {max_mean:.4f}")
    assert 0 < max_mean < 0.05

    # torchvision's list of an unusual folder: its order, links, names that are not valid text.
    tree = os.fsencode(os.path.join(root, "tree"))
    names = [b"s/1.jpg", b"s/c/1.JPEG", b"s b/x.Png", b"s.x/y.ppm", b"s/c b/2.bmp", b"s/c.d/3.pgm", "é/ä.tif".encode(), "\U0001F408/图.tiff".encode(), "\uFFFD/k.webp".encode(),
             b"\xff\x80/bytes.jpg", b"s/\xe9.jpg", b"s/\xc3\xa9.jpg", "s/\uE000.jpg".encode(), "s/\U00010000.jpg".encode(), b"s/.hidden.jpg", b"s/.jpg", b"s/.hidden/4.jpg", b"s/5.jpg.txt",
             b"s/6.gif", b"s/7", b"s/8.jpg/9.jpg", b"S/upper.jpg", b"s-/dash.jpg", b"s/new\nline.jpg", b"s/9.jpg", b"s/10.jpg", b"s/deep/er/and/deeper/x.JpG", b"notes.txt", b"stray.jpg"]
    for name in names:
        os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
        with open(os.path.join(tree, name), "wb") as file:
            file.write(b"x")
    elsewhere = os.path.join(os.fsencode(root), b"elsewhere")
    os.makedirs(os.path.join(elsewhere, b"sub"))
    for name in (b"a.jpg", b"sub/b.png"):
        open(os.path.join(elsewhere, name), "wb").close()
    os.symlink(elsewhere, os.path.join(tree, b"linked class"))
    os.symlink(elsewhere, os.path.join(tree, b"s", b"linked"))
    os.symlink(os.path.join(elsewhere, b"a.jpg"), os.path.join(tree, b"s", b"file.jpg"))
    os.symlink(os.path.join(elsewhere, b"a.jpg"), os.path.join(tree, b"s", b"another name"))
    os.symlink(b"nowhere", os.path.join(tree, b"s", b"broken.jpg"))
    os.symlink(b"nowhere", os.path.join(tree, b"broken class"))
    theirs = folder.make_dataset(os.fsdecode(tree), folder.find_classes(os.fsdecode(tree))[1], folder.IMG_EXTENSIONS)
    ours = subprocess.run([PROBE, "list", tree], check=True, stdout=subprocess.PIPE).stdout.split(b"\0")
    assert [(os.fsencode(path), label) for path, label in theirs] == [(ours[i + 1], int(ours[i])) for i in range(0, len(ours) - 1, 2)], ours
    print(f"{len(theirs)} images of an odd folder in torchvision's order")

    # A class without images ends both.
    os.makedirs(os.path.join(tree, b"empty one"))
    os.makedirs(os.path.join(tree, b"empty two", b"x.jpg"))
    try:
        folder.make_dataset(os.fsdecode(tree), folder.find_classes(os.fsdecode(tree))[1], folder.IMG_EXTENSIONS)
        raise AssertionError("torchvision takes it")
    except FileNotFoundError as error:
        assert "empty one, empty two" in str(error)
    refused = subprocess.run([PROBE, "list", tree], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert refused.returncode == 3 and b"empty one, empty two" in refused.stderr, refused

    # The trainer reports unused files, in its metrics lines and on the console.
    shapes = ringlab.make_shapes(os.path.join(root, "shapes"), train=20, val=20)
    for name in ("train/circle/Thumbs.db", "val/list.csv"):
        os.makedirs(os.path.dirname(os.path.join(shapes, name)), exist_ok=True)
        open(os.path.join(shapes, name), "wb").close()
    (rank,) = ringlab.start(os.path.join(root, "run"), 1, shapes, "-b", "20", "-e", "--image-size", "32")
    assert rank.wait() == 0, rank.log()
    said = [line for line in rank.lines("warning") if line["code"] == "files_left_out"]
    assert [line["path"] for line in said] == [os.path.join(shapes, "train/circle/Thumbs.db"), os.path.join(shapes, "val/list.csv")], said
    assert "1 file of" in rank.log() and "Thumbs.db" in rank.log()
