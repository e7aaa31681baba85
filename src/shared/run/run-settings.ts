/** A run's configuration as flat values for comparison. Pure. */
import { comparedSettings, settingsOf } from '../settings/index.ts';
import { imageSizeOf, type DataSource, type Experiment } from '../lab/lab.ts';

const [first, ...others] = comparedSettings;
export const settingNames = [
  ...(first === undefined ? [] : [first]),
  ...(['data', 'imageSize', 'nodes', 'worldSize'] as const),
  ...others,
] as const;
export type SettingName = (typeof settingNames)[number];

export interface ConfiguredRun {
  readonly experiment: Experiment;
  readonly nodes: number;
  readonly worldSize: number;
}

const dataWords = (data: DataSource): string =>
  data.type === 'shapes'
    ? `shapes ${data.train}/${data.validation} #${data.seed}`
    : data.type === 'url'
      ? data.urls.join(' ')
      : data.type === 's3'
        ? `${data.endpoint} ${data.bucket}/${data.prefix}`
        : data.path;

export function settingOf(
  { experiment, nodes, worldSize }: ConfiguredRun,
  name: SettingName,
): string | number {
  if (name === 'nodes') return nodes;
  if (name === 'worldSize') return worldSize;
  if (name === 'data') return dataWords(experiment.data);
  if (name === 'imageSize') return imageSizeOf(experiment.data);
  const value = settingsOf(experiment)[name];
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
}

/** The settings in which these runs differ. */
export function differing(runs: readonly ConfiguredRun[]): ReadonlySet<SettingName> {
  const [first, ...others] = runs;
  if (first === undefined) return new Set();
  return new Set(
    settingNames.filter((name) => others.some((run) => settingOf(run, name) !== settingOf(first, name))),
  );
}

/**
 * The modes of synchronisation of runs that differ in them because `auto` chose: a comparison of anything else then
 * compares two things. Empty where none was chosen, or all have the same.
 */
export function modesChosenApart(
  runs: readonly (ConfiguredRun & { readonly estimate?: { readonly asked: string } | undefined })[],
): readonly string[] {
  const modes = [...new Set(runs.map(({ experiment }) => experiment.sync))];
  const isChosen = runs.some(({ estimate }) => estimate?.asked === 'auto');
  return isChosen && modes.length > 1 ? modes : [];
}

/** The most frequent value, so that other values can be highlighted. Of equally frequent ones the first. */
export function commonSetting(
  runs: readonly ConfiguredRun[],
  name: SettingName,
): string | number | undefined {
  const counts = new Map<string | number, number>();
  for (const run of runs) {
    const value = settingOf(run, name);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  let common: string | number | undefined;
  let max = 0;
  for (const [value, count] of counts) if (count > max) [common, max] = [value, count];
  return common;
}
