/**
 * How the SSH launcher identifies a process, so that a reused pid is not mistaken for the rank. Private to this
 * launcher.
 */
import * as z from 'zod';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { StartedProcess } from '../../../../shared/run/run.ts';

const SshProcess = z.object({
  pid: z.number().int().positive(),
  bootId: z.string().max(128),
  /** Clock ticks since the boot. */
  startTicks: z.number().int().nonnegative(),
});
export type SshProcess = z.infer<typeof SshProcess>;

/** Equal for the same process. */
export const startedProcess = (process: SshProcess): StartedProcess => ({
  id: JSON.stringify(SshProcess.parse(process)),
  pid: process.pid,
});

/** Throws `internal` for a process of another launcher. */
export function sshProcess({ id }: StartedProcess): SshProcess {
  let value: unknown;
  try {
    value = JSON.parse(id);
  } catch {
    // Falls through to the schema, which refuses it.
  }
  const { data } = SshProcess.safeParse(value);
  if (data === undefined)
    throw new RinglabError('internal', {}, { detail: `not a process that was started over SSH: ${id}` });
  return data;
}
