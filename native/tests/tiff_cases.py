"""TIFFs created by hand and by Pillow: (name, bytes)."""
import struct
import zlib

import numpy
from PIL import Image

from image_cases import RANDOM, images, noise, saved, smooth

TYPES = {1: "B", 3: "H", 4: "I", 5: "II", 16: "Q"}


def tiff(tags, blocks, big_endian=False, big=False, pages=1):
    """`tags`: {tag: (type, values)}; `blocks`: the strips or tiles. Their offsets and lengths are filled in (273/279, with tiles 324/325)."""
    order = ">" if big_endian else "<"
    word, inline = ("Q", 8) if big else ("I", 4)
    head = (b"MM" if big_endian else b"II") + (struct.pack(order + "HHHQ", 43, 8, 0, 16) if big else struct.pack(order + "HI", 42, 8))
    tiled = 322 in tags
    tags = dict(tags)
    tags[324 if tiled else 273] = (16 if big else 4, [0] * len(blocks))
    tags[325 if tiled else 279] = (16 if big else 4, [len(b) for b in blocks])
    entry = 20 if big else 12
    directory = (8 if big else 2) + entry * len(tags) + (8 if big else 4)
    def packed(kind, values):
        return b"".join(struct.pack(order + TYPES[kind], *(v if isinstance(v, tuple) else (v,))) for v in values)
    at = len(head) + directory
    places = {}
    for tag, (kind, values) in sorted(tags.items()):
        size = len(packed(kind, values))
        if size > inline:
            places[tag] = at
            at += size + size % 2
    offsets = []
    for block in blocks:
        offsets.append(at)
        at += len(block) + len(block) % 2
    tags[324 if tiled else 273] = (16 if big else 4, offsets)
    out = head + struct.pack(order + ("Q" if big else "H"), len(tags))
    behind = b""
    for tag, (kind, values) in sorted(tags.items()):
        data = packed(kind, values)
        out += struct.pack(order + "HH" + word, tag, kind, len(values))
        if tag in places:
            out += struct.pack(order + word, places[tag])
            behind += data + bytes(len(data) % 2)
        else:
            out += data + bytes(inline - len(data))
    out += struct.pack(order + word, 0) + behind
    return out + b"".join(block + bytes(len(block) % 2) for block in blocks)


def tiff_bytes(width, height, photometric, bits, samples, extra=(), sample_format=1, fill_order=1, compression=1, rows=None, tile=None, planar=1, big_endian=False, big=False, predictor=1, data=None, more=None):
    """Samples of noise (or `data`: height, width, samples), in strips of `rows` or in tiles."""
    kind = {(1, 8): "u1", (1, 16): "u2", (1, 32): "u4", (2, 16): "i2", (2, 32): "i4", (3, 32): "f4"}.get((sample_format, bits))
    order = ">" if big_endian else "<"
    def block(left, top, across, down, planes):
        if kind is None:
            return noise(down * ((across * planes * bits + 7) // 8)).tobytes()
        if data is not None:
            part = numpy.zeros((down, across, planes), order + kind)
            source = data[top:top + down, left:left + across]
            part[:source.shape[0], :source.shape[1]] = source[:, :, :planes]
        elif sample_format == 3:
            part = (RANDOM.rand(down, across, planes) * 400 - 60).astype(order + kind)
        else:
            low, high = (0, 256) if bits == 8 else (0, 700) if samples == 1 and sample_format == 1 and bits < 32 else (-300, 3000) if sample_format == 2 else (0, 65536)
            part = RANDOM.randint(low, high, (down, across, planes)).astype(order + kind)
        if predictor == 2:
            part = numpy.concatenate([part[:, :1], part[:, 1:] - part[:, :-1]], 1).astype(order + kind)
        return part.tobytes()
    planes, layers = (1, samples) if planar == 2 else (samples, 1)
    blocks = []
    for _ in range(layers):
        if tile:
            blocks += [block(x, y, tile[0], tile[1], planes) for y in range(0, height, tile[1]) for x in range(0, width, tile[0])]
        else:
            step = rows or height
            blocks += [block(0, y, width, min(step, height - y), planes) for y in range(0, height, step)]
    if compression in (8, 32946):
        blocks = [zlib.compress(b) for b in blocks]
    tags = {256: (4, [width]), 257: (4, [height]), 258: (3, [bits] * samples), 259: (3, [compression]), 262: (3, [photometric]), 277: (3, [samples]), 284: (3, [planar])}
    if tile:
        tags.update({322: (4, [tile[0]]), 323: (4, [tile[1]])})
    else:
        tags[278] = (4, [rows or height])
    if extra:
        tags[338] = (3, list(extra))
    if sample_format != 1:
        tags[339] = (3, [sample_format] * samples)
    if fill_order != 1:
        tags[266] = (3, [fill_order])
    if photometric == 3:
        tags[320] = (3, [int(v) for v in RANDOM.randint(0, 65536, 3 * 2 ** bits)])
    if predictor != 1:
        tags[317] = (3, [predictor])
    tags.update(more or {})
    return tiff(tags, blocks, big_endian, big)


def tiffs():
    kinds = [(p, b, 1, (), f) for p in (0, 1) for b, f in ((1, 1), (2, 1), (4, 1), (8, 1), (12, 1), (16, 1), (32, 1), (16, 2), (32, 2), (32, 3))]
    kinds += [(3, b, 1, (), 1) for b in (1, 2, 4, 8)] + [(3, 8, 2, (2,), 1), (1, 8, 2, (2,), 1), (1, 8, 2, (1,), 1), (1, 8, 2, (0,), 1), (0, 8, 2, (2,), 1), (1, 16, 2, (2,), 1), (1, 16, 1, (), 3)]
    kinds += [(2, 8, 3, (), 1), (2, 16, 3, (), 1), (2, 32, 3, (), 1), (2, 8, 3, (), 2), (2, 4, 3, (), 1)]
    kinds += [(2, bits, 4, extra, 1) for bits in (8, 16) for extra in ((), (0,), (1,), (2,), (999,))]
    kinds += [(2, 8, 5, extra, 1) for extra in ((0, 0), (1, 0), (2, 0), (0, 1))] + [(2, 8, 6, extra, 1) for extra in ((0, 0, 0), (1, 0, 0), (2, 0, 0))]
    kinds += [(5, 8, 4, (), 1), (5, 16, 4, (), 1), (5, 8, 5, (0,), 1), (5, 8, 6, (0, 0), 1), (5, 8, 5, (1,), 1), (6, 8, 3, (), 1), (8, 8, 3, (), 1), (9, 8, 3, (), 1)]
    for photometric, bits, samples, extra, form in kinds:
        for big_endian in (False, True):
            what = f"tiff-{photometric}-{bits}x{samples}-{'.'.join(map(str, extra))}-{form}-{'MM' if big_endian else 'II'}"
            common = {"extra": extra, "sample_format": form, "big_endian": big_endian, "more": {530: (3, [1, 1])} if photometric == 6 else None}
            yield what, tiff_bytes(37, 23, photometric, bits, samples, **common)
            yield f"{what}-strips", tiff_bytes(37, 23, photometric, bits, samples, rows=5, **common)
            yield f"{what}-deflate", tiff_bytes(37, 23, photometric, bits, samples, compression=8, rows=7, **common)
            if bits >= 8 and bits != 12:
                yield f"{what}-tiles", tiff_bytes(37, 23, photometric, bits, samples, tile=(16, 16), **common)
                yield f"{what}-deflate-tiles", tiff_bytes(37, 23, photometric, bits, samples, compression=8, tile=(32, 16), **common)
            if samples in (3, 4) and bits in (8, 16) and photometric != 6:
                yield f"{what}-planes-deflate", tiff_bytes(37, 23, photometric, bits, samples, compression=8, planar=2, rows=6, **common)
                yield f"{what}-planes-tiles-deflate", tiff_bytes(37, 23, photometric, bits, samples, compression=8, planar=2, tile=(16, 16), **common)
                if bits == 8 and extra in ((), (2,)):
                    yield f"{what}-planes", tiff_bytes(37, 23, photometric, bits, samples, planar=2, rows=6, **common)
            if form == 1 and bits in (8, 16) and photometric in (1, 2):
                yield f"{what}-predictor", tiff_bytes(37, 23, photometric, bits, samples, compression=8, predictor=2, rows=6, **common)
    for photometric, bits, samples in ((0, 1, 1), (1, 1, 1), (0, 2, 1), (1, 4, 1), (1, 8, 1), (0, 8, 1), (2, 8, 3), (2, 8, 4), (3, 1, 1), (3, 4, 1), (3, 8, 1), (1, 16, 1)):
        for compression in (1, 8):
            yield f"tiff-fill-order-2-{photometric}-{bits}x{samples}-{compression}", tiff_bytes(37, 23, photometric, bits, samples, fill_order=2, compression=compression)
    for orientation in range(0, 10):
        for compression in (1, 8):
            yield f"tiff-orientation-{orientation}-{compression}", tiff_bytes(37, 23, 2, 8, 3, compression=compression, rows=5, more={274: (3, [orientation])})
    for big_endian in (False, True):
        yield f"tiff-big-{big_endian}", tiff_bytes(37, 23, 2, 8, 3, big=True, big_endian=big_endian, rows=5)
        yield f"tiff-big-16-{big_endian}", tiff_bytes(37, 23, 1, 16, 1, big=True, big_endian=big_endian, compression=8)
    whole = tiff_bytes(37, 23, 2, 8, 3, rows=5)
    yield "tiff-no-photometric", tiff_bytes(16, 16, 1, 8, 1).replace(struct.pack("<HHI", 262, 3, 1), struct.pack("<HHI", 40262, 3, 1))
    yield "tiff-cut", whole[:-300]
    yield "tiff-cut-deflate", tiff_bytes(37, 23, 2, 8, 3, compression=8)[:-300]
    yield "tiff-cut-early", whole[:30]
    yield "tiff-trailing", whole + noise(100).tobytes()
    yield "tiff-no-width", tiff_bytes(0, 23, 2, 8, 3, data=numpy.zeros((23, 1, 3)))
    yield "tiff-rows-a-strip-huge", tiff_bytes(37, 23, 2, 8, 3, more={278: (4, [0xFFFFFFFF])})
    yield "tiff-rows-a-strip-huge-deflate", tiff_bytes(37, 23, 2, 8, 3, compression=8, more={278: (4, [0xFFFFFFFF])})
    yield "tiff-unknown-compression", tiff_bytes(37, 23, 2, 8, 3, compression=9999)
    for mode, image in images():
        for compression in (None, "tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "packbits", "jpeg", "group3", "group4", "tiff_ccitt", "lzma", "zstd", "webp"):
            if (compression == "jpeg" and mode not in ("L", "RGB", "CMYK")) or (compression in ("group3", "group4", "tiff_ccitt") and mode != "1") or (compression == "webp" and mode not in ("RGB", "RGBA")):
                continue
            try:
                yield f"tiff-pillow-{mode}-{compression}", saved(image, "TIFF", compression=compression)
            except (OSError, ValueError, SystemError, RuntimeError):
                continue
    photo = Image.fromarray(smooth(150, 90, 3))
    for quality in (30, 90):
        yield f"tiff-jpeg-{quality}", saved(photo, "TIFF", compression="jpeg", quality=quality)
        for subsampling, factors in ((0, [1, 1]), (1, [2, 1]), (2, [2, 2])):
            stream = saved(photo, "JPEG", quality=quality, subsampling=subsampling)
            tags = {256: (4, [150]), 257: (4, [90]), 258: (3, [8, 8, 8]), 259: (3, [7]), 262: (3, [6]), 277: (3, [3]), 284: (3, [1]), 278: (4, [90]), 530: (3, factors)}
            yield f"tiff-jpeg-ycbcr-{quality}-{subsampling}", tiff(tags, [stream])
    yield "tiff-pages", saved(photo, "TIFF", save_all=True, append_images=[photo.rotate(90), photo.convert("L")])
    # YCbCr with subsampled chroma, uncompressed and deflated: libtiff converts it to RGB.
    for across, down in ((2, 2), (2, 1), (4, 1), (1, 1), (4, 4)):
        for compression in (1, 8):
            units = noise((32 // across) * (24 // down) * (across * down + 2)).tobytes()
            tags = {256: (4, [32]), 257: (4, [24]), 258: (3, [8, 8, 8]), 259: (3, [compression]), 262: (3, [6]), 277: (3, [3]), 284: (3, [1]), 278: (4, [24]), 530: (3, [across, down]), 531: (3, [1])}
            yield f"tiff-ycbcr-{across}x{down}-{compression}", tiff(tags, [zlib.compress(units) if compression == 8 else units])
