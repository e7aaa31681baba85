/** Shell commands of file transfers on the node: sizes, SHA-256, free space, rename. */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { ExecResult } from '../contract.ts';
import { commandFailed, exec } from '../channels/exec.ts';
import type { Shell } from '../channels/shell.ts';
import { shellQuote } from '../channels/shell-quote.ts';
import { phrase } from '../../i18n/index.ts';

const hashFunction = `LC_ALL=C
export LC_ALL
sha() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum
  elif command -v shasum >/dev/null 2>&1; then shasum -a 256
  elif command -v openssl >/dev/null 2>&1; then openssl dgst -sha256 -r
  else cat >/dev/null; echo none
  fi | cut -d ' ' -f 1
}
`;

/** Time-out of hashing: a large file on a slow disk takes long. */
const hashTimeoutMs = 15 * 60_000;

export interface RemoteFile {
  readonly size: number;
  /** Lower-case hex; `none` where the node has no tool for it. */
  readonly sha256: string;
}

/** Parses a script's output, one `name value` a line. */
const fields = (text: string): Map<string, string> =>
  new Map(
    text.split('\n').map((line) => {
      const at = line.indexOf(' ');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    }),
  );

async function ask(
  shell: Shell,
  script: string,
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const text = hashFunction + script;
  const result: ExecResult = await exec(shell, text, { signal, timeoutMs: hashTimeoutMs });
  if (result.code !== 0) throw commandFailed(script, result);
  return fields(result.stdout);
}

const numberOf = (value: string | undefined): number => {
  const number = Number(value);
  return value !== undefined && /^\d+$/.test(value) ? number : NaN;
};

export interface UploadSite {
  /** The same content already exists there. */
  readonly isThere: boolean;
  /** The partial file of an earlier attempt, if any. */
  readonly partial: RemoteFile | undefined;
  /** Free bytes on its file system; NaN where unknown. */
  readonly free: number;
}

/** Checks the target of an upload, and creates its folder. */
export async function lookAtSite(
  shell: Shell,
  place: { path: string; temporary: string; size: number; sha256: string; mode: number | undefined },
  signal: AbortSignal | undefined,
): Promise<UploadSite> {
  const path = shellQuote(place.path);
  const temporary = shellQuote(place.temporary);
  const folder = shellQuote(place.path.slice(0, place.path.lastIndexOf('/')) || '/');
  const setMode = place.mode === undefined ? ':' : `chmod ${place.mode.toString(8)} ${path}`;
  const script = `
if [ -d ${path} ]; then echo 'folder yes'; exit 0; fi
if [ -f ${path} ] && [ "$(wc -c <${path})" -eq ${place.size} ] && [ "$(sha <${path})" = ${place.sha256} ]; then
  ${setMode} && echo 'there yes' && exit 0
fi
mkdir -p ${folder} || exit 1
if [ -f ${temporary} ]; then
  size=$(($(wc -c <${temporary})))
  echo "size $size"
  # What an earlier try still has under way may land meanwhile.
  echo "sha $(head -c $size ${temporary} | sha)"
fi
df -Pk ${folder} 2>/dev/null | awk 'NR==2 { print "free " $4 }'
exit 0
`;
  const found = await ask(shell, script, signal);
  if (found.has('folder')) {
    throw new RinglabError('transfer_failed', { path: place.path, reason: phrase('reasons.folderThere') });
  }
  const size = numberOf(found.get('size'));
  return {
    isThere: found.get('there') === 'yes',
    partial: Number.isNaN(size) ? undefined : { size, sha256: found.get('sha') ?? '' },
    free: numberOf(found.get('free')) * 1024,
  };
}

/** Verifies the upload and renames it; a damaged one is removed. Throws `hash_mismatch`. */
export async function settleUpload(
  shell: Shell,
  place: { path: string; temporary: string; size: number; sha256: string; mode: number | undefined },
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = shellQuote(place.path);
  const temporary = shellQuote(place.temporary);
  const setMode = place.mode === undefined ? ':' : `chmod ${place.mode.toString(8)} ${temporary}`;
  const script = `
size=$(($(wc -c <${temporary})))
h=$(sha <${temporary})
if [ "$h" = none ]; then
  [ "$size" -eq ${place.size} ] && h=${place.sha256}
fi
if [ "$size" -ne ${place.size} ] || [ "$h" != ${place.sha256} ]; then
  rm -f ${temporary}
  echo "sha $h"
  exit 0
fi
[ -d ${path} ] && exit 1
${setMode} && mv -f ${temporary} ${path} && echo 'done yes'
`;
  const found = await ask(shell, script, signal);
  if (found.get('done') !== 'yes') {
    throw new RinglabError(
      'hash_mismatch',
      { path: place.path },
      {
        detail: phrase('reasons.otherHash', { expected: place.sha256, found: found.get('sha') ?? '?' }),
      },
    );
  }
}

/** Size of a file on the node, and the hash of that many bytes: a log grows meanwhile. Undefined where it does not exist. */
export async function lookAtFile(
  shell: Shell,
  path: string,
  signal: AbortSignal | undefined,
): Promise<RemoteFile | undefined> {
  const quoted = shellQuote(path);
  const script = `
[ -f ${quoted} ] || exit 0
[ -r ${quoted} ] || { cat ${quoted}; exit 1; }
size=$(($(wc -c <${quoted})))
echo "size $size"
echo "sha $(head -c $size ${quoted} | sha)"
`;
  const found = await ask(shell, script, signal);
  const size = numberOf(found.get('size'));
  return Number.isNaN(size) ? undefined : { size, sha256: found.get('sha') ?? '' };
}

/** Free bytes at a path; NaN where the node does not report them. */
export async function freeBytes(shell: Shell, path: string): Promise<number> {
  const folder = shellQuote(path.slice(0, path.lastIndexOf('/')) || '/');
  const found = await ask(
    shell,
    `df -Pk ${folder} 2>/dev/null | awk 'NR==2 { print "free " $4 }'`,
    undefined,
  );
  return numberOf(found.get('free')) * 1024;
}
