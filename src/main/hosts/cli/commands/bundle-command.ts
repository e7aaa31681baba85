/**
 * `ringlab bundle LAB [--out FOLDER] [--cuda X.Y]`, `ringlab bundle --add FOLDER [--programs]`: downloads or imports what nodes
 * without internet need.
 */
import { resolve } from 'node:path';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { CudaVersion } from '../../../../shared/contract/api.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import { phrase } from '../../../i18n/index.ts';
import { withSession, type SessionOptions } from '../session.ts';
import { speak } from '../speak.ts';

/** Prints one JSON object. */
export async function bundleCommand(
  lab: LabDocument,
  { out, cuda }: { readonly out?: string | undefined; readonly cuda?: string | undefined },
  options: SessionOptions,
  print: (line: string) => void,
): Promise<number> {
  if (cuda !== undefined && !CudaVersion.safeParse(cuda).success)
    throw new RinglabError('bad_request', {
      path: '--cuda',
      problem: phrase('reasons.cudaVersion', { text: cuda }),
    });
  return await withSession(options, async ({ api, concerns }) => {
    concerns(lab.id);
    const place = out === undefined ? {} : { folder: resolve(out) };
    const wanted = cuda === undefined ? {} : { cuda };
    print(JSON.stringify(await api.call('bundle.make', { lab, ...place, ...wanted })));
    return 0;
  });
}

/** Prints one JSON object: new objects and bytes, and the programs that were skipped without `programs`. */
export async function addBundle(
  folder: string,
  programs: boolean,
  options: SessionOptions,
  print: (line: string) => void,
): Promise<number> {
  return await withSession(options, async ({ api }) => {
    const taken = await api.call('bundle.add', { folder: resolve(folder), programs });
    print(JSON.stringify(taken));
    if (taken.programsLeft > 0)
      process.stderr.write(`${speak('cli.programsLeft', { count: taken.programsLeft })}\n`);
    return 0;
  });
}
