/**
 * Makes a node download objects from presigned URLs: only missing ones, in batches that are verified on arrival,
 * resuming incomplete files; into a folder beside the target that is renamed when it is complete.
 *
 * The URLs grant access: they are sent over standard input and are on no command line, in no file, in no log.
 */
import { posix } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import { phrase } from '../i18n/index.ts';
import { shellQuote, type SshSession } from '../ssh/index.ts';
import { finish } from './incoming-folder.ts';
import { bytesOnDisk, type SendOptions } from './send-folder.ts';
import { freeBytes, needBytes, isDiskFullMessage } from './space.ts';

export interface RemoteObject {
  /** Relative path on the node with `/`; without tabs and line breaks. */
  readonly path: string;
  readonly size: number;
  /** Lower-case hex; undefined where only the size can be compared. */
  readonly md5: string | undefined;
  /** Called directly before the node uses it: addresses expire. */
  address(): Promise<string>;
}

const batchBytes = 32 * 1024 ** 2;
const batchFiles = 400;
/** Concurrent batches: each downloads file by file, and waits for each answer. */
const lanes = 4;
/** Maximum number of attempts for a batch; what has arrived is kept each time. */
const maxAttempts = 4;
const patienceMs = 12 * 3_600_000;
/** What the script below says of its own; other lines are those of its programs. */
const noProgram = 'the node has none of curl, python3 and wget';

/** Reads lines of size, MD5 or `-`, path and address. Prints `have N` while it works, `short PATH` and `differs PATH`. */
const script = (incoming: string, watched: string | undefined): string => String.raw`
cd ${shellQuote(incoming)} || exit 1
tab=$(printf '\t')
want=$(cat)
${watched === undefined ? '' : `( while sleep 1; do [ -f ${shellQuote(`${watched}.part`)} ] && echo "have $(wc -c < ${shellQuote(`${watched}.part`)})"; done ) & watch=$!; trap 'kill $watch 2>/dev/null' EXIT`}
need=$(printf '%s\n' "$want" | while IFS="$tab" read -r size md5 path url; do
  case $path in */*) mkdir -p -- "./${'$'}{path%/*}" || exit 1;; esac
  have=0; [ -f "./$path.part" ] && have=$(wc -c < "./$path.part")
  [ "$have" -le "$size" ] || { rm -f -- "./$path.part"; have=0; }
  if [ "$size" = 0 ]; then : > "./$path.part"; elif [ "$have" -lt "$size" ]; then printf '%s\t%s\n' "$path" "$url"; fi
done)
if [ -n "$need" ]; then
  if command -v curl >/dev/null 2>&1; then
    printf '%s\n' "$need" | awk -F '\t' '{ gsub(/[\\"]/, "\\\\&", $1); printf "url = \"%s\"\noutput = \"./%s.part\"\n", $2, $1 }' |
      curl -fsSLg --connect-timeout 15 --speed-limit 30 --speed-time 60 -C - -K -
  elif command -v python3 >/dev/null 2>&1; then
    printf '%s\n' "$need" | python3 -c '
import os, sys, urllib.error, urllib.request
for line in sys.stdin.read().split("\n"):
    if not line: continue
    path, url = line.split("\t")
    part = "./" + path + ".part"
    have = os.path.getsize(part) if os.path.exists(part) else 0
    try:
        answer = urllib.request.urlopen(urllib.request.Request(url, headers={"Range": "bytes=%d-" % have} if have else {}), timeout=60)
        with open(part, "ab" if answer.status == 206 else "wb") as out:
            while True:
                block = answer.read(1 << 18)
                if not block: break
                out.write(block)
    except (urllib.error.URLError, OSError) as error: print(error, file=sys.stderr)
'
  elif command -v wget >/dev/null 2>&1; then
    printf '%s\n' "$need" | while IFS="$tab" read -r path url; do
      printf '%s\n' "$url" | wget -nv --timeout=60 --tries=1 -c -O "./$path.part" -i -
    done
  else
    echo '${noProgram}'
  fi 2>&1 | sed 's/?[^ ]*//g' >&2
fi
printf '%s\n' "$want" | while IFS="$tab" read -r size md5 path url; do
  have=0; [ -f "./$path.part" ] && have=$(wc -c < "./$path.part")
  [ "$have" -eq "$size" ] || { echo "short $path"; continue; }
  if [ "$md5" != - ]; then
    got=$(md5sum < "./$path.part")
    [ "${'$'}{got%% *}" = "$md5" ] || { rm -f -- "./$path.part"; echo "differs $path"; continue; }
  fi
  mv -- "./$path.part" "./$path" && printf '%s\n' "$path" >> .ringlab-have
done
`;

const manifestScript = (incoming: string): string =>
  `cd ${shellQuote(incoming)} && find . -type f ! -path './.ringlab-*' -print0 | xargs -0 sha256sum > .ringlab-sums && sed 's,  \\./,  ,' .ringlab-sums > .ringlab-manifest && rm -f .ringlab-sums`;

const incomingOf = (target: string, who: string): string =>
  `${posix.dirname(target)}/.incoming-${posix.basename(target)}-${who}`;

/** The files that hold an object, or what there is of it, before all are there. */
export const partsOf = (target: string, who: string, path: string): string[] =>
  ['', '.part'].map((end) => `${incomingOf(target, who)}/${path}${end}`);

/**
 * @param target absolute path on the node, specific to these objects
 * @param source where the objects are from, for messages
 * @returns bytes of downloaded objects
 * @throws node_disk_full before any download, hash_mismatch, download_failed, and errors of the SSH layer
 */
export async function fetchObjects(
  node: Pick<SshSession, 'exec' | 'run'>,
  objects: readonly RemoteObject[],
  target: string,
  { who, signal, log = () => undefined, onProgress }: SendOptions,
  source: string,
): Promise<{ fetched: number }> {
  const incoming = incomingOf(target, who);
  const have = new Set(
    (
      await node.run(
        `mkdir -p ${shellQuote(incoming)} && cd ${shellQuote(incoming)} && cat .ringlab-have 2>/dev/null || :`,
        {
          signal,
          maxOutputBytes: 512 * 1024 ** 2,
        },
      )
    ).split('\n'),
  );
  const missing = objects.filter(({ path }) => !have.has(path));
  const total = objects.reduce((sum, { size }) => sum + size, 0);
  const bytes = missing.reduce((sum, { size }) => sum + size, 0);
  const count = objects.length;
  log(phrase('stepLog.objectsToFetch', { there: count - missing.length, count, bytes, source }));
  const onDisk = bytesOnDisk(missing.map(({ path, size }) => ({ path, size, sha256: '' })));
  await needBytes(node, posix.dirname(target), onDisk, signal);
  let done = total - bytes;
  onProgress?.({ done, total });
  const queue = batches(missing);
  let failed = false;
  const lane = async (): Promise<void> => {
    for (const batch of queue) {
      if (failed) return;
      try {
        await fetchBatch(node, incoming, batch, source, signal, (part) =>
          onProgress?.({ done: done + part, total }),
        );
      } catch (error) {
        failed = true;
        throw error;
      }
      done += batch.reduce((sum, { size }) => sum + size, 0);
      onProgress?.({ done, total });
    }
  };
  const results = await Promise.allSettled(Array.from({ length: lanes }, lane));
  signal?.throwIfAborted();
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  await node.run(manifestScript(incoming), { signal, timeoutMs: patienceMs });
  await finish(node, objects.length, incoming, target, signal);
  return { fetched: bytes };
}

function* batches(objects: readonly RemoteObject[]): Generator<RemoteObject[]> {
  let batch: RemoteObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    if (batch.length > 0 && (bytes + object.size > batchBytes || batch.length === batchFiles)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(object);
    bytes += object.size;
  }
  if (batch.length > 0) yield batch;
}

async function fetchBatch(
  node: Pick<SshSession, 'exec'>,
  incoming: string,
  batch: readonly RemoteObject[],
  source: string,
  signal: AbortSignal | undefined,
  onPart: (bytes: number) => void,
): Promise<void> {
  let left = batch;
  for (let turn = 1; ; turn += 1) {
    signal?.throwIfAborted();
    const lines: string[] = [];
    for (const { path, size, md5, address } of left)
      lines.push(`${size}\t${md5 ?? '-'}\t${path}\t${await address()}`);
    const [first] = left;
    const alone = left.length === 1 ? first?.path : undefined;
    const result = await node.exec(script(incoming, alone), {
      stdin: Buffer.from(lines.join('\n')),
      signal,
      timeoutMs: patienceMs,
      onOutput(text) {
        const found = [...text.matchAll(/^have (\d+)$/gm)].at(-1)?.[1];
        if (found !== undefined) onPart(Number(found));
      },
    });
    const detail = result.stderr.trim().split('\n').slice(-20).join('\n');
    if (isDiskFullMessage(detail)) {
      const needed = bytesOnDisk(left.map(({ path, size }) => ({ path, size, sha256: '' })));
      const free = await freeBytes(node, incoming, signal);
      throw new RinglabError('node_disk_full', { path: incoming, needed, free }, { detail });
    }
    const differs = /^differs (.*)$/m.exec(result.stdout)?.[1];
    if (differs !== undefined)
      throw new RinglabError('hash_mismatch', { path: `${source}/${differs}` }, { detail });
    const short = new Set([...result.stdout.matchAll(/^short (.*)$/gm)].map(([, path]) => path));
    if (result.code === 0 && short.size === 0) return;
    const last = detail.split('\n').at(-1) ?? '';
    const reason = last === noProgram ? phrase('reasons.noDownloader') : last;
    if (turn === maxAttempts || short.size === 0)
      throw new RinglabError('download_failed', { url: source, reason }, { detail });
    left = left.filter(({ path }) => short.has(path));
  }
}
