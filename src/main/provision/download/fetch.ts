/** Downloads a file on a node: resumes an earlier attempt, and renames it only after its hash was checked. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { shownAddress } from '../../../shared/base/shown-address.ts';
import { phrase } from '../../i18n/index.ts';
import { shellQuote } from '../../ssh/index.ts';
import { runLasting } from '../node/lasting.ts';
import { lastWords } from '../node/node-shell.ts';
import { takeTurn, turnFor } from '../node/turn.ts';
import { known, type StepContext } from '../engine/step.ts';

export interface FetchOptions {
  readonly sha256: string;
  /** Size in bytes, where known: for the progress. */
  readonly size?: number | undefined;
  readonly onProgress?: ((done: number) => void) | undefined;
  /** A file that has the hash as its content once the download has been used, and is not needed any more. */
  readonly used?: string | undefined;
}

const patienceMs = 12 * 3_600_000;

/**
 * Uses curl, wget or Python, whichever exists; each resumes at the end of `.part`, or starts again where that is
 * refused. Prints the size so far each
 * second. One at a time downloads to `path`, also among machines with one home. Exit 97: none of them exists. 98: wrong hash.
 * @param used of `FetchOptions`
 */
export const fetchScript = (
  url: string,
  path: string,
  sha256: string,
  used?: string,
): string => `part=${shellQuote(`${path}.part`)}; url=${shellQuote(url)} want=${shellQuote(sha256)}
mkdir -p "$(dirname "$part")" || exit 1
sum() { sha256sum < "$1" | cut -d ' ' -f 1; }
there() {
  [ -f ${shellQuote(path)} ] && [ "$(sum ${shellQuote(path)})" = "$want" ]${used === undefined ? '' : ` || [ "$(cat ${shellQuote(used)} 2>/dev/null)" = "$want" ]`}
}
there && exit 0
( while sleep 1; do
  for file in "$part.$(uname -n)" "$part"; do [ -f "$file" ] && echo "have $(wc -c < "$file")" && break; done
done ) &
watch=$!
trap 'kill $watch 2>/dev/null' EXIT
${takeTurn(turnFor(path))}
there && exit 0
part=$part$own
get() {
  if command -v curl >/dev/null 2>&1; then
    status=$(curl -fsSL --connect-timeout 15 --speed-limit 30 --speed-time 60 -C - -o "$part" -w '%{http_code}' "$url")
  elif command -v wget >/dev/null 2>&1; then
    wget -nv --timeout=60 --tries=1 -c -O "$part" "$url"
  elif command -v python3 >/dev/null 2>&1; then
    python3 -c '
import os, sys, urllib.request
url, part = sys.argv[1:]
have = os.path.getsize(part) if os.path.exists(part) else 0
answer = urllib.request.urlopen(urllib.request.Request(url, headers={"Range": "bytes=%d-" % have} if have else {}), timeout=60)
with open(part, "ab" if answer.status == 206 else "wb") as out:
    while True:
        block = answer.read(1 << 20)
        if not block: break
        out.write(block)
if answer.length: sys.exit("the download ended %d bytes early" % answer.length)
' "$url" "$part"
  else
    echo 'the node has none of curl, wget and python3' >&2; return 97
  fi
}
size() { echo $(($({ wc -c < "$1"; } 2>/dev/null || echo 0))); }
keep_larger() { [ "$(size "$part.kept")" -le "$(size "$part")" ] || mv "$part.kept" "$part"; rm -f "$part.kept"; }
whole() {
  # A cancelled one left both.
  keep_larger
  had=$(size "$part")
  status=
  get
  code=$?
  [ "$had" -gt 0 ] && [ "$(size "$part")" = "$had" ] || return "$code"
  # It cannot be continued where the server sends whole files alone, or this is longer than the file. wget and Python do
  # not say which failure it was.
  case $status in '' | 200 | 206 | 416) ;; *) return "$code" ;; esac
  mv "$part" "$part.kept"
  get && rm -f "$part.kept" && return
  code=$?
  keep_larger
  return "$code"
}
[ -f "$part" ] && [ "$(sum "$part")" = "$want" ] || whole || exit $?
[ "$(sum "$part")" = "$want" ] || { echo "expected $want, got $(sum "$part")" >&2; rm -f "$part"; exit 98; }
mv "$part" ${shellQuote(path)} && rm -f "$lock" "$part.kept"`;

/**
 * @param path absolute, on the node
 * @throws hash_mismatch (the file is removed), download_failed (the part is kept for the next attempt)
 */
export async function fetchToNode(
  { shell, work }: StepContext,
  url: string,
  path: string,
  { sha256, onProgress, used }: FetchOptions,
): Promise<void> {
  const where = { shell, facts: known(work, 'facts') };
  const lasting = {
    name: `fetch-${sha256.slice(0, 16)}`,
    key: `${sha256} ${path}`,
    stop: 'at once',
  } as const;
  const result = await runLasting(where, fetchScript(url, path, sha256, used), lasting, {
    label: phrase('nodeCommands.downloadTo', { url: shownAddress(url), path }),
    online: true,
    quiet: true,
    timeoutMs: patienceMs,
    onOutput(text) {
      const have = [...text.matchAll(/^have (\d+)$/gm)].at(-1)?.[1];
      if (have !== undefined) onProgress?.(Number(have));
    },
  });
  if (result.code === 0) return;
  const detail = lastWords({ ...result, stdout: '' });
  if (result.code === 98) throw new RinglabError('hash_mismatch', { path: shownAddress(url) }, { detail });
  throw new RinglabError(
    'download_failed',
    { url: shownAddress(url), reason: detail.split('\n').at(-1) || phrase('printedNothing') },
    { detail },
  );
}
