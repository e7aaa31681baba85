/**
 * Names a run by what distinguishes it from the lab's other runs, as a sweep names its own: 'Three nodes · lr 0.05'. Without a
 * difference it is numbered: 'Three nodes · 2'. Pure.
 */
import { trainingNodes } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { runNameSeparator } from '../../../shared/run/run-name.ts';
import { differing, isOptionName, settingOf, type SettingName } from '../../../shared/run/run-settings.ts';
import { isTrainingSetting, settingRow } from '../../../shared/settings/index.ts';

const longestName = 120;
/** More would hide each other. */
const maxParts = 3;
/** A path or an address keeps its end, anything else its beginning. */
const longestValue = 32;

type Named = Pick<RunRecord, 'name' | 'lab' | 'createdAt' | 'estimate'>;

/** The same in every language: names are stored. */
const shortNames: Readonly<Partial<Record<SettingName, string>>> = { imageSize: 'image', nodes: 'nodes' };

/** With the mode as it was chosen: what *auto* made of it may differ each time. */
const configured = ({ lab, estimate }: Named) => ({
  experiment: { ...lab.experiment, sync: estimate?.asked ?? lab.experiment.sync },
  nodes: trainingNodes(lab).length,
  // Follows from the nodes.
  worldSize: 0,
});

const cut = (value: string): string => {
  if (value.length <= longestValue) return value;
  return value.includes('/') ? `…${value.slice(1 - longestValue)}` : `${value.slice(0, longestValue - 1)}…`;
};

function partOf(run: Named, name: SettingName): string {
  const value = cut(String(settingOf(configured(run), name)));
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
 * @param named whether its name already says how it differs, as in a sweep
 */
export function withOwnName<T extends Named>(run: T, others: readonly Named[], named = false): T {
  const inOrder = others.toSorted((a, b) => a.createdAt - b.createdAt);
  const [first, newest] = [inOrder[0], inOrder.at(-1)];
  if (first === undefined || newest === undefined) return run;
  // The command line names a lab's copy for a script by the script.
  const said = new Set(run.name.split(runNameSeparator));
  const words = named ? [] : parts(run, first, newest).filter((part) => part !== '' && !said.has(part));
  const whole = [run.name, words.join(', ')].filter((part) => part !== '').join(runNameSeparator);
  const taken = new Set(others.map(({ name }) => name));
  const numbered = (number: number): string => {
    const end = number === 1 ? '' : `${runNameSeparator}${number}`;
    return `${whole.slice(0, longestName - end.length)}${end}`;
  };
  let number = 1;
  while (taken.has(numbered(number))) number += 1;
  return { ...run, name: numbered(number) };
}
