import { describe, expect, it } from 'vitest';
import { runPalette, runStrokes } from './run-colour.ts';

type Triple = readonly [number, number, number];

const linear = (hex: string): Triple => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return [r, g, b];
};
/** Machado, Oliveira and Fernandes 2009, full severity. */
const sights: Readonly<Record<string, readonly Triple[]>> = {
  ordinary: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};
const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const luminance = (rgb: Triple): number => dot([0.2126, 0.7152, 0.0722], rgb);

function lab(hex: string, sight: readonly Triple[]): Triple {
  const seen = sight.map((row) => Math.min(1, Math.max(0, dot(row, linear(hex)))));
  const rgb: Triple = [seen[0] ?? 0, seen[1] ?? 0, seen[2] ?? 0];
  const root = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = root(dot([0.4124, 0.3576, 0.1805], rgb) / 0.95047);
  const y = root(luminance(rgb));
  const z = root(dot([0.0193, 0.1192, 0.9505], rgb) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const contrast = (a: string, b: string): number => {
  const [high = 0, low = 0] = [a, b].map((hex) => luminance(linear(hex)) + 0.05).sort((p, q) => q - p);
  return high / low;
};

const colours = Object.entries(runPalette);

describe('colours of runs', () => {
  it.each(Object.keys(sights))('are distinguishable with %s', (name) => {
    for (const [first, one] of colours)
      for (const [second, other] of colours) {
        if (first === second) continue;
        const [a, b] = [lab(one, sights[name] ?? []), lab(other, sights[name] ?? [])];
        expect([first, second, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) > 20]).toEqual([
          first,
          second,
          true,
        ]);
      }
  });

  it('have enough contrast on a card, light and dark', () => {
    for (const [, hex] of colours)
      for (const ground of ['#ffffff', '#20252f']) expect(contrast(hex, ground)).toBeGreaterThan(3);
  });

  it('are those that the user chose, and differ between runs', () => {
    const strokes = runStrokes([undefined, 'blue', undefined, 'blue']);
    expect(strokes[1]).toEqual({ colour: runPalette.blue, dash: undefined });
    expect(strokes[3]).toEqual({ colour: runPalette.blue, dash: '6 3' });
    expect(strokes[0]?.colour).toBe(runPalette.red);
    const many = runStrokes(new Array<undefined>(28).fill(undefined));
    expect(new Set(many.map(({ colour, dash }) => `${colour} ${dash ?? ''}`)).size).toBe(28);
    expect(runStrokes(new Array<undefined>(60).fill(undefined))).toHaveLength(60);
  });
});
