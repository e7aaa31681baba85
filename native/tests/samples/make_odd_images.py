"""Seeds for the fuzz tests of the formats other than JPEG and PNG."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import image_cases  # noqa: E402
import tiff_cases  # noqa: E402

WANTED = {
    "rle8.bmp": "bmp-rle8-True-37x23", "palette.bmp": "bmp-4-37x23", "fields.bmp": "bmp-fields-3-108-8x5",
    "plain.ppm": "ppm-3-1000-8x5", "raw.pgm": "ppm-5-65535-8x5", "bits.pbm": "pbm-4-8x5",
    "deflate.tif": "tiff-2-8x3--1-II-predictor", "tiles.tif": "tiff-5-8x4--1-MM-deflate-tiles", "planes.tif": "tiff-2-16x4-1-1-II-planes-deflate", "jpeg.tif": "tiff-jpeg-ycbcr-30-2",
    "fax.tif": "tiff-pillow-1-group4", "ycbcr.tif": "tiff-ycbcr-2x2-8", "big.tif": "tiff-big-False",
    "lossy.webp": "webp-L-10", "lossless.webp": "webp-P-lossless", "animated.webp": "webp-small-first-frame", "interlaced.gif": "gif-5-noise-interlaced-37x23",
}
cases = dict([*image_cases.bmps(), *image_cases.netpbms(), *image_cases.webps(), *image_cases.gifs(), *tiff_cases.tiffs()])
for name, case in WANTED.items():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "wb") as file:
        file.write(cases[case])
