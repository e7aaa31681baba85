/** Names the runs of a sweep, or of a repetition: what they are runs of, and by what each differs. Pure. */
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { runNameParts, runNameSeparator } from '../../../shared/run/run-name.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { differing } from '../../../shared/run/run-settings.ts';
import { changeName } from './new-run.ts';
import { configured, maxParts, partOf } from './run-name.ts';

type Change = { readonly [setting: string]: unknown };
export type Repeated = Pick<RunRecord, 'id' | 'name' | 'nodeOrder' | 'origin'>;

/** What a repeated run is a run of, and what distinguished it: 'Lab' and 'lr 0.05'. */
function partsOf({ name, origin }: Repeated, lab: LabDocument): { of: string; own: string } {
  // In records of earlier versions the lab of a sweep's run has the run's name.
  const isLabs = name !== lab.name || (origin?.sweep === undefined && origin?.repeats === undefined);
  if (isLabs && name === lab.name) return { of: name, own: '' };
  const start = `${lab.name}${runNameSeparator}`;
  if (isLabs && name.startsWith(start)) return { of: lab.name, own: name.slice(start.length) };
  const { of, own } = runNameParts(name);
  return { of, own: own.slice(runNameSeparator.length) };
}

/** The lab's own name, where it is drawn. */
export const sweptName = (lab: LabDocument, repeats: Repeated | undefined): string =>
  repeats === undefined ? lab.name : partsOf(repeats, lab).of;

/** Without the number of a name that was taken, and without a checkpoint that the repetition does not start from. */
const pieces = (own: string): string[] =>
  own
    .split(runNameSeparator)
    .filter((part) => !/^\d+$/.test(part))
    .flatMap((part) => part.split(', '))
    .filter((part) => part !== '' && !/^from epoch \d+$/.test(part));

/**
 * What distinguishes each run. Of a script these are the options in which the runs differ, or a single one differs from the lab;
 * its whole arguments would be too long, and often begin alike.
 * @param labs the lab with each of the changes
 */
export function sweepNames(
  lab: LabDocument,
  labs: readonly LabDocument[],
  changes: readonly Change[],
  repeats: Repeated | undefined,
  checkpoint?: { readonly epoch: number },
): string[] {
  const compared = [...labs, ...(labs.length > 1 ? [] : [lab])].map((one) => configured({ lab: one }));
  const isScript = lab.experiment.script !== undefined;
  const options = isScript ? [...differing(compared)].slice(0, maxParts) : [];
  const own = repeats === undefined ? [] : pieces(partsOf(repeats, lab).own);
  const from = checkpoint === undefined ? [] : [`from epoch ${checkpoint.epoch}`];
  return labs.map((one, index) => {
    const { script, ...change } = changes[index] ?? {};
    const given = isScript ? change : { script, ...change };
    const before = Object.fromEntries(
      Object.entries(lab.experiment).filter(([name]) => given[name] !== undefined),
    );
    const replaced = new Set([
      ...pieces(changeName(before)),
      ...options.map((name) => partOf({ lab }, name)),
    ]);
    return [
      ...new Set([
        ...from,
        ...own.filter((piece) => !replaced.has(piece)),
        ...options.map((name) => partOf({ lab: one }, name)),
        ...pieces(changeName(given)),
      ]),
    ]
      .filter((part) => part !== '')
      .join(', ');
  });
}
