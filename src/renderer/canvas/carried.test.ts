// @vitest-environment jsdom
import { renderHook } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { newNode } from '../state/new-parts.ts';
import { emptyLab, type LabNode } from '../../shared/lab/lab.ts';
import { carry, putDown, useAllShifts, useCarried, useCarriedIds, useLinkShift } from './carried.ts';

const node = (id: string, x: number): LabNode => ({
  ...newNode(emptyLab('lab', 'Lab'), 'cpu', { x: 0, y: 0 }, true),
  id,
  position: { x, y: 0 },
});
const nodes = [node('a', 0), node('b', 300), node('c', 600)];

afterEach(() => putDown());

it('a dragged card follows the pointer, and returns to React Flow’s position at the drop', () => {
  document.body.innerHTML = '<div class="react-flow__node"><div id="card"></div></div>';
  const card = document.getElementById('card');
  renderHook(() => useCarried('b', { current: card }));
  const place = card?.parentElement;
  carry(nodes, { b: { x: 320, y: -40 } }, false);
  expect(place?.style.translate).toBe('20px -40px');
  expect(place?.hasAttribute('data-carried')).toBe(true);
  carry(nodes, { c: { x: 0, y: 0 } }, false);
  expect(place?.style.translate).toBe('');
  carry(nodes, { b: { x: 301, y: 0 } }, false);
  putDown();
  expect(place?.style.translate).toBe('');
  expect(place?.hasAttribute('data-carried')).toBe(false);
});

it('keeps the set’s identity while the same cards are dragged, so that the canvas is not rendered again', () => {
  const { result } = renderHook(() => ({ ids: useCarriedIds(), shifts: useAllShifts() }));
  carry(nodes, { a: { x: 10, y: 0 }, b: { x: 310, y: 0 } }, false);
  const first = result.current;
  carry(nodes, { a: { x: 20, y: 0 }, b: { x: 310, y: 0 } }, false);
  expect(result.current.ids).toBe(first.ids);
  expect(result.current.shifts.a).toEqual({ dx: 20, dy: 0 });
  expect(result.current.shifts.b).toBe(first.shifts.b);
  carry(nodes, { a: { x: 20, y: 0 } }, false);
  expect([...result.current.ids]).toEqual(['a']);
});

it('moves the ends of links only if links are drawn one by one', () => {
  const { result } = renderHook(() => useLinkShift('a'));
  carry(nodes, { a: { x: 10, y: 5 } }, false);
  expect(result.current).toBeUndefined();
  carry(nodes, { a: { x: 12, y: 5 } }, true);
  expect(result.current).toEqual({ dx: 12, dy: 5 });
});

it('carries no card that is not dragged, whatever its id', () => {
  const { result } = renderHook(() => ({ ids: useCarriedIds(), end: useLinkShift('constructor') }));
  carry([...nodes, node('constructor', 900)], { a: { x: 10, y: 0 } }, true);
  expect([...result.current.ids]).toEqual(['a']);
  expect(result.current.end).toBeUndefined();
});
