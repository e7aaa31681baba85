/**
 * Names a run by what distinguishes it from the lab's other runs, as a sweep names its own: 'Three nodes · lr 0.05'. Without a
 * difference it is numbered: 'Three nodes · 2'. Pure.
 */
import { trainingNodes } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { runName, runNameSeparator } from '../../../shared/run/run-name.ts';
import {
  comparedValue,
  differing,
  isOptionName,
  noSetting,
  type SettingName,
} from '../../../shared/run/run-settings.ts';
import { isTrainingSetting, settingRow } from '../../../shared/settings/index.ts';

/** More would hide each other. */
export const maxParts = 3;
/** A path or an address keeps its end, anything else its beginning. */
const longestValue = 32;

type Configured = Pick<RunRecord, 'lab'> & Partial<Pick<RunRecord, 'estimate'>>;
type Named = Configured & Pick<RunRecord, 'name' | 'createdAt'>;

/** The same in every language: names are stored. */
const shortNames: Readonly<Partial<Record<SettingName, string>>> = { imageSize: 'image', nodes: 'nodes' };

/** With the mode as it was chosen: what *auto* made of it may differ each time. */
export const configured = ({ lab, estimate }: Configured) => ({
  experiment: { ...lab.experiment, sync: estimate?.asked ?? lab.experiment.sync },
  nodes: trainingNodes(lab).length,
  // Follows from the nodes.
  worldSize: 0,
});

const cut = (value: string): string => {
  if (value.length <= longestValue) return value;
  return value.includes('/') ? `…${value.slice(1 - longestValue)}` : `${value.slice(0, longestValue - 1)}…`;
};

/** 'lr 0.05': a setting as a name says it; empty where there is nothing to say. */
export function partOf(run: Configured, name: SettingName): string {
  const compared = comparedValue(configured(run), name);
  // All words of the arguments belong to options.
  if (name === 'arguments' && compared === noSetting) return '';
  const value = cut(String(compared));
  const short = isTrainingSetting(name)
    ? settingRow(name).short
    : isOptionName(name)
      ? name
      : (shortNames[name] ?? '');
  return `${short} ${value}`.trim();
}

/** What differs from the lab's first run; what changed since the newest one comes first. */
function parts(run: Named, first: Named, newest: Named): string[] {
  const differs = (other: Named): SettingName[] => [...differing([configured(run), configured(other)])];
  const changed = new Set(differs(newest));
  const names = differs(first).toSorted((a, b) => Number(changed.has(b)) - Number(changed.has(a)));
  return names.slice(0, maxParts).map((name) => partOf(run, name));
}

/**
 * The run with a name that no other run of the lab has.
 * @param others all other runs of its lab
 * @param own what distinguishes it, where that is known, as in a sweep
 */
export function withOwnName<T extends Named>(run: T, others: readonly Named[], own?: string): T {
  const inOrder = others.toSorted((a, b) => a.createdAt - b.createdAt);
  const [first, newest] = [inOrder[0], inOrder.at(-1)];
  if (first === undefined || newest === undefined) return { ...run, name: runName(run.name, own ?? '') };
  // The command line names a lab's copy for a script by the script.
  const said = new Set(run.name.split(runNameSeparator));
  const differs = (): string[] => parts(run, first, newest).filter((part) => part !== '' && !said.has(part));
  const words = own ?? differs().join(', ');
  const taken = new Set(others.map(({ name }) => name));
  let number: number | undefined;
  while (taken.has(runName(run.name, words, number))) number = (number ?? 1) + 1;
  return { ...run, name: runName(run.name, words, number) };
}
