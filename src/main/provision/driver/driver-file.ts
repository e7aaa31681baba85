/**
 * Checks the local driver file that a lab names. A lab may come from anybody, and the file is sent to a node: only
 * NVIDIA's installer and Debian packages are accepted.
 */
import { basename } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import { lookAtOwnFile } from '../../base/own-file.ts';
import { reasonOf } from '../../base/reason.ts';
import { hashFile } from '../../transfer/index.ts';
import type { DriverFile } from '../node/rights.ts';
import { expandHome } from '../node/home-path.ts';

/** CUDA's local repositories have 4 GB. */
const maxBytes = 16 * 1024 ** 3;

/** NVIDIA's installers are makeself archives: a shell script with a recognisable header, followed by the archive. */
function kindOf(name: string, head: Buffer): DriverFile['kind'] | undefined {
  const text = head.toString('latin1');
  if (name.endsWith('.deb')) return text.startsWith('!<arch>\ndebian-binary') ? 'Debian .deb' : undefined;
  const isArchive = /^#! ?\/bin\/(ba)?sh\n/.test(text) && /makeself|^skip=/im.test(text);
  return isArchive && /nvidia|cuda/i.test(text) && name.endsWith('.run') ? 'NVIDIA .run' : undefined;
}

/**
 * @param written as in the lab
 * @param home the user's home folder, for a path that begins with `~`
 * @throws file_unreadable, driver_file_kind
 */
export async function readDriverFile(
  written: string,
  home: string,
  signal?: AbortSignal,
): Promise<DriverFile> {
  const path = expandHome(written, home);
  const { size, head } = await lookAtOwnFile(path, maxBytes).catch((error: unknown) => {
    throw new RinglabError('file_unreadable', { path, reason: reasonOf(error) }, { cause: error });
  });
  const kind = kindOf(basename(path), head);
  if (kind === undefined) throw new RinglabError('driver_file_kind', { path });
  return { path, bytes: size, sha256: await hashFile(path, signal), kind };
}
