"""Generated JPEGs of ImageNet's size, with a photograph's cost of decoding.

Each is 500 x 375 pixels: gradients with the spectrum of photographs (amplitude falls as frequency^-1.1), figures with hard edges, a
sensor's noise; saved by Pillow at quality 90 with its default chroma (4:2:0). A file has about 100 kB; those of ImageNet's training set
have a mean of 108 kB (138 GB in 1,281,167 files). The same seed gives the same images.
"""
import os

WIDTH, HEIGHT, QUALITY = 500, 375, 90
NOISE = 9.0  # standard deviation, in levels


def height_of(width):
    return width * HEIGHT // WIDTH


def draw(seed, width=WIDTH):
    import numpy
    from PIL import Image

    height = height_of(width)
    random = numpy.random.default_rng(seed)
    frequency = numpy.hypot(numpy.fft.fftfreq(height)[:, None] * height, numpy.fft.rfftfreq(width)[None, :] * width)
    frequency[0, 0] = 1.0

    def shades(deviation):
        phases = numpy.exp(2j * numpy.pi * random.random(frequency.shape))
        plane = numpy.fft.irfft2(phases / frequency**1.1, s=(height, width))
        return (plane - plane.mean()) * (deviation / plane.std())

    light = shades(36.0)
    image = numpy.stack([random.uniform(80, 170) + light + shades(8.0) for _ in range(3)], axis=2)
    y, x = numpy.mgrid[0:height, 0:width]
    for _ in range(random.integers(4, 9)):
        turn, sides = random.uniform(0, numpy.pi), random.uniform(15, 110, 2) * (width / WIDTH)
        dx, dy = x - random.uniform(0, width), y - random.uniform(0, height)
        along = (dx * numpy.cos(turn) + dy * numpy.sin(turn)) / sides[0]
        across = (dy * numpy.cos(turn) - dx * numpy.sin(turn)) / sides[1]
        inside = along**2 + across**2 < 1 if random.random() < 0.5 else numpy.maximum(abs(along), abs(across)) < 1
        image[inside] += random.uniform(-70, 70, 3)
    image += random.normal(0.0, NOISE, (height, width, 1)) + random.normal(0.0, NOISE / 2, image.shape)
    return Image.fromarray(image.clip(0, 255).astype(numpy.uint8))


def write(root, count, width=WIDTH):
    """`count` images as an ImageFolder of two classes; val has the same ones. Existing files are kept. Returns the mean size of a file in bytes."""
    total = 0
    for i in range(count):
        name = os.path.join(f"class-{i % 2}", f"{i:05d}.jpg")
        first = os.path.join(root, "train", name)
        second = os.path.join(root, "val", name)
        for path in (first, second):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(second):
            draw(i, width).save(first, quality=QUALITY)
            os.link(first, second)
        total += os.path.getsize(first)
    return total / count
