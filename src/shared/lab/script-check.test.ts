import { describe, expect, it } from 'vitest';
import { checkLab } from './lab-check.ts';
import { defaultPlacement, emptyLab, type LabDocument } from './lab.ts';
import { staysBelow } from './script-check.ts';
import { Script } from './script.ts';

const good: Script = {
  source: { type: 'folder', path: '/home/anna/project' },
  file: 'train.py',
  arguments: '',
};
const lab = (script: Partial<Script>, nodes = true): LabDocument => {
  const empty = emptyLab('l', 'L');
  const node: LabDocument['nodes'][number] = {
    id: 'a',
    name: 'A',
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' },
  };
  return {
    ...empty,
    nodes: nodes ? [node] : [],
    experiment: { ...empty.experiment, architecture: 'none such', script: { ...good, ...script } },
  };
};
const codes = (document: LabDocument): string[] => checkLab(document).map(({ code }) => code);

describe('an own script', () => {
  it('is checked in place of the trainer’s settings', () => {
    expect(codes(lab({}))).toEqual([]);
    expect(codes(lab({ file: 'module:pkg.train', workingFolder: 'src', outputs: ['out/a.jsonl'] }))).toEqual(
      [],
    );
  });

  it.each<[string, Partial<Script>, string]>([
    ['script_source_missing', { source: { type: 'folder', path: ' ' } }, 'source.path'],
    ['script_source_missing', { source: { type: 'git', url: '' } }, 'source.url'],
    ['script_source_relative', { source: { type: 'folder', path: 'project' } }, 'source.path'],
    ['script_git_address', { source: { type: 'git', url: 'ext::sh -c date' } }, 'source.url'],
    ['script_git_address', { source: { type: 'git', url: 'file:///etc' } }, 'source.url'],
    ['script_file_missing', { file: '' }, 'file'],
    ['script_file_missing', { file: 'module:' }, 'file'],
    ['script_file_kind', { file: 'train.sh' }, 'file'],
    ['script_module_name', { file: 'module:a..b' }, 'file'],
    ['script_path_outside', { file: '../train.py' }, 'file'],
    ['script_path_outside', { file: '/etc/train.py' }, 'file'],
    ['script_path_outside', { workingFolder: 'a/../..' }, 'workingFolder'],
    ['script_path_outside', { outputs: ['ok.jsonl', '~/x.jsonl'] }, 'outputs[1]'],
    ['script_arguments_quote', { arguments: `--name 'a` }, 'arguments'],
    ['script_variable_name', { environment: [{ name: 'A-B', value: '' }] }, 'environment[0].name'],
    ['script_variable_reserved', { environment: [{ name: 'RANK', value: '0' }] }, 'environment[0].name'],
    ['script_variable_twice', { environment: [{ name: 'A' }, { name: 'A' }] }, 'environment[1].name'],
    ['script_packages_missing', { install: { type: 'packages', packages: [] } }, 'install.packages'],
    ['script_path_outside', { install: { type: 'requirements', file: '../r.txt' } }, 'install.file'],
  ])('has the issue %s', (code, script, field) => {
    expect(checkLab(lab(script))).toMatchObject([
      { severity: 'error', code, path: `experiment.script.${field}` },
    ]);
  });

  it('has more patterns than a run uses: which have no effect is a warning', () => {
    const patterns = Array.from({ length: 64 }, (_, at) => ({ name: `v${at}`, pattern: `v${at}=(.*)` }));
    expect(Script.parse({ ...good, patterns }).patterns).toHaveLength(64);
    expect(codes(lab({ patterns: patterns.slice(0, 50) }))).toEqual([]);
    const unused = { severity: 'warning', code: 'script_patterns_unused' };
    expect(checkLab(lab({ patterns }))).toMatchObject([
      { ...unused, params: { most: 50, first: 51 }, path: 'experiment.script.patterns[50].name' },
    ]);
    // What is not filled in is left out before they are counted.
    expect(checkLab(lab({ patterns: [{ name: '', pattern: '' }, ...patterns.slice(0, 51)] }))).toMatchObject([
      { ...unused, params: { most: 50, first: 52 }, path: 'experiment.script.patterns[51].name' },
    ]);
  });

  it('needs nodes, and a runtime with Python', () => {
    expect(codes(lab({}, false))).toEqual(['no_nodes']);
    const conda = lab({});
    conda.experiment.runtime = { type: 'conda', environment: 'resnet' };
    expect(codes(conda)).toEqual(['script_runtime']);
  });

  it('addresses repositories as git does', () => {
    for (const url of ['https://example.com/a.git', 'ssh://git@host:22/a', 'git@github.com:a/b.git'])
      expect(codes(lab({ source: { type: 'git', url } }))).toEqual([]);
  });

  it.each(['', '/a', '\\a', '~', 'C:\\a', 'a/../../b', '..', 'a\\..\\b'])('%j leaves its folder', (path) => {
    expect(staysBelow(path)).toBe(false);
  });
});
