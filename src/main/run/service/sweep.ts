/** The records of runs that are queued together: one for each change of a lab's experiment. */
import { autoSync } from '../../../shared/cost/auto-sync.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { inSweep, type SweepPlace } from './new-run.ts';
import { withMode } from './plan.ts';
import { withOwnName } from './run-name.ts';
import { sweepNames, type Repeated } from './sweep-name.ts';

export interface Sweep extends Pick<SweepPlace, 'checkpoint'> {
  /** Before the changes. */
  readonly lab: LabDocument;
  /** The lab with each of the changes. */
  readonly labs: readonly LabDocument[];
  readonly changes: readonly { readonly [setting: string]: unknown }[];
  readonly repeats: Repeated | undefined;
  /** All runs until now, of this lab and others. */
  readonly stored: readonly RunRecord[];
}

/** @param planned makes the record of a run of this lab */
export async function sweepRecords(
  { lab, labs, changes, repeats, checkpoint, stored }: Sweep,
  planned: (lab: LabDocument) => Promise<RunRecord>,
): Promise<RunRecord[]> {
  const others = stored.filter(({ labId }) => labId === labs[0]?.id);
  const names = sweepNames(lab, labs, changes, repeats, checkpoint);
  const records: RunRecord[] = [];
  // `auto` decides once for all of them: a sweep of the learning rate is to compare nothing else.
  let mode: string | undefined;
  for (const [index, one] of labs.entries()) {
    // What is queued as it is drawn is named as a start is, by what distinguishes it from the runs before.
    const name = names[index] === '' && repeats === undefined ? undefined : names[index];
    const record = withOwnName(await planned(withMode(one, mode)), [...others, ...records], name);
    if (record.estimate?.asked === autoSync) mode ??= record.lab.experiment.sync;
    records.push(inSweep(record, { index, of: labs.length, first: records[0], repeats, checkpoint }));
  }
  return records;
}
