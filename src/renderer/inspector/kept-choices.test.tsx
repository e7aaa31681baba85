// @vitest-environment jsdom
/** A choice that is taken back finds what it had, also after the inspector has shown something else. */
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { SshAccess } from '../../shared/lab/access.ts';
import { labOf } from '../shell/window.fixture.tsx';
import { editLab, showLab, undoEdit, useLabStore } from '../state/index.ts';
import { ChoiceField, TextField, useFieldIssue } from '../ui/index.ts';
import { AccessFields } from './AccessFields.tsx';
import { DataFields } from './DataFields.tsx';
import { show, withLab } from './fields.fixture.tsx';
import { WhereFields } from './WhereFields.tsx';

withLab();

const stored = () => useLabStore.getState().lab!;

function Access() {
  const node = useLabStore((state) => state.lab!.nodes[0]!);
  return <AccessFields node={node} path="nodes[0]" />;
}

function Fields() {
  const { where, data } = useLabStore((state) => state.lab!.experiment);
  const issue = useFieldIssue();
  const set = (change: object): void => editLab({ type: 'experiment', change });
  return (
    <>
      <WhereFields where={where} set={set} issue={issue} />
      <DataFields data={data} set={set} issue={issue} />
    </>
  );
}

/** Two fields whose edits have one key, as those of the data have. */
function SameKey() {
  const { name, description } = useLabStore((state) => state.lab!);
  const set = (change: object): void => editLab({ type: 'lab', change }, 'lab');
  const choices = ['A', 'B'].map((value) => ({ value, label: value }));
  const field = { schema: z.string(), value: description };
  return (
    <>
      <ChoiceField
        fieldKey="c"
        label="Choice"
        value={name}
        choices={choices}
        onChange={(to) => set({ name: to })}
      />
      <TextField {...field} fieldKey="t" label="Text" onChange={(to) => set({ description: to })} />
    </>
  );
}

function shown(fields: React.ReactNode): void {
  cleanup();
  show(fields);
}
const type = (label: string, value: string): void => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
};
const pick = (label: string, option: string): void => {
  fireEvent.click(screen.getByRole('combobox', { name: label }));
  fireEvent.click(screen.getByRole('option', { name: option, hidden: true }));
};

it('a node that is this computer for a moment keeps its SSH login', () => {
  shown(<Access />);
  fireEvent.click(screen.getByLabelText('SSH'));
  type('SSH host', '192.0.2.7');
  pick('Log in with', 'Key file');
  type('Key file', '/keys/lab');
  pick('Log in with', 'Password');
  pick('Log in with', 'Key file');
  const login = stored().nodes[0]!.access;
  expect(login).toMatchObject({ host: '192.0.2.7', authentication: { keyFile: '/keys/lab' } });
  fireEvent.click(screen.getByLabelText('This computer'));
  expect(stored().nodes[0]!.access).toEqual({ type: 'local' });
  shown(<Access />);
  fireEvent.click(screen.getByLabelText('SSH'));
  expect(stored().nodes[0]!.access).toEqual(login);
});

it('each choice is undone alone, and not with what is typed between two', () => {
  shown(<Access />);
  const access = () => stored().nodes[0]!.access;
  const method = () => (access() as SshAccess).authentication.method; // Only where it is chosen.
  fireEvent.click(screen.getByLabelText('SSH'));
  for (const [option, way] of [
    ['Key file', 'key'],
    ['Password', 'password'],
    ['Key file', 'key'],
  ] as const) {
    pick('Log in with', option);
    expect(method()).toBe(way);
  }
  act(undoEdit);
  expect(method()).toBe('password');
  act(undoEdit);
  expect(method()).toBe('key');
  type('Key file', '/keys/lab');
  fireEvent.click(screen.getByRole('switch', { name: 'Through a jump host' }));
  fireEvent.click(screen.getByRole('switch', { name: 'Through a jump host' }));
  act(undoEdit);
  expect(access()).toMatchObject({ authentication: { keyFile: '/keys/lab' }, jump: { host: '' } });
  act(undoEdit);
  expect(access()).not.toHaveProperty('jump.host');
  expect(access()).toMatchObject({ authentication: { keyFile: '/keys/lab' } });
});

it('text that is typed after a choice of the same part is undone before it', () => {
  act(() => editLab({ type: 'lab', change: { name: 'A', description: '' } }));
  shown(<SameKey />);
  pick('Choice', 'B');
  type('Text', 'x');
  pick('Choice', 'A');
  const undone = [0, 1, 2].map(() => {
    act(undoEdit);
    const { name, description } = stored();
    return `${name} ${description}`;
  });
  expect(undone).toEqual(['B x', 'B ', 'A ']);
});

it('a jump host that is switched off keeps its login', () => {
  shown(<Access />);
  fireEvent.click(screen.getByLabelText('SSH'));
  fireEvent.click(screen.getByRole('switch', { name: 'Through a jump host' }));
  type('Jump host', 'gate.example');
  fireEvent.click(screen.getByRole('switch', { name: 'Through a jump host' }));
  fireEvent.click(screen.getByRole('switch', { name: 'Through a jump host' }));
  expect(stored().nodes[0]!.access).toMatchObject({ jump: { host: 'gate.example' } });
});

it('a cluster that is not chosen keeps its settings', () => {
  shown(<Fields />);
  fireEvent.click(screen.getByLabelText('Slurm'));
  type('Partition', 'gpu');
  fireEvent.click(screen.getByLabelText('These machines'));
  shown(<Fields />);
  fireEvent.click(screen.getByLabelText('Slurm'));
  expect(stored().experiment.where).toMatchObject({ type: 'slurm', partition: 'gpu' });
});

it('another lab has none of that', () => {
  showLab({ lab: { ...labOf(['N1']), id: 'other' }, path: '/o', revision: 1, issues: [] });
  shown(<Fields />);
  fireEvent.click(screen.getByLabelText('Slurm'));
  expect(stored().experiment.where).not.toHaveProperty('partition');
});

it('a source of data that is not chosen keeps its values', () => {
  shown(<Fields />);
  type('Training images', '4321');
  pick('Data', 'Archive from an address');
  type('Addresses of the archive', 'https://a.test/a.tar');
  pick('Data', 'Shapes (made on the nodes)');
  expect(stored().experiment.data).toMatchObject({ type: 'shapes', train: 4321 });
  shown(<Fields />);
  pick('Data', 'Archive from an address');
  expect(stored().experiment.data).toMatchObject({ urls: ['https://a.test/a.tar'] });
});
