/** How the Kubernetes launcher identifies a rank's process: by the job that it is part of. Private to this launcher. */
import * as z from 'zod';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { StartedProcess } from '../../../../shared/run/run.ts';

export const JobName = z.string().regex(/^ringlab-[a-z0-9-]{1,50}$/);

const prefix = 'kubernetes job ';

export const podProcess = (job: string): StartedProcess => ({ id: `${prefix}${JobName.parse(job)}` });

/** Throws `internal` for a process of another launcher. */
export function jobNameOf({ id }: StartedProcess): string {
  const { data } = JobName.safeParse(id.startsWith(prefix) ? id.slice(prefix.length) : '');
  if (data === undefined)
    throw new RinglabError('internal', {}, { detail: `not a process that was started by Kubernetes: ${id}` });
  return data;
}
