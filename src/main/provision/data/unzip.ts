/** Unpacks a zip on a node, with the names of its files as the computer that made it showed them. */

/** What the Python below exits with for a zip that it leaves to unzip. */
const leftToUnzip = 42;

/**
 * Names that are not ASCII are read here, since unzip changes those of Windows, so that folders become one: flagged as UTF-8, stated
 * once more in UTF-8 (Info-ZIP's field 0x7075), or else in one encoding for the whole archive: Explorer writes that of its system.
 * Everything else is left to unzip, where the node has it: it knows more compressions. Names of files are bytes, so that the account's
 * locale does not matter.
 */
const unzipInPython = `import os, shutil, stat, struct, sys, zipfile, zlib
archive = zipfile.ZipFile(sys.argv[1])
entries = archive.infolist()
flagged = lambda entry: entry.flag_bits & 0x800
stored = [entry.orig_filename.encode("utf-8" if flagged(entry) else "cp437") for entry in entries]
if sys.argv[2] and all(byte < 128 for name in stored for byte in name): sys.exit(${leftToUnzip})
def stated(entry, name):
    if flagged(entry): return name.decode("utf-8")
    rest = entry.extra
    while len(rest) > 9:
        kind, size, version, crc = struct.unpack("<HHBI", rest[:9])
        if kind == 0x7075 and crc == zlib.crc32(name): return rest[9:4 + size].decode("utf-8")
        rest = rest[4 + size:]
names = [stated(*pair) for pair in zip(entries, stored)]
def encoding():
    text = b"/".join(raw for raw, name in zip(stored, names) if name is None)
    for each in "utf-8", "gb18030":
        try: wide = "".join(c for c in text.decode(each) if c > "\\x7f")
        except UnicodeDecodeError: continue
        # Accents of Western code pages can be read as rare characters: most must be common ones, of two bytes each.
        if each == "utf-8" or len(wide.encode("gb2312", "ignore")) > len(wide): return each
    return "cp437"
others = encoding()
links = []
for entry, raw, name in zip(entries, stored, names):
    name = (raw.decode(others) if name is None else name).split("\\0")[0]
    # Some programs of Windows, whose system is 0, write backslashes between folders.
    if entry.create_system == 0: name = name.replace("\\\\", "/")
    path = "/".join(part for part in name.split("/") if part not in ("", ".", "..")).encode("utf-8")
    folder = path if name.endswith("/") else os.path.dirname(path)
    if folder: os.makedirs(folder, exist_ok=True)
    if folder == path: continue
    if entry.create_system == 3 and stat.S_ISLNK(entry.external_attr >> 16): links.append((entry, path)); continue
    with archive.open(entry) as source, open(path, "wb") as out: shutil.copyfileobj(source, out, 1 << 20)
# Last: nothing is written through a link of the archive.
for entry, path in links:
    with archive.open(entry) as source: os.symlink(source.read(4096), path)`;

/** Unpacks the zip $archive into the folder that the shell is in, or ends the script with what was wrong. */
export const unzipScript = `  code=${leftToUnzip}
  if python3 -c 'import zipfile, zlib' 2>/dev/null; then
    code=0; python3 -c '${unzipInPython}' "$archive" "$(command -v unzip)" || code=$?
  elif unzip -Z "$archive" | LC_ALL=C awk '$2 ~ /^[0-9.]+$/ && $3 != "unx" && /[^ -~]/ { found = 1 } END { exit !found }'; then
    echo 'unzip changes the names in this archive that are not ASCII, and may merge their folders: install python3 on this node' >&2
    exit 1
  fi
  if [ $code = ${leftToUnzip} ]; then
    code=0; said=$(unzip -q "$archive" 2>&1 </dev/null) || code=$?
    [ -z "$said" ] || printf '%s\\n' "$said" >&2
    # 1 is unpacked with a warning, as of the backslashes that Windows writes between folders, unless something was left out.
    [ $code -ne 1 ] || code=0
    case $said in *skipping:* | *"replace "*"[y]es"*) code=1;; esac
  fi
  [ $code = 0 ] || exit $code`;
