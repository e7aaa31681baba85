/** Data source `url`: an archive that each node downloads from the fastest of its addresses that has it. */
import { dataFolder } from '../../base/node-layout.ts';
import { RinglabError, isCancelled } from '../../../shared/base/errors.ts';
import { shownAddress } from '../../../shared/base/shown-address.ts';
import { shellQuote } from '../../ssh/index.ts';
import { freeBytes, needBytes, isDiskFullMessage } from '../../transfer/index.ts';
import { fetchScript, fetchToNode } from '../download/fetch.ts';
import { measureMirrors, mirrorsFailed } from '../download/mirrors.ts';
import { lastWords, codeOf } from '../node/node-shell.ts';
import { takeTurn, turnFor } from '../node/turn.ts';
import { inWords, type PlannedChange, type RunnableChange } from '../node/planned-change.ts';
import { known, type StepContext } from '../engine/step.ts';
import type { DataStrategy, SourceOf } from './strategy.ts';
import { unzipScript } from './unzip.ts';
import { phrase } from '../../i18n/index.ts';
import type { Line } from '../../../shared/base/phrase.ts';
import { reasonOf } from '../../base/reason.ts';

type UrlData = SourceOf<'url'>;

/** Space for an archive and its content: images hardly compress. */
const roomFor = 2.2;
/** Written when everything is unpacked. */
const mark = '.ringlab-url';

const markIn = (folder: string): string => `${folder}/${mark}`;

const fileName = (url: string): string =>
  (
    url
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? ''
  )
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(-80) || 'data';

/** Named after its content: another archive has another folder. */
function urlFolder(home: string, { urls, sha256 }: UrlData): string {
  const name = fileName(urls[0] ?? '').replace(/(\.tar)?\.\w{1,4}$/, '');
  return dataFolder(home, `${name === '' ? 'data' : name}-${sha256.slice(0, 16)}`);
}

async function hasUrlData({ shell, work }: StepContext, data: UrlData): Promise<boolean> {
  const folder = urlFolder(known(work, 'facts').home, data);
  const { stdout } = await shell.exec(`cat ${shellQuote(markIn(folder))} 2>/dev/null`, {
    label: phrase('nodeCommands.lookFor', { path: folder }),
    quiet: true,
  });
  return stdout.trim() === data.sha256;
}

/** The size that the server reports; undefined where it reports none. */
async function sizeOf({ shell }: StepContext, url: string): Promise<number | undefined> {
  const { stdout } = await shell.exec(
    `curl -fsSIL --connect-timeout 15 ${shellQuote(url)} 2>/dev/null || wget -S --spider --tries=1 --timeout=15 ${shellQuote(url)} 2>&1`,
    { label: phrase('nodeCommands.size', { url: shownAddress(url) }), quiet: true, online: true },
  );
  const size = [...stdout.matchAll(/^\s*content-length:\s*(\d+)/gim)].at(-1)?.[1];
  return size === undefined ? undefined : Number(size);
}

/**
 * One at a time makes a folder, also among machines with one home. A single top-level folder is stripped, whatever hidden files lie
 * beside it. A zip is known by its first bytes: an address may end in anything. tar detects the compression; neither tar nor unzip nor
 * our Python follows absolute paths and paths that leave the folder.
 */
const unpackScript = (archive: string, folder: string, sha256: string): string => `set -e
folder=${shellQuote(folder)} want=${shellQuote(sha256)} archive=${shellQuote(archive)}
there() { [ "$(cat "$folder/${mark}" 2>/dev/null)" = "$want" ] && rm -f "$archive" "$lock"; }
${takeTurn(turnFor(folder))}
if there; then exit 0; fi
out=$folder.unpacking$own
# An archive of a read-only file system has folders from which nothing could be moved or removed.
writable() { find "$@" -type d ! -perm -700 -exec chmod u+rwx {} \\;; }
gone() { rm -rf "$@" 2>/dev/null || { writable "$@" 2>/dev/null || :; rm -rf "$@"; }; }
# What follows acts on the folder that it is in: never on the account's home.
gone "$out" "$out.inner" || exit 1
mkdir -p "$out" && cd "$out" || exit 1
if [ "$(head -c 4 "$archive" | od -An -tx1 | tr -d ' \\n')" = 504b0304 ]; then
${unzipScript}
else tar -xf "$archive" --no-same-owner
fi
writable .
# What macOS puts beside the content; its tar does so beside every file. Further down a name alone may be the user's: AppleDouble has a mark.
rm -rf __MACOSX ._* .DS_Store
find . -type f -name '._*' -exec sh -c 'for file; do case $(od -An -tx1 -N4 "$file") in *"00 05 16 07"*) rm -f "$file";; esac; done' sh {} + || :
set -- ./*
if [ $# = 1 ] && [ -d "$1" ] && [ ! -L "$1" ] && [ "$1" != ./train ]; then mv "$1" "$out.inner"; rm -rf "$out"; mv "$out.inner" "$out"; fi
# Not through a link of the archive.
rm -rf "$out/${mark}"
printf '%s\\n' "$want" > "$out/${mark}"
cd /
# Where there was no lock, another machine may have been faster.
if [ -n "$own" ] && there; then rm -rf "$out"; exit 0; fi
gone "$folder"
mv "$out" "$folder"
rm -f "$archive" "$lock"`;

/** Shown in the plan, and run by `unpackArchive`. */
export const unpacking = (archive: string, folder: string, sha256: string): RunnableChange => ({
  what: phrase('changes.data.unpack'),
  command: unpackScript(archive, folder, sha256),
});

const archiveOf = (folder: string): string => `${folder}.archive`;

/** What `fetchUrlData` would do; the fastest of several addresses is measured only then. */
function planUrlData({ work }: StepContext, data: UrlData): PlannedChange[] {
  const folder = urlFolder(known(work, 'facts').home, data);
  const archive = archiveOf(folder);
  const many = data.urls.length > 1;
  return [
    ...(many ? [inWords(phrase('changes.data.measure', { count: data.urls.length }))] : []),
    ...data.urls.flatMap((url) => [
      {
        what: phrase('changes.data.fetch', { url: shownAddress(url) }),
        command: fetchScript(url, archive, data.sha256, markIn(folder)),
      },
      unpacking(archive, folder, data.sha256),
    ]),
  ];
}

/** Throws node_disk_full before the download, mirrors_failed, hash_mismatch, download_failed, command_failed. */
async function fetchUrlData(context: StepContext, data: UrlData): Promise<void> {
  const { shell, status, work } = context;
  const folder = urlFolder(known(work, 'facts').home, data);
  const archive = archiveOf(folder);
  await unpackAgain(context, folder);
  const log = (line: Line): void => status.log.add(line);
  const measured = await measureMirrors(shell, data.urls, (url) => url, log);
  let last: unknown = mirrorsFailed(context.node, data.urls, measured);
  for (const { address: url } of measured.mirrors) {
    const size = await sizeOf(context, url);
    if (size !== undefined) await needSpace(context, { archive, folder, sha256: data.sha256, size });
    try {
      await fetchToNode(context, url, archive, {
        sha256: data.sha256,
        used: markIn(folder),
        onProgress: (done) => status.progress(done, Math.max(done, size ?? done), 'bytes'),
      });
      await unpackArchive(context, archive, fileName(url), folder, data.sha256);
      return;
    } catch (error) {
      if (isCancelled(error) || context.signal.aborted) throw error;
      const code = error instanceof RinglabError ? error.code : undefined;
      if (code !== 'hash_mismatch' && code !== 'download_failed') throw error;
      last = error;
      log(phrase('stepLog.nextAddress', { problem: reasonOf(error) }));
    }
  }
  throw last;
}

/** An archive on a node, or that is to be there. */
interface Packed {
  readonly archive: string;
  /** Into which it is unpacked. */
  readonly folder: string;
  readonly sha256: string;
  /** Of the archive, in bytes. */
  readonly size: number;
  /** Files beside `archive` and its `.part` that may hold what an earlier attempt downloaded. */
  readonly parts?: readonly string[];
}

/**
 * Refuses before a download what there is no space for. What an earlier attempt downloaded counts, and what it left unpacked, which the
 * next one removes before it unpacks.
 * @returns whether the folder is complete, so that nothing is needed
 * @throws node_disk_full
 */
export async function needSpace(
  { shell, signal }: StepContext,
  { archive, folder, sha256, size, parts = [] }: Packed,
): Promise<boolean> {
  const files = [archive, `${archive}.part`, ...parts].map(shellQuote).join(' ');
  const { stdout } = await shell.exec(
    `cat ${shellQuote(markIn(folder))} 2>/dev/null && exit
for file in ${files}; do if [ -f "$file" ]; then echo "have $(wc -c < "$file")"; fi; done
for left in ${shellQuote(folder)}.unpacking*; do if [ -d "$left" ]; then echo "left $(du -sk "$left" | cut -f 1)"; fi; done`,
    { label: phrase('nodeCommands.lookFor', { path: folder }), quiet: true },
  );
  if (stdout.trim() === sha256) return true;
  const sum = (what: string): number =>
    [...stdout.matchAll(new RegExp(`^${what} +(\\d+)$`, 'gm'))].reduce(
      (all, [, one]) => all + Number(one),
      0,
    );
  const have = Math.min(sum('have'), size);
  const left = sum('left') * 1024;
  await needBytes(shell, folder, Math.max(size - have, size * roomFor - have - left), signal);
  return false;
}

/** Where all is to be done again, what is unpacked does not count. */
export async function unpackAgain({ shell, redo }: StepContext, folder: string): Promise<void> {
  if (redo) await shell.exec(`rm -f ${shellQuote(markIn(folder))}`);
}

/**
 * Unpacks and removes an archive; `folder` is renamed to its final name when it is complete.
 * @throws node_disk_full, command_failed
 */
export async function unpackArchive(
  { shell }: StepContext,
  archive: string,
  name: string,
  folder: string,
  sha256: string,
): Promise<void> {
  const result = await shell.exec(unpacking(archive, folder, sha256).command, {
    label: phrase('nodeCommands.unpack', { name, folder }),
    timeoutMs: 6 * 3_600_000,
  });
  if (result.code === 0) return;
  const detail = lastWords(result);
  if (isDiskFullMessage(detail)) {
    const free = await freeBytes(shell, folder);
    throw new RinglabError('node_disk_full', { path: folder, needed: 0, free }, { detail });
  }
  throw new RinglabError(
    'command_failed',
    { command: phrase('nodeCommands.unpack', { name, folder }), code: codeOf(result) },
    { detail },
  );
}

export const urlStrategy: DataStrategy<'url'> = {
  find: async (context, data) =>
    (await hasUrlData(context, data)) ? urlFolder(known(context.work, 'facts').home, data) : undefined,
  folder: ({ work }, data) => Promise.resolve(urlFolder(known(work, 'facts').home, data)),
  bring: {
    plan: (context, data) => Promise.resolve(planUrlData(context, data)),
    apply: fetchUrlData,
  },
};
