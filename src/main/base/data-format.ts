/**
 * The version of the data folder's layout, in `format.json`. An older app must not write to a folder that a newer one has
 * changed: it would lose what it does not know.
 */
import { randomBytes } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RinglabError } from '../../shared/base/errors.ts';

/** Raised where an older app would misread or damage the folder. What is only added needs no new version. */
const currentVersion = 1;
const maxBytes = 4096;

const Format = z.object({
  format: z.literal('ringlab-data'),
  version: z.number().int().min(1),
  /** The app that wrote it. */
  by: z.string().max(80),
});

const pathOf = (dataFolder: string): string => join(dataFolder, 'format.json');

/** Undefined where there is none, as in folders of the first versions, or where it is damaged. */
async function readFormat(dataFolder: string): Promise<z.infer<typeof Format> | undefined> {
  const file = await open(pathOf(dataFolder)).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes), 0);
    return Format.safeParse(JSON.parse(buffer.toString('utf8', 0, bytesRead))).data;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/** Rejects with `data_folder_newer`, before anything in the folder is changed. */
export async function refuseNewer(dataFolder: string, appVersion: string): Promise<void> {
  const found = await readFormat(dataFolder);
  if (found !== undefined && found.version > currentVersion)
    throw new RinglabError(
      'data_folder_newer',
      { path: dataFolder, theirs: found.by, ours: appVersion },
      { where: dataFolder },
    );
}

/** Marks the folder as this version's; the caller holds its lock. Rejects with the system's error. */
export async function markFormat(dataFolder: string, appVersion: string): Promise<void> {
  const found = await readFormat(dataFolder);
  if (found?.version === currentVersion) return;
  const path = pathOf(dataFolder);
  const part = `${path}.${randomBytes(6).toString('hex')}.part`;
  const format: z.infer<typeof Format> = { format: 'ringlab-data', version: currentVersion, by: appVersion };
  try {
    await writeFile(part, `${JSON.stringify(format)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
