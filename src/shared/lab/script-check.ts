/** What is wrong with the own script of an experiment. Pure. */
import type { LabDocument } from './lab.ts';
import type { LabIssue } from './lab-issue.ts';
import { splitArguments } from './script-arguments.ts';
import { maxPatterns, type Script } from './script.ts';

/** A name that a shell and every system accept. */
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** The environment variables of a process’s place among the others: set for each rank. */
const reservedVariables: ReadonlySet<string> = new Set([
  'RANK',
  'LOCAL_RANK',
  'WORLD_SIZE',
  'LOCAL_WORLD_SIZE',
  'NODE_RANK',
  'GROUP_RANK',
  'MASTER_ADDR',
  'MASTER_PORT',
  'TORCHELASTIC_RUN_ID',
  'TORCHELASTIC_RESTART_COUNT',
  'RINGLAB_RUN_ID',
  'RINGLAB_RANK_DIR',
  'RINGLAB_TRAINER',
  'RINGLAB_ENGINE',
  'RINGLAB_ENGINE_PROBLEM',
]);
const moduleName = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;
/**
 * Transports of git that start no program of the address's choice (`ext::` does), and `user@host:path`. A path of this
 * computer is a folder.
 */
const gitAddress = /^(?:(?:https?|ssh|git|git\+ssh):\/\/[^\s/]\S*|[\w.-]+@[\w.-]+:[^\s:]\S*)$/;

/** The module that `python -m` starts; undefined where the script is a file. */
export const moduleOf = ({ file }: Pick<Script, 'file'>): string | undefined =>
  file.startsWith('module:') ? file.slice('module:'.length) : undefined;

/** Files that may be the script, in the order in which Python looks, relative to the code's folder. */
export function scriptFiles(script: Pick<Script, 'file' | 'workingFolder'>): string[] {
  const module_ = moduleOf(script);
  if (module_ === undefined) return [script.file.replaceAll('\\', '/')];
  const folder = (script.workingFolder ?? '.').replaceAll('\\', '/').replace(/\/+$/, '');
  const path = `${folder === '' ? '.' : folder}/${module_.replaceAll('.', '/')}`;
  // A package is found before a module of its name.
  return [`${path}/__main__.py`, `${path}.py`];
}

/** Whether a relative path stays below its root, whichever system reads it. */
export const staysBelow = (path: string): boolean =>
  path !== '' &&
  !/^([/\\~]|[A-Za-z]:)/.test(path) &&
  !path.split(/[/\\]/).includes('..') &&
  !path.includes('\0');

/** A problem, where it is below `experiment.`, and what its text names. */
export interface ScriptIssue {
  readonly severity: LabIssue['severity'];
  readonly code:
    | 'script_source_missing'
    | 'script_source_relative'
    | 'script_git_address'
    | 'script_file_missing'
    | 'script_file_kind'
    | 'script_module_name'
    | 'script_path_outside'
    | 'script_arguments_quote'
    | 'script_variable_name'
    | 'script_variable_reserved'
    | 'script_variable_twice'
    | 'script_packages_missing'
    | 'script_patterns_unused'
    | 'script_runtime';
  readonly field: string;
  readonly params: Readonly<Record<string, string | number>>;
}

/** The trainer leaves out those without a name or a text before it counts. */
const unusedPatternsFrom = ({ patterns = [] }: Script): number | undefined =>
  patterns.flatMap(({ name, pattern }, index) => (name === '' || pattern === '' ? [] : [index]))[maxPatterns];

export function checkScript({ experiment }: LabDocument, script: Script): ScriptIssue[] {
  const issues: ScriptIssue[] = [];
  const report = (code: ScriptIssue['code'], field: string, params: ScriptIssue['params'] = {}): void =>
    void issues.push({ severity: 'error', code, field: `script.${field}`, params });
  const { source, file, workingFolder, install } = script;
  if (source.type === 'folder') {
    const path = source.path.trim();
    if (path === '') report('script_source_missing', 'source.path');
    else if (!/^([/\\~]|[A-Za-z]:)/.test(path)) report('script_source_relative', 'source.path', { path });
  } else if (source.url.trim() === '') report('script_source_missing', 'source.url');
  else if (!gitAddress.test(source.url.trim()))
    report('script_git_address', 'source.url', { url: source.url });
  const below = (path: string | undefined, field: string): void => {
    if (path !== undefined && path !== '' && !staysBelow(path))
      report('script_path_outside', field, { path });
  };
  const module_ = moduleOf(script);
  if (file.trim() === '' || module_ === '') report('script_file_missing', 'file');
  else if (module_ !== undefined) {
    if (!moduleName.test(module_)) report('script_module_name', 'file', { name: module_ });
  } else if (!staysBelow(file)) report('script_path_outside', 'file', { path: file });
  else if (!/\.pyw?$/.test(file)) report('script_file_kind', 'file', { path: file });
  below(workingFolder, 'workingFolder');
  (script.outputs ?? []).forEach((path, index) => below(path, `outputs[${index}]`));
  const split = splitArguments(script.arguments);
  if (!split.ok) report('script_arguments_quote', 'arguments', { quote: split.quote, at: split.at + 1 });
  const names = new Set<string>();
  (script.environment ?? []).forEach(({ name }, index) => {
    const field = `environment[${index}].name`;
    if (!variableName.test(name)) report('script_variable_name', field, { name });
    else if (reservedVariables.has(name)) report('script_variable_reserved', field, { name });
    else if (names.has(name)) report('script_variable_twice', field, { name });
    names.add(name);
  });
  if (install?.type === 'requirements') {
    if (install.file.trim() === '') report('script_packages_missing', 'install.file');
    below(install.file, 'install.file');
  }
  if (install?.type === 'packages' && install.packages.every((name) => name.trim() === ''))
    report('script_packages_missing', 'install.packages');
  if (experiment.runtime?.type === 'conda')
    issues.push({ severity: 'error', code: 'script_runtime', field: 'runtime', params: {} });
  const unused = unusedPatternsFrom(script);
  if (unused !== undefined)
    issues.push({
      severity: 'warning',
      code: 'script_patterns_unused',
      field: `script.patterns[${unused}].name`,
      params: { most: maxPatterns, first: unused + 1 },
    });
  return issues;
}
