"""Creates the small images beside it: each kind of JPEG and PNG that a data set may contain. Needs Pillow; the files are committed."""
import os
import random

from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))


def made_image(mode, width=37, height=29):
    draw = random.Random(5)
    channels = len(mode) if mode != "P" else 1
    values = []
    for y in range(height):
        for x in range(width):
            values.append(tuple((x * 6 + y * 3 * (c + 1) + draw.randrange(24)) % 256 for c in range(channels)))
    image = Image.new("L" if mode == "P" else mode, (width, height))
    image.putdata([v[0] for v in values] if channels == 1 else values)
    return image


def save(name, image, **how):
    image.save(os.path.join(HERE, name), **how)


save("baseline.jpg", made_image("RGB"), quality=90, subsampling=2)
save("progressive.jpg", made_image("RGB"), quality=80, progressive=True)
save("grey.jpg", made_image("L"), quality=85)
save("cmyk.jpg", made_image("CMYK"), quality=85)
exif = Image.Exif()
exif[0x0112] = 6  # rotated; torchvision ignores it, and so do we
save("exif.jpg", made_image("RGB"), quality=75, exif=exif)
save("rgb.png", made_image("RGB"))
save("grey.png", made_image("L"))
save("alpha.png", made_image("RGBA"))
save("palette.png", made_image("P").quantize(16))
save("sixteen.png", Image.frombytes("I;16", (9, 7), bytes(range(126))))
