// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest';
import { keepView, keptView } from './kept-view.ts';

beforeEach(() => localStorage.clear());

describe('the view of a lab', () => {
  it('is kept separately for each lab, until the lab is fitted into the view again', () => {
    expect(keptView('a')).toBeUndefined();
    keepView('a', { x: 1, y: 2, zoom: 0.5 });
    keepView('b', { x: 3, y: 4, zoom: 2 });
    keepView('a', { x: 5, y: 6, zoom: 1 });
    expect(keptView('a')).toEqual({ x: 5, y: 6, zoom: 1 });
    keepView('a', undefined);
    expect(keptView('a')).toBeUndefined();
    expect(keptView('b')).toEqual({ x: 3, y: 4, zoom: 2 });
  });

  it('is kept for the newest hundred labs, and invalid stored values are ignored', () => {
    for (let lab = 0; lab <= 100; lab += 1) keepView(`lab-${lab}`, { x: lab, y: 0, zoom: 1 });
    expect(keptView('lab-0')).toBeUndefined();
    expect(keptView('lab-100')).toEqual({ x: 100, y: 0, zoom: 1 });
    localStorage.setItem('ringlab.views', '[["lab-1",{"x":0,"y":0,"zoom":-1}]]');
    expect(keptView('lab-1')).toBeUndefined();
    keepView('lab-1', { x: 1, y: 1, zoom: 1 });
    expect(keptView('lab-1')).toEqual({ x: 1, y: 1, zoom: 1 });
  });
});
