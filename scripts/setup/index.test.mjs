import { expect, it } from 'vitest';
import { sideBySide } from './index.mjs';

it('works side by side return their results', async () => {
  const works = [() => Promise.resolve('node'), () => Promise.resolve()];
  expect(await sideBySide(works, () => expect.unreachable())).toEqual(['node', undefined]);
});

it('the first failure ends the other works, and is reported after all have ended', async () => {
  const ended = [];
  let end = () => undefined;
  const slow = new Promise((_, reject) => {
    end = () => reject(new Error('it was ended'));
  }).finally(() => ended.push('slow'));
  const both = sideBySide([() => slow, () => Promise.reject(new Error('no network'))], () => end());
  await expect(both).rejects.toThrow('no network');
  expect(ended).toEqual(['slow']);
});
