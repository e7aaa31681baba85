/** Histograms and pictures of a script's event files: listed from stored lines; a picture's bytes are fetched from its node. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';
import { rankSource } from '../../../shared/metrics/metrics.ts';
import {
  maxMediaLines,
  mediaKinds,
  mediaOf,
  storedPicture,
  type PictureFormat,
  type RunMedia,
  type StoredPicture,
} from '../../../shared/run/run-media.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { lastWords, shellQuote } from '../../ssh/index.ts';
import type { Store } from '../../store/index.ts';
import type { RunServices } from '../record/services.ts';
import { pictureSize } from './picture-size.ts';

const patienceMs = 60_000;
/** A browser needs four bytes a pixel: larger ones are not shown. */
const maxPixels = 16_000_000;

export async function readMedia(store: Pick<Store, 'lines'>, runId: string): Promise<RunMedia> {
  const lines = await Promise.all(
    mediaKinds.map((kind) => store.lines({ runId, kinds: [kind], limit: maxMediaLines })),
  );
  return mediaOf(lines.flat());
}

/** Exit code of the script below. */
const outside = 4;

/** A link that leads out of the run's folder is not followed. */
const readScript = (top: string, { file, offset, length }: StoredPicture): string => `
cd ${shellQuote(`${top}/code`)} 2>/dev/null && [ -f ${shellQuote(`./${file}`)} ] || exit 3
real=$(readlink -f -- ${shellQuote(`./${file}`)}) && top=$(readlink -f -- ${shellQuote(top)}) || exit 3
case "$real" in "$top"/*) ;; *) exit ${outside} ;; esac
tail -c +${offset + 1} -- "$real" | head -c ${length} | base64`;

/**
 * The bytes of one picture, kept beside the run after the first time.
 * @throws nothing_to_export (gone, or no picture of its format and a sensible size), and errors of the SSH layer
 */
export async function fetchPicture(
  { reach, store }: Pick<RunServices, 'reach' | 'store'>,
  run: RunRecord,
  { rank, seq }: { readonly rank: number; readonly seq: number },
  signal?: AbortSignal,
): Promise<{ format: PictureFormat; base64: string }> {
  const points = await store.lines({
    runId: run.id,
    kinds: ['picture'],
    source: rankSource(rank),
    limit: maxMediaLines,
  });
  const point = points.find(({ line }) => line.seq === seq);
  const picture = point === undefined ? undefined : storedPicture(point);
  const record = run.ranks.find((one) => one.rank === rank);
  if (picture === undefined || record === undefined || record.directory === '')
    throw new RinglabError('nothing_to_export', { artifact: `rank-${rank}-${seq}` }, { where: run.name });
  const kept = join(
    store.runFolder(run.id),
    'artifacts',
    'pictures',
    `rank-${rank}-${seq}.${picture.format}`,
  );
  const here = await readFile(kept).catch(() => undefined);
  if (here !== undefined && isSensible(here, picture.format))
    return { format: picture.format, base64: here.toString('base64') };
  const gone = (detail: Phrase | string): RinglabError =>
    new RinglabError('nothing_to_export', { artifact: picture.name }, { where: record.nodeName, detail });
  const session = await reach.session(run.lab, record.nodeId, signal);
  const result = await session.exec(readScript(posix.dirname(record.directory), picture), {
    signal,
    timeoutMs: patienceMs,
    brief: true,
    maxOutputBytes: 2 * picture.length + 4096,
  });
  if (result.code !== 0)
    throw gone(result.code === outside ? phrase('reasons.leadsOutside') : lastWords(result));
  const bytes = Buffer.from(result.stdout, 'base64');
  if (!isSensible(bytes, picture.format))
    throw gone(phrase('reasons.oddPicture', { millions: maxPixels / 1e6 }));
  try {
    await mkdir(dirname(kept), { recursive: true });
    await writeFile(`${kept}.part`, bytes);
    await rename(`${kept}.part`, kept);
  } catch (error) {
    if (isCancelled(error)) throw error;
    // A full disk does not hide what has been fetched.
  }
  return { format: picture.format, base64: bytes.toString('base64') };
}

function isSensible(bytes: Uint8Array, format: PictureFormat): boolean {
  const size = pictureSize(bytes);
  return size?.format === format && size.width * size.height <= maxPixels;
}
