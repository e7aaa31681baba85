// @vitest-environment jsdom
/** The list of problems leads to the field of each: also in a closed fold, to a list's entry, and to a switch. */
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { newKubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { newSlurmTarget } from '../../shared/lab/where.ts';
import { editLab, focusField, useLabStore } from '../state/index.ts';
import { useFieldIssue } from '../ui/index.ts';
import { show, withLab } from './fields.fixture.tsx';
import { WhereFields } from './WhereFields.tsx';

withLab();

function Fields() {
  const where = useLabStore((state) => state.lab!.experiment.where);
  return (
    <WhereFields
      where={where}
      set={(change) => editLab({ type: 'experiment', change })}
      issue={useFieldIssue()}
    />
  );
}
const fold = (name: string) => screen.getByRole('button', { name });
const focused = () => document.activeElement?.closest<HTMLElement>('[data-field]')?.dataset.field;

it('an entry of a list leads to the field of the list', () => {
  editLab({
    type: 'experiment',
    change: { where: { ...newSlurmTarget(), options: ['--constraint=a100', 'what'] } },
  });
  show(<Fields />);
  act(() => focusField('experiment.where.options[1]'));
  expect(focused()).toBe('experiment.where.options');
});

it('a fold that an error has opened stays open while the error is corrected', () => {
  editLab({ type: 'experiment', change: { where: { ...newSlurmTarget(), options: ['what'] } } });
  show(<Fields />);
  const more = fold('Modules and options');
  expect(more.getAttribute('aria-expanded')).toBe('true');
  fireEvent.change(screen.getByLabelText('Further sbatch options, one a line'), {
    target: { value: '--constraint=a100' },
  });
  expect(useLabStore.getState().issues.filter(({ path }) => path.includes('options'))).toEqual([]);
  expect(more.getAttribute('aria-expanded')).toBe('true');
});

it('text that is not valid is found behind a fold that was closed over it', () => {
  editLab({ type: 'experiment', change: { where: newKubernetesTarget() } });
  show(<Fields />);
  const more = fold('Queue, priority and placement');
  fireEvent.click(more);
  fireEvent.change(screen.getByLabelText('Kueue queue'), { target: { value: 'no queue' } });
  fireEvent.click(more);
  expect(more.getAttribute('aria-expanded')).toBe('false');
  act(() => focusField('experiment.where.queue'));
  expect(more.getAttribute('aria-expanded')).toBe('true');
  expect(focused()).toBe('experiment.where.queue');
});

it('a switch and the choice of where it runs are led to as fields are', () => {
  editLab({ type: 'experiment', change: { where: { ...newSlurmTarget(), requeue: true } } });
  show(<Fields />);
  act(() => focusField('experiment.where.requeue'));
  expect(focused()).toBe('experiment.where.requeue');
  act(() => focusField('experiment.where'));
  expect(focused()).toBe('experiment.where');
});
