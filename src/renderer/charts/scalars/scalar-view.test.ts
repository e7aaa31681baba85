// @vitest-environment jsdom
/** Tests of what is kept on this computer for the scalars of each lab. */
import { beforeEach, expect, it } from 'vitest';
import { collapseGroup, pinScalar, readScalarView } from './scalar-view.ts';

beforeEach(() => localStorage.clear());

const stored = () => readScalarView(localStorage.getItem('ringlab.scalars'));

it('keeps pinned scalars and collapsed groups for each lab, and takes them back', () => {
  pinScalar('lab a', 'val/top1');
  pinScalar('lab a', 'train/loss');
  collapseGroup('lab b', 'system');
  expect(stored()).toEqual({
    'lab a': { pinned: ['val/top1', 'train/loss'], collapsed: [] },
    'lab b': { pinned: [], collapsed: ['system'] },
  });
  pinScalar('lab a', 'val/top1');
  expect(stored()['lab a']?.pinned).toEqual(['train/loss']);
});

it.each(['', 'no json', '[]', '{"a":7}', '{"a":{"pinned":"x"}}'])('reads %j as no choice', (text) => {
  expect(Object.values(readScalarView(text)).every(({ pinned }) => pinned.length === 0)).toBe(true);
});
