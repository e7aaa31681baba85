// @vitest-environment jsdom
/** Whatever a field makes of its text, each key that is typed stays in it. */
import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newKubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { emptyLab, runtimeOf, type Experiment } from '../../shared/lab/lab.ts';
import type { Script } from '../../shared/lab/script.ts';
import { newSlurmTarget } from '../../shared/lab/where.ts';
import { standIn } from '../api/client.fixture.ts';
import { ApiProvider } from '../api/index.ts';
import { startI18n } from '../i18n/index.ts';
import { furnishBrowser } from '../shell/window.fixture.tsx';
import {
  closeLab,
  dropAllDrafts,
  editLab,
  redoEdit,
  showLab,
  undoEdit,
  useLabStore,
} from '../state/index.ts';
import { mantineTheme } from '../theme/index.ts';
import { useFieldIssue } from '../ui/index.ts';
import { DataFields } from './DataFields.tsx';
import { RuntimeFields } from './RuntimeFields.tsx';
import { ScriptFields } from './script/ScriptFields.tsx';
import { WhereFields } from './WhereFields.tsx';

// Nothing covers a field here, and to look for that costs more than the key.
const person = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
beforeEach(async () => {
  furnishBrowser();
  await startI18n('en');
});
afterEach(() => {
  cleanup();
  closeLab();
  dropAllDrafts();
});

const stored = (): Experiment => useLabStore.getState().lab!.experiment;

/** The groups of the experiment's fields that have lists: the list of all architectures takes longer than the rest together. */
function Fields() {
  const experiment = useLabStore((state) => state.lab?.experiment);
  const issue = useFieldIssue();
  if (experiment === undefined) return null;
  const set = (change: Partial<Experiment>, field: string): void =>
    editLab({ type: 'experiment', change }, `experiment.${field}`);
  const { script, where, data } = experiment;
  if (where !== undefined) return <WhereFields where={where} set={set} issue={issue} />;
  if (script !== undefined)
    return <ScriptFields experiment={experiment} script={script} set={set} issue={issue} />;
  return (
    <>
      <DataFields data={data} set={set} issue={issue} />
      <RuntimeFields
        runtime={runtimeOf({ experiment })}
        set={set}
        issue={issue}
        choices={['conda', 'wheels']}
      />
    </>
  );
}

/** Shows these fields, those of folds too. */
function show(change: Partial<Experiment>): void {
  const lab = emptyLab('lab', 'Lab');
  showLab({
    lab: { ...lab, experiment: { ...lab.experiment, ...change } },
    path: '/l',
    revision: 1,
    issues: [],
  });
  const { container } = render(
    <MantineProvider theme={mantineTheme}>
      <ApiProvider value={standIn({ 'folder.list': () => ({ folders: [], more: false }) }).client}>
        <Fields />
      </ApiProvider>
    </MantineProvider>,
  );
  for (const fold of container.querySelectorAll('button[aria-expanded="false"]')) fireEvent.click(fold);
}

const field = (label: string) =>
  screen.getByLabelText<HTMLInputElement>(label, { selector: 'input, textarea' });

const script = (change: Partial<Script> = {}): Partial<Experiment> => ({
  runtime: { type: 'wheels' },
  script: { source: { type: 'folder', path: '' }, file: '', arguments: '', ...change },
});
const slurm = { where: newSlurmTarget() };
const kubernetes = { where: newKubernetesTarget() };
const s3 = {
  data: { type: 's3', endpoint: '', region: '', bucket: '', prefix: '', accessKeyId: '' },
} as const;

const at = (path: string): unknown =>
  // The path of a field in a document of plain values.
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], stored());

const cases: readonly [label: string, path: string, Partial<Experiment>, typed: string, kept: unknown][] = [
  ['Modules to load', 'where.modules', slurm, 'cuda gcc/12', ['cuda', 'gcc/12']],
  ['Further sbatch options, one a line', 'where.options', slurm, '--mem=0\n--qos a', ['--mem=0', '--qos a']],
  ['Kubeconfig', 'where.kubeconfig', kubernetes, 'C:\\U M', 'C:\\U M'],
  ['Pull secrets', 'where.pullSecrets', kubernetes, 'one two', ['one', 'two']],
  ['Node selector, one label a line', 'where.nodeSelector', kubernetes, 'a=b\nc=d', { a: 'b', c: 'd' }],
  [
    'Tolerations, one a line',
    'where.tolerations',
    kubernetes,
    'a:NoSchedule\nb=c',
    [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', value: 'c' },
    ],
  ],
  ['Script', 'script.file', script(), 'a b.py', 'a b.py'],
  ['Working folder', 'script.workingFolder', script(), 'a b', 'a b'],
  ['JSON-lines files that it writes', 'script.outputs', script(), 'a b\nc', ['a b', 'c']],
  [
    'Packages to install',
    'script.install.packages',
    script({ install: { type: 'packages', packages: [] } }),
    'a >= 2\nb',
    ['a >= 2', 'b'],
  ],
  [
    'Requirements file',
    'script.install.file',
    script({ install: { type: 'requirements', file: '' } }),
    'a b.txt',
    'a b.txt',
  ],
  ['Prefix, or the archive’s name', 'data.prefix', s3, 'a b/', 'a b/'],
  [
    'Addresses of the archive',
    'data.urls',
    { data: { type: 'url', urls: [], sha256: '' } },
    'https://a.b https://c.d',
    ['https://a.b', 'https://c.d'],
  ],
  ['SHA-256 of the archive', 'data.sha256', { data: { type: 'url', urls: [], sha256: '' } }, ' 0AB ', '0ab'],
  [
    'Channel addresses',
    'runtime.channels',
    { runtime: { type: 'conda', environment: 'e' } },
    'https://a.b https://c.d',
    ['https://a.b', 'https://c.d'],
  ],
  [
    'Package indexes',
    'runtime.indexes',
    { runtime: { type: 'wheels' } },
    'https://a.b https://c.d',
    ['https://a.b', 'https://c.d'],
  ],
];

describe('what is typed one key at a time stays', () => {
  it.each(cases)('in %s', async (label, path, change, typed, kept) => {
    show(change);
    await person.type(field(label), typed);
    expect(field(label).value).toBe(typed);
    expect(at(path)).toEqual(kept);
  });
});

it('undo takes back text that is not valid, and no edit that was made before', async () => {
  show({});
  act(() => editLab({ type: 'lab', change: { name: 'Before' } }));
  await person.type(field('Training images'), 'x');
  expect(field('Training images').value).toBe('2000x');
  await person.keyboard('{Control>}z{/Control}');
  expect(field('Training images').value).toBe('2000');
  expect(useLabStore.getState().lab?.name).toBe('Before');
  await person.type(field('Training images'), '0x');
  await person.keyboard('{Control>}z{/Control}');
  expect(field('Training images').value).toBe('20000');
});

it('shows what undo brings back in place of what was typed', async () => {
  show({ where: { ...newSlurmTarget(), modules: ['gcc/12'] } });
  await person.type(field('Modules to load'), ' cuda/12.1 ');
  act(undoEdit);
  expect(field('Modules to load').value).toBe('gcc/12');
  act(redoEdit);
  expect(field('Modules to load').value).toBe('gcc/12 cuda/12.1');
});
