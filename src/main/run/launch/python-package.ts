/** Sends our package `ringlab` for Python to a node: each version once, to a folder of its own. */
import { pythonPackageFolder } from '../../base/node-layout.ts';
import type { SshSession } from '../../ssh/index.ts';
import { hasFolder, readFolder, sendFolder } from '../../transfer/index.ts';
import type { Line } from '../../../shared/base/phrase.ts';

export interface PythonPackageOptions {
  /** `Paths.pythonSource`. */
  readonly source: string;
  /** Distinguishes two senders to the same home: a node's id. */
  readonly who: string;
  readonly signal?: AbortSignal;
  readonly log?: (line: Line) => void;
}

/**
 * Returns the folder on the node that goes in front of PYTHONPATH. Nothing is sent where this version is there already.
 * @throws file_unreadable, data_missing (`source` is not the package), node_disk_full, transfer_failed, hash_mismatch, and errors of the
 * SSH layer
 */
export async function sendPythonPackage(session: SshSession, options: PythonPackageOptions): Promise<string> {
  const { source, who, signal, log } = options;
  const manifest = await readFolder(source, {
    parts: ['ringlab'],
    only: /\.py$|^py\.typed$/,
    ...(signal === undefined ? {} : { signal }),
  });
  const target = pythonPackageFolder(await session.home(), manifest.hash);
  if (await hasFolder(session, target, signal)) return target;
  await sendFolder(session, manifest, target, {
    who,
    ...(signal === undefined ? {} : { signal }),
    ...(log === undefined ? {} : { log }),
  });
  return target;
}
