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

it('leaves what another window has chosen since, in this lab and in others', () => {
  pinScalar('lab c', 'mine');
  const theirs = {
    'lab c': { pinned: ['mine', 'theirs'], collapsed: ['a'] },
    other: { pinned: ['x'], collapsed: [] },
  };
  localStorage.setItem('ringlab.scalars', JSON.stringify(theirs));
  pinScalar('lab c', 'mine too');
  expect(stored()).toEqual({
    ...theirs,
    'lab c': { pinned: ['mine', 'theirs', 'mine too'], collapsed: ['a'] },
  });
  // What this window shows decides what a click means.
  localStorage.setItem('ringlab.scalars', '{}');
  pinScalar('lab c', 'mine');
  expect(stored()['lab c']?.pinned).toEqual([]);
});

it.each(['', 'no json', '[]', '{"a":7}', '{"a":{"pinned":"x"}}'])('reads %j as no choice', (text) => {
  expect(Object.values(readScalarView(text)).every(({ pinned }) => pinned.length === 0)).toBe(true);
});
