/** A few images of the run's validation data, fetched from a node that takes part: something to test a checkpoint with. */
import * as z from 'zod';
import { maxSamples, type SampleImage } from '../../../shared/run/checkpoint.ts';
import { firstMemberOf } from '../../../shared/run/membership.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { RunServices } from '../record/services.ts';
import { isImage } from './image-kind.ts';

/** Larger images are passed over: samples come over the SSH connection, which may be slow. */
const maxKilobytes = 128;
const timeoutMs = 30_000;
/** Base64 of all of them, and their names. */
const maxOutputBytes = 2 * maxSamples * maxKilobytes * 1024;

/** One line: class folder and file, a tab, base64. Both come from the node. */
const Sample = z.tuple([
  z.string().regex(/^[^/\0]{1,200}\/[^/\0]{1,255}$/),
  z.base64().max(Math.ceil((maxKilobytes * 1024) / 3) * 4),
]);

/** Of classes spread over the data set's, one image each; empty where its data are no folder of classes. */
export async function sampleImages(
  { reach }: Pick<RunServices, 'reach'>,
  run: RunRecord,
  signal?: AbortSignal,
): Promise<SampleImage[]> {
  const first = firstMemberOf(run);
  const folder = first?.argv.at(-1);
  if (first === undefined || folder === undefined || !folder.startsWith('/')) return [];
  const session = await reach.session(run.lab, first.nodeId, signal);
  const result = await session.exec(script(`${folder}/val`), { signal, timeoutMs, maxOutputBytes });
  return result.stdout.split('\n').flatMap((line) => {
    const parsed = Sample.safeParse(line.split('\t'));
    if (!parsed.success) return [];
    const [path, base64] = parsed.data;
    if (!isImage(Buffer.from(base64.slice(0, 64), 'base64'))) return [];
    return [{ class: path.slice(0, path.indexOf('/')), name: path.slice(path.indexOf('/') + 1), base64 }];
  });
}

/** Follows links, as the trainer does. Names with control characters are left out: they would break the lines. */
const script = (folder: string): string => `cd ${shellQuote(folder)} 2>/dev/null || exit 0
ls -1 | awk '!/[[:cntrl:]]/ { names[++n] = $0 } END { step = n / ${maxSamples}; if (step < 1) step = 1; for (i = 1; i <= n; i += step) print names[int(i)] }' |
head -n ${maxSamples} | while IFS= read -r class; do
  find -L "./$class" -maxdepth 1 -type f -size -${2 * maxKilobytes} 2>/dev/null | awk '!/[[:cntrl:]]/ { print; exit }' | while IFS= read -r file; do
    printf '%s\\t' "\${file#./}"
    base64 < "$file" | tr -d '\\n'
    printf '\\n'
  done
done`;
