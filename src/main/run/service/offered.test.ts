/** The window offers what the trainer knows. `npm test` builds the trainer first. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { architectures } from '../../../shared/lab/architectures.ts';
import { trainingArguments } from '../../../shared/lab/training-options.ts';
import { trainerBinary, trainerIsBuilt } from '../testing/real-services.ts';

describe.skipIf(!trainerIsBuilt)('the list of architectures', () => {
  it('is the trainer’s, with its rules for the size of pictures', async () => {
    const { stdout } = await promisify(execFile)(trainerBinary, ['--help']);
    const listed = /^Architectures\n([\s\S]*?)\n\n/m.exec(stdout)?.[1] ?? '';
    expect(architectures.map(({ name }) => name)).toEqual(listed.split(',').map((name) => name.trim()));
    for (const { name, leastSize, sizeMultiple } of architectures) {
      const refused = async (size: number): Promise<string> =>
        promisify(execFile)(trainerBinary, ['-a', name, '--image-size', String(size), '/nowhere']).then(
          () => '',
          (error: unknown) => String(error),
        );
      if (leastSize !== undefined && leastSize > 8)
        expect(await refused(leastSize - 1), name).toContain(`at least ${leastSize}`);
      if (sizeMultiple !== undefined)
        expect(await refused(sizeMultiple * 3 + 1), name).toContain(`squares of ${sizeMultiple}`);
    }
  });
});

describe.skipIf(!trainerIsBuilt)('the options of training', () => {
  it('are the trainer’s, all of them at once', async () => {
    const told = trainingArguments({
      ...{ optimizer: 'adamw', scheduler: 'cosine', warmupEpochs: 2, labelSmoothing: 0.1, accumulate: 2 },
      ...{
        amp: 'bf16',
        channelsLast: true,
        draft: true,
        syncBatchNorm: true,
        inputChannels: 1,
        freeze: 'layer1',
      },
      ...{ freezeBatchNorm: true, backboneLearningRate: 0.01 },
    });
    // Bad data comes after all options were understood.
    await expect(
      promisify(execFile)(trainerBinary, [...told, '--no-accel', '--world-size', '1', '/nowhere']),
    ).rejects.toMatchObject({ code: 3 });
  });
});
