/** Distinct labels for compared runs: their names and, if those are equal, the settings that differ. */
import { runNameSeparator as separator } from '../../../shared/run/run-name.ts';
import {
  comparedValue,
  differing,
  type SettingName,
  type ConfiguredRun,
} from '../../../shared/run/run-settings.ts';

/** With more runs the table below shows the settings. */
const maxSettings = 2;

/** @param format formats a setting's value in the user's language */
export function distinctNames(
  runs: readonly (ConfiguredRun & { readonly name: string })[],
  format: (name: SettingName, value: string | number) => string,
): string[] {
  const names = runs.map(({ name }) => name);
  const twins = (name: string): number[] => names.flatMap((other, index) => (other === name ? [index] : []));
  const whole = runs.map((run, index) => {
    const alike = twins(run.name);
    if (alike.length < 2) return run.name;
    const same = alike.flatMap((twin) => runs[twin] ?? []);
    const differ = [...differing(same)].slice(0, maxSettings);
    const formatValues = (one: ConfiguredRun): string =>
      differ.map((name) => format(name, comparedValue(one, name))).join(', ');
    const ownValues = formatValues(run);
    const left = alike.filter((twin) => {
      const other = runs[twin];
      return other !== undefined && formatValues(other) === ownValues;
    });
    const number = left.length < 2 ? '' : `#${left.indexOf(index) + 1}`;
    return [run.name, ownValues, number].filter(Boolean).join(separator);
  });
  return withoutCommonStart(allDistinct(whole));
}

/** A common prefix distinguishes nothing, and a narrow legend would cut off the part that differs. */
function withoutCommonStart(names: readonly string[]): string[] {
  const parts = names.map((name) => name.split(separator));
  const first = parts[0] ?? [];
  let common = 0;
  const isShared = (): boolean =>
    parts.every((one) => one.length > common + 1 && one[common] === first[common]);
  while (parts.length > 1 && isShared()) common += 1;
  return parts.map((one) => one.slice(common).join(separator));
}

/** A run may be called as another one is once a difference is added to its name. */
function allDistinct(names: readonly string[]): string[] {
  const used = new Set(names.filter((name) => names.indexOf(name) === names.lastIndexOf(name)));
  return names.map((name, index) => {
    if (names.indexOf(name) === names.lastIndexOf(name)) return name;
    let number = names.slice(0, index).filter((other) => other === name).length + 1;
    const numbered = (): string => `${name}${separator}#${number}`;
    while (used.has(numbered())) number += 1;
    used.add(numbered());
    return numbered();
  });
}
