import { expect, it } from 'vitest';
import { byName, type LabSummary } from './api.ts';

it('labs are listed by name, numbers in them by value', () => {
  const labs = ['New lab 10', 'new lab 2', 'Áb', 'New lab 2', 'Zb'].map((name, at): LabSummary => ({
    ...{ id: `lab-${at}`, name, path: '/labs/one.json', nodes: 0, changedAt: 0 },
  }));
  expect(labs.sort(byName).map(({ name }) => name)).toEqual([
    ...['Áb', 'new lab 2', 'New lab 2', 'New lab 10', 'Zb'],
  ]);
});
