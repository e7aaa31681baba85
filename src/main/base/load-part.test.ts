import { expect, it } from 'vitest';
import { loadPart } from './load-part.ts';

it('says that the program was updated where a part of it is gone', async () => {
  const missing = Object.assign(new Error("Cannot find module '/usr/lib/ringlab/dist/main/part-1.js'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  await expect(loadPart(() => Promise.reject(missing))).rejects.toMatchObject({ code: 'program_replaced' });
  const other = new Error('x');
  await expect(loadPart(() => Promise.reject(other))).rejects.toBe(other);
  expect(await loadPart(() => Promise.resolve(1))).toBe(1);
});
