/** A run's configuration as flat values for comparison: of the native trainer and of own scripts. Pure. */
import { shownAddress } from '../base/shown-address.ts';
import { comparedSettings, isTrainingSetting, settingsOf } from '../settings/index.ts';
import { imageSizeOf, runtimeOf, type DataSource, type Experiment } from '../lab/lab.ts';
import type { Runtime } from '../lab/runtime.ts';
import type { RunCode } from './run-code.ts';
import { optionsOf, type OptionName } from './script-options.ts';

const [first, ...others] = comparedSettings;
const settingNames = [
  ...(['script', 'arguments', 'code'] as const),
  ...(first === undefined ? [] : [first]),
  ...(['data', 'imageSize', 'nodes', 'worldSize', 'runtime'] as const),
  ...others,
] as const;
/** A setting, or an option of a script: `--lr`. */
export type SettingName = (typeof settingNames)[number] | OptionName;
export const isOptionName = (name: string): name is OptionName => name.startsWith('-');
export const isSetting = (name: string): name is SettingName =>
  isOptionName(name) || (settingNames as readonly string[]).includes(name);

export interface ConfiguredRun {
  readonly experiment: Experiment;
  readonly nodes: number;
  readonly worldSize: number;
  readonly code?: RunCode | undefined;
}

/** The value of a setting that a run does not have: a script has no batch size of ours, a trainer's run no arguments. */
export const noSetting = '–';

/** Of an own script; every run has the settings in neither list. */
const ofScripts: ReadonlySet<SettingName> = new Set(['script', 'arguments', 'code']);
const ofEveryRun: ReadonlySet<SettingName> = new Set([
  'nodes',
  'worldSize',
  'runtime',
  'backend',
  'processesPerNode',
]);

/** Whether a setting says anything about a run. */
export const hasSetting = ({ experiment }: Pick<ConfiguredRun, 'experiment'>, name: SettingName): boolean =>
  ofEveryRun.has(name) || (experiment.script !== undefined) === (isOptionName(name) || ofScripts.has(name));

/** The settings of any of these runs, with the options of their scripts after the scripts' arguments. */
export function settingNamesOf(runs: readonly ConfiguredRun[]): readonly SettingName[] {
  const options = new Set<OptionName>();
  for (const { experiment } of runs)
    if (experiment.script !== undefined)
      for (const name of optionsOf(experiment.script).named.keys()) options.add(name);
  const after = settingNames.indexOf('arguments') + 1;
  return [...settingNames.slice(0, after), ...options, ...settingNames.slice(after)].filter((name) =>
    runs.some((run) => hasSetting(run, name)),
  );
}

const dataWords = (data: DataSource): string =>
  data.type === 'shapes'
    ? `shapes ${data.train}/${data.validation} #${data.seed}`
    : data.type === 'url'
      ? data.urls.map(shownAddress).join(' ')
      : data.type === 's3'
        ? `${data.endpoint} ${data.bucket}/${data.prefix}`
        : data.path;

const runtimeWords = (runtime: Runtime): string =>
  runtime.type === 'wheels'
    ? ['wheels', ...(runtime.torch === undefined ? [] : [`torch ${runtime.torch}`])].join(' ')
    : runtime.type === 'conda'
      ? `conda ${runtime.environment}`
      : runtime.type === 'existing' && runtime.path !== undefined
        ? runtime.path
        : runtime.type;

/** The commit, and the content too where it differs from the commit. */
function codeWords({ hash, commit, changed }: RunCode): string {
  if (commit === undefined) return hash;
  const short = commit.slice(0, 10);
  return changed === undefined || changed === 0 ? short : `${short} + ${hash}`;
}

/** `noSetting` where the run has no such setting. */
export function settingOf(run: ConfiguredRun, name: SettingName): string | number {
  const { experiment, nodes, worldSize } = run;
  const { script } = experiment;
  if (!hasSetting(run, name)) return noSetting;
  if (isOptionName(name)) return (script && optionsOf(script).named.get(name)) ?? noSetting;
  if (isTrainingSetting(name)) {
    const value = settingsOf(experiment)[name];
    return typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
  }
  switch (name) {
    case 'nodes':
      return nodes;
    case 'worldSize':
      return worldSize;
    case 'data':
      return dataWords(experiment.data);
    case 'imageSize':
      return imageSizeOf(experiment.data);
    case 'runtime':
      return runtimeWords(runtimeOf({ experiment }));
    case 'script':
      return script?.file ?? noSetting;
    case 'arguments':
      return script?.arguments.replaceAll(/\s+/g, ' ').trim() ?? noSetting;
    case 'code':
      return run.code === undefined ? noSetting : codeWords(run.code);
  }
}

/** What makes a difference: of the arguments only the words that are no option's, since options are settings of their own. */
export const comparedValue = (run: ConfiguredRun, name: SettingName): string | number =>
  name === 'arguments' && run.experiment.script !== undefined
    ? optionsOf(run.experiment.script).others || noSetting
    : settingOf(run, name);

/** The settings in which these runs differ; a run that cannot have a setting does not differ in it. */
export function differing(runs: readonly ConfiguredRun[]): ReadonlySet<SettingName> {
  return new Set(
    settingNamesOf(runs).filter((name) => {
      // Which script, or none, is itself a difference.
      const having = name === 'script' ? runs : runs.filter((run) => hasSetting(run, name));
      const [one, ...rest] = having.map((run) => comparedValue(run, name));
      return rest.some((value) => value !== one);
    }),
  );
}

/**
 * The modes of synchronisation of runs that differ in them because `auto` chose: a comparison of anything else then
 * compares two things. Empty where none was chosen, or all have the same.
 */
export function modesChosenApart(
  runs: readonly (ConfiguredRun & { readonly estimate?: { readonly asked: string } | undefined })[],
): readonly string[] {
  const trained = runs.filter(({ experiment }) => experiment.script === undefined);
  const modes = [...new Set(trained.map(({ experiment }) => experiment.sync))];
  const isChosen = trained.some(({ estimate }) => estimate?.asked === 'auto');
  return isChosen && modes.length > 1 ? modes : [];
}

/** The random seed: the trainer's, or a script's option of that name. */
export const isSeed = (name: SettingName): boolean => /^(seed|--?([a-z]+[-_])?seed)$/.test(name);

/** The most frequent value as it is compared, so that other values can be highlighted. Of equally frequent ones the first. */
export function commonSetting(
  runs: readonly ConfiguredRun[],
  name: SettingName,
): string | number | undefined {
  const counts = new Map<string | number, number>();
  for (const run of runs) {
    if (!hasSetting(run, name)) continue;
    const value = comparedValue(run, name);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  let common: string | number | undefined;
  let max = 0;
  for (const [value, count] of counts) if (count > max) [common, max] = [value, count];
  return common;
}
