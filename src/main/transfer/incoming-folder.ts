/**
 * The temporary folder on a node during a transfer, beside its target: starts with the manifest and files of older
 * versions, and is renamed when it is complete.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { RinglabError } from '../../shared/base/errors.ts';
import { lastWords, shellQuote, type SshSession } from '../ssh/index.ts';
import { hashText } from './file-hash.ts';
import { sumLines, type FolderManifest, type ManifestFile } from './folder-manifest.ts';
import { recoverFunctions } from './recover-folder.ts';
import { freeBytes, isDiskFullMessage } from './space.ts';
import { phrase } from '../i18n/index.ts';

const patienceMs = 30 * 60_000;
/** A whole data set is read from a slow disk. */
const verifyMs = 12 * 3_600_000;

/** Exit code where files could not be verified, or what differs not be removed. */
const noVerdict = 4;

export const compressed = promisify(gzip);

/**
 * Files of an older version of the folder are linked instead of sent; they are verified, since they may have been
 * changed. Only what sha256sum says differs is removed: where the disk is full it may not get to the end.
 */
const reuseLoop = (folders: string): string => `  for old in ${folders}; do
    [ -f "$old.ringlab-manifest" ] || continue
    awk 'NR == FNR { wanted[$0] = 1; next } $0 in wanted && !/^\\\\/' .ringlab-manifest "$old.ringlab-manifest" > .ringlab-common || exit
    while IFS= read -r line; do
      path=\${line#*  }
      case $path in */*) mkdir -p "\${path%/*}";; esac
      [ -e "$path" ] || ln "$old$path" "$path" 2>/dev/null || cp -p "$old$path" "$path"
    done < .ringlab-common
    sha256sum -c .ringlab-common 2>/dev/null | awk '
      (getline line < ".ringlab-common") < 1 { exit 1 }
      /: OK$/ { print line >> ".ringlab-have"; next }
      /: FAILED$/ { print substr(line, 67) }' | while IFS= read -r path; do rm -f "$path"; done
    rm -f .ringlab-common
  done`;
/** Files of an interrupted relay may be torn, or others than were asked for. */
const reuseScript = (incoming: string, prefix: string): string => `${recoverFunctions(incoming)}
enter || exit
[ ! -e .ringlab-relayed ] || recover || exit
if [ ! -e .ringlab-have ]; then
  : > .ringlab-have
${reuseLoop(`${shellQuote(prefix)}-*/`)}
fi
`;
const enterScript = (incoming: string): string => `${recoverFunctions(incoming)}
enter || fresh || exit ${noVerdict}
`;

/**
 * The folder to fill, and the manifest lines of existing files.
 * @param fetch gets the manifest from another node by its SHA-256; false where that is impossible
 */
export async function begin(
  node: SshSession,
  manifest: FolderManifest,
  target: string,
  incoming: string,
  signal: AbortSignal | undefined,
  fetch: (sha256: string) => Promise<boolean> = () => Promise.resolve(false),
): Promise<Set<string>> {
  const lines = sumLines(manifest.files);
  const sha256 = hashText(lines);
  const isThere = async (): Promise<boolean> => {
    const script = `${enterScript(incoming)}sha256sum .ringlab-manifest 2>/dev/null || :`;
    // Another that is at it may be verifying.
    return (await node.run(script, { signal, timeoutMs: verifyMs })).startsWith(sha256);
  };
  if (!(await isThere()) && !((await fetch(sha256)) && (await isThere()))) {
    // Renamed when complete: a lost connection must not leave an incomplete manifest.
    const { code, stderr } = await node.exec(
      `cd ${shellQuote(incoming)} && gzip -dc > .ringlab-new && mv -f .ringlab-new .ringlab-manifest`,
      { stdin: await compressed(lines), signal, timeoutMs: patienceMs },
    );
    if (code !== 0) throw await failure(node, incoming, incoming, stderr.trim(), 0, signal);
  }
  const prefix = `${posix.dirname(target)}/${manifest.name}`;
  const reused = await node.exec(reuseScript(incoming, prefix), { signal, timeoutMs: verifyMs });
  if (reused.code !== 0) throw await failure(node, incoming, incoming, reused.stderr.trim(), 0, signal);
  return linesThere(node, manifest, incoming, signal);
}

/**
 * Verifies the files that a relay has brought. What is verified stays for the next attempt, by whomever.
 * @returns undefined where all are there, else what sha256sum says
 * @throws node_disk_full or transfer_failed where they could not be verified
 */
export async function settle(
  node: Pick<SshSession, 'exec'>,
  manifest: FolderManifest,
  incoming: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  // The list itself first: only by that of this computer are the files the right ones.
  const sum = `${hashText(sumLines(manifest.files))}  .ringlab-manifest`;
  const { code, stdout, stderr } = await node.exec(
    `${enterScript(incoming)}echo '${sum}' | sha256sum -c --quiet - && { recover || exit ${noVerdict}; } && cmp .ringlab-have .ringlab-manifest || exit 1`,
    { signal, timeoutMs: verifyMs },
  );
  if (code === 0) return undefined;
  if (code !== 1) throw await failure(node, incoming, incoming, stderr.trim(), 0, signal);
  return `${stdout}${stderr}`.trim();
}

/** The same after the files of another folder on the node, with a manifest of its own, were used. */
export async function reuse(
  node: SshSession,
  manifest: FolderManifest,
  incoming: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const script = `cd ${shellQuote(incoming)} || exit 1\n${reuseLoop(`${shellQuote(folder)}/`)}`;
  await node.run(script, { signal, timeoutMs: patienceMs });
  return linesThere(node, manifest, incoming, signal);
}

async function linesThere(
  node: SshSession,
  manifest: FolderManifest,
  incoming: string,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-send-'));
  try {
    // Lines of the manifest, each at most three times: where a transfer was interrupted, and from another folder.
    const max = 3 * Buffer.byteLength(sumLines(manifest.files)) + 65_536;
    await node.download(`${incoming}/.ringlab-have`, join(folder, 'have'), { signal, max });
    return new Set((await readFile(join(folder, 'have'), 'utf8')).split('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param needed bytes on the node's disk for what could not be written */
export async function failure(
  node: Pick<SshSession, 'exec'>,
  incoming: string,
  path: string,
  output: string,
  needed: number,
  signal: AbortSignal | undefined,
): Promise<RinglabError> {
  const detail = { detail: output };
  if (!isDiskFullMessage(output))
    return new RinglabError('transfer_failed', { path, reason: output.split('\n').at(-1) ?? '' }, detail);
  const free = await freeBytes(node, incoming, signal);
  return new RinglabError('node_disk_full', { path: incoming, needed, free }, detail);
}

/** A file that was linked from an older version is copied first: there it stays as it was. */
export async function makeExecutable(
  node: Pick<SshSession, 'run'>,
  incoming: string,
  files: readonly ManifestFile[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const paths = files.filter(({ executable }) => executable).map(({ path }) => `./${path}\0`);
  if (paths.length === 0) return;
  const each = `for file; do [ -x "$file" ] || { cp -p "$file" .ringlab-new && chmod +x .ringlab-new && mv -f .ringlab-new "$file"; } || exit 255; done`;
  await node.run(`cd ${shellQuote(incoming)} && gzip -dc | xargs -0 sh -c ${shellQuote(each)} sh`, {
    stdin: await compressed(paths.join('')),
    signal,
    timeoutMs: patienceMs,
  });
}

/**
 * Renames the folder to its target. Where another sender was faster, ours is removed, as is one whose other files would
 * break every later attempt. Where files are missing, those that are there are verified by the next attempt.
 */
export async function finish(
  node: Pick<SshSession, 'exec'>,
  files: number,
  incoming: string,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [from, to] = [shellQuote(incoming), shellQuote(target)];
  const result = await node.exec(
    `cd ${from} || exit
count=$(find . -type f ! -path './.ringlab-*' -print0 | tr -dc '\\0' | wc -c) && echo "count $((count))"
[ "$((count))" -ge ${files} ] || { rm -f .ringlab-have; : > .ringlab-relayed; exit 3; }
[ "$((count))" = ${files} ] || { cd .. && rm -rf ${from}; exit 3; }
rm -f .ringlab-have .ringlab-new .ringlab-batch-*
cd .. && if [ -e ${to} ]; then rm -rf ${from}; else mv ${from} ${to}; fi`,
    { signal, timeoutMs: patienceMs },
  );
  if (result.code === 0) return;
  const reason =
    result.code === 3
      ? phrase('reasons.someFiles', { count: result.stdout.replace(/\D/g, ''), files })
      : result.stderr.trim();
  throw new RinglabError('transfer_failed', { path: target, reason }, { detail: lastWords(result) });
}
