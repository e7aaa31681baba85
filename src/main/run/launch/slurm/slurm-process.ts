/** How the Slurm launcher identifies a rank's process: by the job that it is part of. Private to this launcher. */
import * as z from 'zod';
import { RinglabError } from '../../../../shared/base/errors.ts';
import type { StartedProcess } from '../../../../shared/run/run.ts';

/** As `sbatch --parsable` prints it, without the cluster's name. */
export const JobId = z.string().regex(/^[1-9]\d{0,18}$/);

const prefix = 'slurm job ';

export const jobProcess = (jobId: string): StartedProcess => ({ id: `${prefix}${JobId.parse(jobId)}` });

/** Throws `internal` for a process of another launcher. */
export function jobOf({ id }: StartedProcess): string {
  const { data } = JobId.safeParse(id.startsWith(prefix) ? id.slice(prefix.length) : '');
  if (data === undefined)
    throw new RinglabError('internal', {}, { detail: `not a process that was started by Slurm: ${id}` });
  return data;
}
