"""Hundreds of small images of every kind that Pillow reads with ImageFolder's extensions: (name, bytes), created by Pillow and by hand."""
import io
import struct
import zlib

import numpy
from PIL import Image

RANDOM = numpy.random.RandomState(7)


def noise(*shape):
    return RANDOM.randint(0, 256, shape).astype(numpy.uint8)


def smooth(width, height, channels):
    y, x = numpy.mgrid[0:height, 0:width]
    planes = [(x * (3 + c) + y * (5 - c) + 40 * c + 30 * numpy.sin(x / 7 + c)) for c in range(channels)]
    array = numpy.clip(numpy.stack(planes, -1) % 256 + RANDOM.randint(-6, 7, (height, width, channels)), 0, 255).astype(numpy.uint8)
    return array[:, :, 0] if channels == 1 else array


def saved(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def images():
    """One of each of Pillow's modes."""
    rgb = Image.fromarray(smooth(61, 43, 3))
    yield "1", Image.fromarray(noise(43, 61)).convert("1")
    yield "L", Image.fromarray(smooth(61, 43, 1))
    yield "LA", Image.merge("LA", [Image.fromarray(smooth(61, 43, 1)), Image.fromarray(noise(43, 61))])
    yield "P", rgb.quantize(200)
    yield "RGB", rgb
    yield "RGBA", Image.fromarray(noise(43, 61, 4), "RGBA")
    yield "CMYK", Image.fromarray(smooth(61, 43, 4), "CMYK")
    yield "I;16", Image.fromarray(RANDOM.randint(0, 700, (43, 61)).astype(numpy.uint16))
    yield "I", Image.fromarray(RANDOM.randint(-300, 70000, (43, 61)).astype(numpy.int32))
    yield "F", Image.fromarray((RANDOM.rand(43, 61) * 400 - 60).astype(numpy.float32))


# PNG

def png_chunk(kind, data, wrong=False):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", (zlib.crc32(kind + data) + wrong) & 0xFFFFFFFF)


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(width, height, kind, depth, interlaced=False, before=b"", after=b"", filters=(0, 1, 2, 3, 4), pieces=1, rows_less=0, header_end=b"\0\0", whole=True):
    """With noise as data: the filters' output is noise again, the same for each reader."""
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    rows = b""
    passes = ADAM7 if interlaced else [(0, 0, 1, 1)]
    for left, top, across, down in passes:
        columns = max(0, -(-(width - left) // across))
        if columns == 0:
            continue
        for y in range(top, height - rows_less, down):
            rows += bytes([filters[y % len(filters)]]) + noise((columns * channels * depth + 7) // 8).tobytes()
    data = zlib.compress(rows)
    cuts = [len(data) * i // pieces for i in range(pieces + 1)]
    out = b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", struct.pack(">IIBB", width, height, depth, kind) + header_end + bytes([interlaced])) + before
    out += b"".join(png_chunk(b"IDAT", data[a:b]) for a, b in zip(cuts, cuts[1:])) + after
    return out + (png_chunk(b"IEND", b"") if whole else b"")


def pngs():
    kinds = [(0, d) for d in (1, 2, 4, 8, 16)] + [(2, 8), (2, 16)] + [(3, d) for d in (1, 2, 4, 8)] + [(4, 8), (4, 16), (6, 8), (6, 16)]
    for kind, depth in kinds:
        for interlaced in (False, True):
            for width, height in ((37, 23), (1, 1), (5, 9), (8, 2)):
                palette = png_chunk(b"PLTE", noise(3 * 2 ** depth).tobytes()) if kind == 3 else b""
                name = f"png-{kind}-{depth}-{'adam7' if interlaced else 'plain'}-{width}x{height}"
                yield name, png(width, height, kind, depth, interlaced, palette)
        palette = png_chunk(b"PLTE", noise(3 * 2 ** depth).tobytes()) if kind == 3 else b""
        gamma = {"gamma-1": png_chunk(b"gAMA", struct.pack(">I", 100000)), "gamma-1.8": png_chunk(b"gAMA", struct.pack(">I", 55556)),
                 "srgb": png_chunk(b"sRGB", b"\0") + png_chunk(b"gAMA", struct.pack(">I", 45455)),
                 "chrm": png_chunk(b"cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)),
                 "iccp": png_chunk(b"iCCP", b"p\0\0" + zlib.compress(noise(200).tobytes())),
                 "sbit": png_chunk(b"sBIT", bytes([max(1, depth - 1)] * {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}[kind])),
                 "unknown": png_chunk(b"quQQ", b"12345")}
        for name, chunk in gamma.items():
            yield f"png-{kind}-{depth}-{name}", png(19, 11, kind, depth, False, chunk + palette)
        transparency = {0: struct.pack(">H", 5 % 2 ** depth), 2: struct.pack(">HHH", 1, 2, 3), 3: noise(2 ** depth).tobytes()}.get(kind)
        if transparency:
            yield f"png-{kind}-{depth}-trns", png(19, 11, kind, depth, False, palette + png_chunk(b"tRNS", transparency))
    for depth in (1, 2, 4, 8):
        yield f"png-3-{depth}-short-palette", png(33, 14, 3, depth, False, png_chunk(b"PLTE", noise(3 * (2 ** depth // 2)).tobytes()))
        yield f"png-3-{depth}-no-palette", png(33, 14, 3, depth)
    yield "png-palette-one-transparent", png(33, 14, 3, 8, False, png_chunk(b"PLTE", noise(768).tobytes()) + png_chunk(b"tRNS", b"\xff\xff\0\xff"))
    yield "png-palette-too-large", png(33, 14, 3, 8, False, png_chunk(b"PLTE", noise(771).tobytes()))
    yield "png-rgb-with-palette", png(33, 14, 2, 8, False, png_chunk(b"PLTE", noise(30).tobytes()))
    yield "png-many-pieces", png(90, 70, 2, 8, pieces=50)
    yield "png-no-end", png(30, 20, 2, 8, whole=False)
    yield "png-rows-missing", png(30, 20, 2, 8, rows_less=3)
    yield "png-unknown-filter", png(30, 20, 2, 8, filters=(0, 5))
    yield "png-interlace-2", png(30, 20, 2, 8, header_end=b"\0\0").replace(png_chunk(b"IHDR", struct.pack(">IIBB", 30, 20, 8, 2) + b"\0\0\0"), png_chunk(b"IHDR", struct.pack(">IIBB", 30, 20, 8, 2) + b"\0\0\2"))
    yield "png-filter-method", png(30, 20, 2, 8, header_end=b"\0\1")
    yield "png-3-bits", png(30, 20, 0, 3)
    yield "png-behind-its-end", png(30, 20, 2, 8) + noise(100).tobytes()
    yield "png-wrong-sum-before", png(30, 20, 2, 8, before=png_chunk(b"gAMA", struct.pack(">I", 45455), wrong=True))
    whole = png(30, 20, 2, 8)
    yield "png-wrong-sum-of-pixels", whole[:-16] + b"\0\0\0\0" + whole[-12:]
    yield "png-no-sum-behind-pixels", whole[:-16]
    for part in (20, 40, 60, len(whole) // 2, len(whole) - 40):
        yield f"png-cut-{part}", whole[:part]
    yield "png-damaged", whole[:700] + bytes([whole[700] ^ 255]) + whole[701:]
    animation = [Image.fromarray(noise(20, 30, 4), "RGBA") for _ in range(3)]
    yield "apng", saved(animation[0], "PNG", save_all=True, append_images=animation[1:], duration=50)
    yield "apng-default", saved(animation[0], "PNG", save_all=True, default_image=True, append_images=animation[1:])
    for mode, image in images():
        if mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I", "I;16"):
            yield f"png-pillow-{mode}", saved(image, "PNG")
    yield "png-pillow-4-bits", saved(Image.fromarray(smooth(61, 43, 3)).quantize(12), "PNG", bits=4, transparency=3)


# BMP

def bmp(width, height, bits, data, header=40, compression=0, colours=0, palette=b"", masks=b"", offset=None, upside=1):
    if header == 12:
        info = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        info = struct.pack("<IiiHHIIiiII", header, width, upside * height, 1, bits, compression, len(data), 2835, 2835, colours, 0)
        info += masks if header > 40 else b""
        info += bytes(header - len(info)) if len(info) < header else b""
        info = info[:header] if header > 40 else info + masks
    at = 14 + len(info) + len(palette) if offset is None else offset
    return b"BM" + struct.pack("<IHHI", at + len(data), 0, 0, at) + info + palette + data


def bmp_rows(width, height, bits):
    return noise(height * ((width * bits + 31) // 32 * 4)).tobytes()


def runs(width, height, half, delta=False):
    out = b""
    for y in range(height):
        x = 0
        while x < width:
            count = min(width - x, int(RANDOM.randint(1, 9)))
            if RANDOM.randint(2) and 3 <= count:
                size = (count + 1) // 2 if half else count
                literal = noise(size).tobytes()
                if half:  # as Pillow reads it: count // 2 bytes
                    count -= count % 2
                    literal = literal[:count // 2]
                out += bytes([0, count]) + literal + bytes(len(literal) % 2)
            else:
                out += bytes([count, RANDOM.randint(256)])
            x += count
        out += b"\0\0" if RANDOM.randint(2) or y % 3 else b""
        if delta and y == 2:
            out += b"\0\2\0\0\3\1"
    return out + b"\0\1"


def bmps():
    ramp = b"".join(bytes([i, i, i, 0]) for i in range(256))
    for width, height in ((37, 23), (1, 1), (8, 5), (64, 3)):
        for bits in (1, 4, 8):
            palette = noise(4 * 2 ** bits).tobytes()
            rows = bmp_rows(width, height, bits)
            yield f"bmp-{bits}-{width}x{height}", bmp(width, height, bits, rows, palette=palette)
            yield f"bmp-{bits}-top-down-{width}x{height}", bmp(width, height, bits, rows, palette=palette, upside=-1)
            yield f"bmp-{bits}-os2-{width}x{height}", bmp(width, height, bits, rows, header=12, palette=palette[:3 * 2 ** bits])
            yield f"bmp-{bits}-os2-64-{width}x{height}", bmp(width, height, bits, rows, header=64, palette=palette)
            yield f"bmp-{bits}-no-offset-{width}x{height}", bmp(width, height, bits, rows, palette=palette, offset=0)
            yield f"bmp-{bits}-offset-at-palette-{width}x{height}", bmp(width, height, bits, rows, palette=palette, offset=54)
            yield f"bmp-{bits}-few-colours-{width}x{height}", bmp(width, height, bits, rows, palette=palette[:4 * (2 ** bits // 2 + 1)], colours=2 ** bits // 2 + 1)
            yield f"bmp-{bits}-ramp-{width}x{height}", bmp(width, height, bits, rows, palette=ramp[:4 * 2 ** bits])
            yield f"bmp-{bits}-black-and-white-{width}x{height}", bmp(width, height, bits, rows, palette=b"\0\0\0\0\xff\xff\xff\0", colours=2)
            yield f"bmp-{bits}-white-and-black-{width}x{height}", bmp(width, height, bits, rows, palette=b"\xff\xff\xff\0\0\0\0\0", colours=2)
        for bits in (16, 24, 32):
            for header in (12, 40, 64, 108, 124):
                yield f"bmp-{bits}-{header}-{width}x{height}", bmp(width, height, bits, bmp_rows(width, height, bits), header=header)
        masks = [(16, (0xF800, 0x7E0, 0x1F, 0)), (16, (0x7C00, 0x3E0, 0x1F, 0)), (16, (0xF00, 0xF0, 0xF, 0)), (24, (0xFF0000, 0xFF00, 0xFF, 0)), (32, (0xFF0000, 0xFF00, 0xFF, 0)),
                 (32, (0xFF000000, 0xFF0000, 0xFF00, 0)), (32, (0xFF000000, 0xFF0000, 0xFF00, 0xFF)), (32, (0xFF, 0xFF00, 0xFF0000, 0xFF000000)), (32, (0xFF0000, 0xFF00, 0xFF, 0xFF000000)), (32, (0, 0, 0, 0)),
                 (32, (0xFF, 0xFF00, 0xFF0000, 0)), (8, (1, 2, 3, 0))]
        for index, (bits, mask) in enumerate(masks):
            for header in (40, 108, 124):
                packed = struct.pack("<4I", *mask)
                yield f"bmp-fields-{index}-{header}-{width}x{height}", bmp(width, height, bits, bmp_rows(width, height, bits), header=header, compression=3, masks=packed[:12] if header == 40 else packed)
        palette = noise(1024).tobytes()
        for delta in (False, True):
            yield f"bmp-rle8-{delta}-{width}x{height}", bmp(width, height, 8, runs(width, height, False, delta) + bytes(8), compression=1, palette=palette)
            yield f"bmp-rle4-{delta}-{width}x{height}", bmp(width, height, 4, runs(width, height, True, delta) + bytes(8), compression=2, palette=palette[:64])
        yield f"bmp-rle8-ramp-{width}x{height}", bmp(width, height, 8, runs(width, height, False), compression=1, palette=ramp)
        yield f"bmp-rle8-top-down-{width}x{height}", bmp(width, height, 8, runs(width, height, False), compression=1, palette=palette, upside=-1)
        yield f"bmp-rle-24-{width}x{height}", bmp(width, height, 24, runs(width, height, False), compression=1)
        yield f"bmp-rle8-cut-{width}x{height}", bmp(width, height, 8, runs(width, height, False)[:width], compression=1, palette=palette)
    rows = bmp_rows(37, 23, 24)
    yield "bmp-cut", bmp(37, 23, 24, rows)[:-100]
    yield "bmp-last-padding-cut", bmp(37, 23, 24, rows)[:-1]
    yield "bmp-2-bits", bmp(37, 23, 2, rows, palette=bytes(16))
    yield "bmp-jpeg", bmp(37, 23, 24, rows, compression=4)
    yield "bmp-header-16", bmp(37, 23, 24, rows, header=56)
    yield "bmp-no-width", bmp(0, 23, 24, rows)
    for mode, image in images():
        if mode in ("1", "L", "P", "RGB", "RGBA"):
            yield f"bmp-pillow-{mode}", saved(image, "BMP")


# Netpbm

def netpbms():
    for width, height in ((37, 23), (1, 1), (8, 5)):
        for maxval in (1, 7, 100, 254, 255, 256, 1000, 65534, 65535):
            for kind, channels in ((2, 1), (3, 3), (5, 1), (6, 3)):
                values = RANDOM.randint(0, maxval + 1, width * height * channels)
                if kind <= 3:
                    body = " ".join(str(v) for v in values).encode()
                else:
                    body = values.astype(">u2" if maxval > 255 else numpy.uint8).tobytes()
                yield f"ppm-{kind}-{maxval}-{width}x{height}", f"P{kind}\n{width} {height}\n{maxval}\n".encode() + body
                if kind >= 5 and maxval in (7, 1000):
                    beyond = RANDOM.randint(0, 256, len(body)).astype(numpy.uint8).tobytes()
                    yield f"ppm-{kind}-{maxval}-beyond-{width}x{height}", f"P{kind}\n{width} {height}\n{maxval}\n".encode() + beyond
        bits = RANDOM.randint(0, 2, width * height)
        yield f"pbm-1-{width}x{height}", f"P1\n{width} {height}\n".encode() + "".join(str(b) for b in bits).encode()
        yield f"pbm-1-spaced-{width}x{height}", f"P1 {width}\t{height} ".encode() + "\n".join(str(b) for b in bits).encode() + b"\n"
        yield f"pbm-4-{width}x{height}", f"P4\n{width} {height}\n".encode() + noise(height * ((width + 7) // 8)).tobytes()
    six = bytes(noise(3 * 3 * 2))
    yield "ppm-comments", b"P6 # one\n# two\n3#x\n # three\r2\n#four\n255\n" + six
    yield "ppm-comment-in-number", b"P6\n3#x\n0 2 255\n" + bytes(noise(3 * 30 * 2))
    yield "ppm-carriage-returns", b"P6\r3\r2\r255\r" + six
    yield "ppm-text-comments", b"P2\n3 2\n255\n1 2 #three four\n3 4 5#x\n 6\n"
    yield "pbm-text-comments", b"P1\n3 2\n1 0 #1 1\n1 0 01"
    yield "pbm-text-wrong", b"P1\n3 2\n1 0 2 1 0 1"
    yield "ppm-text-beyond", b"P2\n3 2\n9\n1 2 3 4 5 10\n"
    yield "ppm-text-short", b"P2\n3 2\n9\n1 2 3 4 5\n"
    yield "ppm-text-words", b"P2\n3 2\n9\n1 2 three 4 5 6\n"
    yield "ppm-short", b"P6\n3 2\n255\n" + six[:-1]
    yield "ppm-longer", b"P6\n3 2\n255\n" + six + b"behind"
    yield "ppm-maxval-0", b"P6\n3 2\n0\n" + six
    yield "ppm-maxval-65536", b"P6\n3 2\n65536\n" + six * 2
    yield "ppm-negative", b"P6\n-3 2\n255\n" + six
    yield "ppm-long-number", b"P6\n00000000003 2\n255\n" + six
    yield "ppm-leading-zeros", b"P6\n0003 02\n0255\n" + six
    yield "ppm-no-space", b"P63 2\n255\n" + six
    yield "ppm-7", b"P7\n3 2\n255\n" + six
    for mode, image in images():
        if mode in ("1", "L", "RGB", "RGBA", "I"):
            yield f"ppm-pillow-{mode}", saved(image, "PPM")


# JPEG, beside those of image_probe

def jpegs(made):
    """`made`: (name, bytes) of JPEGs."""
    yield from made
    photo = Image.fromarray(smooth(149, 117, 3))
    for mode, image in images():
        if mode in ("1", "L", "RGB", "CMYK"):
            for quality in (30, 75, 95):
                yield f"jpeg-pillow-{mode}-{quality}", saved(image, "JPEG", quality=quality)
                yield f"jpeg-pillow-{mode}-{quality}-progressive", saved(image, "JPEG", quality=quality, progressive=True, optimize=True)
    for subsampling in (0, 1, 2):
        yield f"jpeg-pillow-subsampling-{subsampling}", saved(photo, "JPEG", subsampling=subsampling)
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        yield f"jpeg-orientation-{orientation}", saved(photo, "JPEG", exif=exif.tobytes())
    yield "mpo", saved(photo, "MPO", save_all=True, append_images=[photo.rotate(90)])
    base, progressive, grey = saved(photo, "JPEG"), saved(photo, "JPEG", progressive=True), saved(photo.convert("L"), "JPEG")
    for name, data in (("baseline", base), ("progressive", progressive), ("grey", grey)):
        for part in (2, 20, 100, len(data) // 2, len(data) - 200, len(data) - 30, len(data) - 4, len(data) - 3, len(data) - 2, len(data) - 1):
            yield f"jpeg-{name}-cut-{part}", data[:part]
        yield f"jpeg-{name}-cut-and-ended", data[:len(data) // 2] + b"\xff\xd9"
        yield f"jpeg-{name}-cut-and-garbage", data[:len(data) - 2] + b"\0" * 300
        yield f"jpeg-{name}-trailing", data + noise(1000).tobytes()
        yield f"jpeg-{name}-trailing-jpeg", data + data
        for seed in range(12):
            damaged = bytearray(data)
            place = 640 + (seed * 997) % (len(data) - 700)
            damaged[place] ^= 1 << (seed % 8)
            yield f"jpeg-{name}-damaged-{seed}", bytes(damaged)
    frame = base.index(b"\xff\xc0")
    yield "jpeg-12-bits", base[:frame + 4] + b"\x0c" + base[frame + 5:]
    yield "jpeg-two-components", base[:frame] + b"\xff\xc0\x00\x0e\x08" + base[frame + 5:frame + 9] + b"\x02" + base[frame + 10:frame + 16] + base[frame + 19:]
    yield "jpeg-no-height", base[:frame + 5] + b"\0\0" + base[frame + 7:]
    yield "jpeg-garbage-before", b"\0" + base
    yield "jpeg-padding", base[:2] + b"\xff" * 20 + base[2:]
    yield "jpeg-comment", base[:2] + b"\xff\xfe\x00\x08hello." + base[2:]


# WebP

def webps():
    for mode, image in images():
        if mode in ("L", "RGB", "RGBA", "P"):
            for name, options in (("10", {"quality": 10}), ("80", {"quality": 80}), ("lossless", {"lossless": True}), ("exact", {"lossless": True, "exact": True}), ("slow", {"method": 6, "quality": 50})):
                yield f"webp-{mode}-{name}", saved(image, "WEBP", **options)
    for width, height in ((1, 1), (2, 3), (17, 16), (200, 151)):
        yield f"webp-{width}x{height}", saved(Image.fromarray(smooth(width, height, 3)), "WEBP")
        yield f"webp-alpha-{width}x{height}", saved(Image.fromarray(noise(height, width, 4), "RGBA"), "WEBP", quality=60)
    photo = Image.fromarray(smooth(90, 60, 3))
    yield "webp-metadata", saved(photo, "WEBP", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0", icc_profile=noise(300).tobytes(), xmp=b"<x/>")
    frames = [Image.fromarray(noise(40, 50, 4), "RGBA") for _ in range(3)]
    frames[1].putpixel((0, 0), (1, 2, 3, 0))
    for lossless in (False, True):
        yield f"webp-animation-{lossless}", saved(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=lossless)
        yield f"webp-animation-rgb-{lossless}", saved(photo, "WEBP", save_all=True, append_images=[photo.rotate(3)], lossless=lossless, background=(9, 8, 7, 255))
    # A first frame that does not fill the canvas.
    part = saved(Image.fromarray(noise(20, 30, 4), "RGBA"), "WEBP", lossless=True)
    part = part[part.index(b"VP8L"):]
    def chunk(name, data):
        return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)
    def three(value):
        return struct.pack("<I", value)[:3]
    frame = chunk(b"ANMF", three(4) + three(3) + three(29) + three(19) + three(100) + b"\0" + part)
    body = b"WEBP" + chunk(b"VP8X", b"\x12\0\0\0" + three(49) + three(39)) + chunk(b"ANIM", b"\x10\x20\x30\xff\0\0") + frame
    yield "webp-small-first-frame", b"RIFF" + struct.pack("<I", len(body)) + body
    for name, data in (("lossy", saved(photo, "WEBP")), ("lossless", saved(photo, "WEBP", lossless=True)), ("animated", saved(frames[0], "WEBP", save_all=True, append_images=frames[1:]))):
        for tenth in (1, 3, 6, 9):
            yield f"webp-{name}-cut-{tenth}", data[:len(data) * tenth // 10]
        yield f"webp-{name}-last-byte-cut", data[:-1]
        yield f"webp-{name}-trailing", data + noise(99).tobytes()
        for seed in range(8):
            damaged = bytearray(data)
            damaged[40 + (seed * 131) % (len(data) - 50)] ^= 1 << seed
            yield f"webp-{name}-damaged-{seed}", bytes(damaged)
    yield "webp-only-riff", b"RIFF\x10\0\0\0WEBPVP8 \0\0\0\0"


# GIF, found under other formats' names

def gif(width, height, frame, data, bits=8, screen_palette=None, palette=None, interlaced=False, before=b"", after=b"\0;", version=b"GIF89a"):
    """`frame`: left, top, width, height; `data`: its sub-blocks."""
    def flags(colours):
        return 0 if colours is None else 0x80 | (len(colours) // 3 - 1).bit_length() - 1
    out = version + struct.pack("<HHBBB", width, height, flags(screen_palette), 3, 0) + (screen_palette or b"") + before
    return out + b"," + struct.pack("<HHHHB", *frame, flags(palette) | (0x40 if interlaced else 0)) + (palette or b"") + bytes([bits]) + data + after


def lzw(indices, bits, clears=0, block=255, end=True):
    """As written by an encoder; with a clear code at intervals of `clears`."""
    clear = 1 << bits
    codes, length, table, out, count, acc, word = [], bits + 1, {}, bytearray(), 0, 0, None
    def emit(code):
        nonlocal acc, count
        acc |= code << count
        count += length
        while count >= 8:
            out.append(acc & 255)
            acc >>= 8
            count -= 8
    def fresh():
        nonlocal length, table
        emit(clear)
        length, table = bits + 1, {(i,): i for i in range(clear)}
    emit(clear)
    table = {(i,): i for i in range(clear)}
    free = clear + 2
    for number, index in enumerate(indices):
        index = int(index) % clear
        longer = (index,) if word is None else word + (index,)
        if longer in table:
            word = longer
            continue
        emit(table[word])
        if free < 4096:
            table[longer] = free
            free += 1
            if free - 1 == 1 << length and length < 12:
                length += 1
        word = (index,)
        if clears and number % clears == 0:
            emit(table[word])
            word = None
            fresh()
            free = clear + 2
    if word is not None:
        emit(table[word])
    if end:
        emit(clear + 1)
    emit(0)
    out.append(acc & 255)
    return b"".join(bytes([len(out[i:i + block])]) + bytes(out[i:i + block]) for i in range(0, len(out), block))


def gifs():
    palettes = {bits: noise(3 * 2 ** bits).tobytes() for bits in range(1, 9)}
    control = lambda flags, index: b"!\xf9\x04" + bytes([flags, 5, 0, index]) + b"\0"  # noqa: E731
    for mode, image in images():
        if mode in ("1", "L", "P", "RGB", "RGBA", "LA"):
            for interlace in (0, 1):
                yield f"gif-pillow-{mode}-{interlace}", saved(image, "GIF", interlace=interlace)
    frames = [Image.fromarray(smooth(61, 43, 3)).rotate(5 * n).quantize(60) for n in range(3)]
    for disposal in (0, 1, 2, 3):
        for transparency in (None, 7):
            more = {} if transparency is None else {"transparency": transparency}
            yield f"gif-animation-{disposal}-{transparency}", saved(frames[0], "GIF", save_all=True, append_images=frames[1:], disposal=disposal, loop=0, comment=b"hello", **more)
    for bits in range(1, 9):
        for width, height in ((37, 23), (1, 1), (5, 9), (300, 40)):
            for interlaced in (False, True):
                # Noise fills the table soon, large areas give long strings.
                for kind, indices in (("noise", noise(width * height)), ("areas", numpy.repeat(noise(width * height // 50 + 1), 50)[:width * height])):
                    data = lzw(indices, max(2, bits), clears=0 if kind == "areas" else 700)
                    yield f"gif-{bits}-{kind}-{'interlaced' if interlaced else 'plain'}-{width}x{height}", gif(width, height, (0, 0, width, height), data, max(2, bits), palettes[bits], interlaced=interlaced)
    pixels = lzw(noise(12 * 10), 4)
    yield "gif-one-bit-codes", gif(12, 10, (0, 0, 12, 10), lzw(noise(120), 1), 1, palettes[1])
    yield "gif-87a", gif(12, 10, (0, 0, 12, 10), pixels, 4, palettes[4], version=b"GIF87a")
    yield "gif-88a", gif(12, 10, (0, 0, 12, 10), pixels, 4, palettes[4], version=b"GIF88a")
    yield "gif-no-palette", gif(12, 10, (0, 0, 12, 10), pixels, 4)
    yield "gif-local-palette", gif(12, 10, (0, 0, 12, 10), pixels, 4, palettes[4], palettes[3])
    yield "gif-local-ramp", gif(12, 10, (0, 0, 12, 10), pixels, 4, palettes[4], bytes(i for k in range(16) for i in (k, k, k)))
    yield "gif-screen-ramp", gif(12, 10, (0, 0, 12, 10), pixels, 4, bytes(i for k in range(16) for i in (k, k, k)))
    yield "gif-frame-inside", gif(30, 20, (5, 4, 12, 10), pixels, 4, palettes[4])
    yield "gif-frame-inside-transparent", gif(30, 20, (5, 4, 12, 10), pixels, 4, palettes[4], before=control(1, 9))
    yield "gif-transparency-off", gif(30, 20, (5, 4, 12, 10), pixels, 4, palettes[4], before=control(0, 9))
    yield "gif-transparent-twice", gif(30, 20, (5, 4, 12, 10), pixels, 4, palettes[4], before=control(1, 9) + control(0, 3) + control(5, 2))
    yield "gif-frame-beyond", gif(6, 5, (2, 1, 12, 10), pixels, 4, palettes[4])
    yield "gif-no-screen", gif(0, 0, (0, 0, 12, 10), pixels, 4, palettes[4])
    for place in ((0, 0, 0, 10), (0, 3, 0, 0), (0, 0, 12, 0), (3, 0, 0, 10)):
        yield f"gif-no-frame-{place}", gif(12, 10, place, pixels, 4, palettes[4])
    yield "gif-many-blocks", gif(12, 10, (0, 0, 12, 10), lzw(noise(120), 4, block=1), 4, palettes[4])
    yield "gif-empty-block-between", gif(12, 10, (0, 0, 12, 10), b"\0\0" + pixels, 4, palettes[4])
    yield "gif-no-end-code", gif(12, 10, (0, 0, 12, 10), lzw(noise(120), 4, end=False), 4, palettes[4])
    yield "gif-too-few", gif(12, 10, (0, 0, 12, 10), lzw(noise(100), 4), 4, palettes[4])
    yield "gif-too-many", gif(12, 10, (0, 0, 12, 10), lzw(noise(200), 4), 4, palettes[4])
    yield "gif-unknown-code", gif(12, 10, (0, 0, 12, 10), b"\x03\xf0\xff\xff", 4, palettes[4])
    yield "gif-13-bits", gif(12, 10, (0, 0, 12, 10), pixels, 13, palettes[4])
    yield "gif-12-bits", gif(12, 10, (0, 0, 12, 10), pixels, 12, palettes[4])
    yield "gif-no-bits", gif(12, 10, (0, 0, 12, 10), pixels, 0, palettes[4])
    extensions = {"comment": b"!\xfe\x05hello\0", "empty-comment": b"!\xfe\0", "text": b"!\x01\x0c" + bytes(12) + b"\x02hi\0", "loop": b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", "loop-ends": b"!\xff\x0bNETSCAPE2.0\0",
                  "xmp": b"!\xff\x0bXMP DataXMP" + b"<x/>" * 20 + b"\x01" + bytes(range(255, -1, -1)) + b"\0", "empty-control": b"!\xf9\0", "short-control": b"!\xf9\x02\1\1\0", "empty-unknown": b"!\x77\0\x02hi\0",
                  "empty-application": b"!\xff\0", "garbage": b"garbage", "zeros": bytes(9)}
    for name, extension in extensions.items():
        yield f"gif-{name}", gif(12, 10, (0, 0, 12, 10), pixels, 4, palettes[4], before=extension)
    yield "gif-trailing", gif(12, 10, (0, 0, 12, 10), pixels, 4, palettes[4]) + noise(200).tobytes()
    whole = gif(12, 10, (0, 0, 12, 10), pixels, 4, palettes[4], before=extensions["loop"])
    for part in (5, 6, 10, 13, 30, 61, 70, 85, 95, len(whole) - 30, len(whole) - 3, len(whole) - 2, len(whole) - 1):
        yield f"gif-cut-{part}", whole[:part]
    for seed in range(20):
        damaged = bytearray(whole)
        damaged[61 + (seed * 37) % (len(whole) - 63)] ^= 1 << seed % 8
        yield f"gif-damaged-{seed}", bytes(damaged)


def foreign():
    photo = Image.fromarray(smooth(30, 20, 3))
    yield "text", b"no image at all, only words"
    yield "page", b"<!doctype html><title>404</title>"
    yield "empty", b""
    yield "one-byte", b"\xff"
    yield "zeros", bytes(5000)
    yield "pdf", b"%PDF-1.4\n"
    yield "psd-less", b"8BPX" + bytes(100)


def large():
    """Larger than a model's input, in each of Pillow's modes."""
    for width, height in ((700, 520), (900, 300), (260, 901)):
        rgb = Image.fromarray(smooth(width, height, 3))
        yield f"large-rgb-{width}", saved(rgb, "JPEG", quality=92)
        yield f"large-progressive-{width}", saved(rgb, "JPEG", progressive=True)
        yield f"large-cmyk-{width}", saved(Image.fromarray(smooth(width, height, 4), "CMYK"), "JPEG")
        yield f"large-grey-{width}", saved(rgb.convert("L"), "JPEG")
        yield f"large-palette-{width}", saved(rgb.quantize(90), "PNG")
        yield f"large-rgba-{width}", saved(Image.fromarray(noise(height, width, 4), "RGBA"), "WEBP", quality=40)
        yield f"large-bits-{width}", saved(rgb.convert("1"), "TIFF", compression="group4")
