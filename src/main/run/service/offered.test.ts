/** Tests that the window offers what the trainer supports. `npm test` builds the trainer first. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { architectures, findArchitecture } from '../../../shared/lab/architectures.ts';
import { defaultExperiment } from '../../../shared/lab/lab.ts';
import {
  settingArguments,
  settingRow,
  settingsOf,
  trainingSettings,
} from '../../../shared/settings/index.ts';
import { expectSameLimits } from '../testing/image-limits.ts';
import { trainerBinary, trainerIsBuilt } from '../testing/real-services.ts';

/** Two architectures of each rule, one process each; `offered.full.test.ts` has all of them. */
const limited = ['alexnet', 'inception_v3', 'vit_b_16', 'maxvit_t'];

describe.skipIf(!trainerIsBuilt)('the list of architectures', () => {
  it('equals the trainer’s, with its rules for the image size', async () => {
    const { stdout } = await promisify(execFile)(trainerBinary, ['--help']);
    const listed = /^Architectures\n([\s\S]*?)\n\n/m.exec(stdout)?.[1] ?? '';
    expect(architectures.map(({ name }) => name)).toEqual(listed.split(',').map((name) => name.trim()));
    for (const name of limited) await expectSameLimits(findArchitecture(name)!);
  });
});

/** Options set by `command.ts`: a rank's number and addresses, its files, and how it starts. */
const madeByTheApp = [
  ...['--world-size', '--rank', '--local-rank', '--dist-url', '--address', '--secret-file', '--peers'],
  ...['--threads', '--metrics', '--resume', '--fresh-rank-state', '--sharded-data', '--image-size'],
  ...['--peer-timeout', '--on-lost-rank', '--keep-global-batch'],
];
/** Options of the trainer that a lab does not offer. */
const notOffered = [
  ...[
    '--start-epoch',
    '--cuda-graph',
    '--evaluate',
    '--num-classes',
    '--dummy',
    '--print-freq',
    '--replicas',
  ],
  ...['--multiprocessing-distributed', '--nproc-per-node', '--gpu', '--no-accel', '--interface'],
  ...['--rendezvous-timeout', '--check-sync', '--help'],
  // Only for googlenet and inception_v3; their defaults follow the given weights.
  ...['--transform-input', '--aux-logits'],
];

interface Option {
  readonly names: readonly string[];
  readonly fallback: string | undefined;
}

/** Parses the text of `--help`: a line begins with the option's names, and the description may continue below. */
function optionsOf(help: string): Option[] {
  return help.split(/\n(?= {2}-)/).flatMap((text) => {
    const names = /^ {2}((?:-[\w-]+(?:, )?)+)/.exec(text)?.[1]?.split(', ');
    const fallback = /\(default: ([^\s)]+)\)/.exec(text.replace(/\s+/g, ' '))?.[1];
    return names === undefined ? [] : [{ names, fallback }];
  });
}

describe.skipIf(!trainerIsBuilt)('the training settings', () => {
  const help = async (): Promise<string> => (await promisify(execFile)(trainerBinary, ['--help'])).stdout;

  it('are each an option of the trainer, with its default if a lab may omit it', async () => {
    const options = optionsOf(await help());
    for (const name of trainingSettings) {
      const { flag, kind, optional, default: own } = settingRow(name);
      if (flag === undefined) continue;
      const option = options.find(({ names }) => names.includes(flag));
      expect(option, `${name}: ${flag}`).toBeDefined();
      if (optional === true && option?.fallback !== undefined && option.fallback !== 'as')
        expect(option.fallback, flag).toBe(kind === 'switch' ? 'off' : String(own));
    }
  });

  it('cover all trainer options except those set by the app and those not offered', async () => {
    const flags = new Set<string>(trainingSettings.flatMap((name) => settingRow(name).flag ?? []));
    const known = new Set([...flags, ...madeByTheApp, ...notOffered]);
    const options = optionsOf(await help());
    expect(options.length).toBeGreaterThan(50);
    const unknown = options.filter(({ names }) => !names.some((name) => known.has(name)));
    expect(unknown.map(({ names }) => names.join(', '))).toEqual([]);
  });

  it('are accepted by the trainer, all at once', async () => {
    const reported = settingArguments({
      ...settingsOf({ ...defaultExperiment(), backend: 'gloo' }),
      ...{ optimizer: 'adamw', scheduler: 'cosine', warmupEpochs: 2, labelSmoothing: 0.1, accumulate: 2 },
      ...{ amp: 'bf16', channelsLast: 'auto', draft: true, syncBatchNorm: true, inputChannels: 1 },
      ...{ freeze: 'layer1', freezeBatchNorm: true, backboneLearningRate: 0.01, keepEvery: 3 },
    });
    // The error about data comes after all options were parsed.
    await expect(
      promisify(execFile)(trainerBinary, [...reported, '--no-accel', '--world-size', '1', '/nowhere']),
    ).rejects.toMatchObject({ code: 3 });
  });
});
