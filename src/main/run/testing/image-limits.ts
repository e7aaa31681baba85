/** For tests: the image sizes that the trainer refuses for an architecture. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Architecture } from '../../../shared/lab/architectures.ts';
import { trainerBinary } from './real-services.ts';

/** The trainer refuses the sizes that the window refuses, with the same numbers. */
export async function expectSameLimits({ name, minSize, sizeMultiple }: Architecture): Promise<void> {
  const refused = (size: number): Promise<string> =>
    promisify(execFile)(trainerBinary, ['-a', name, '--image-size', String(size), '/nowhere']).then(
      () => '',
      (error: unknown) => String(error),
    );
  if (minSize !== undefined && minSize > 8)
    expect(await refused(minSize - 1), name).toContain(`at least ${minSize}`);
  if (sizeMultiple !== undefined)
    expect(await refused(sizeMultiple * 3 + 1), name).toContain(`squares of ${sizeMultiple}`);
}
