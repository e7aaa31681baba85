import { describe, expect, it } from 'vitest';
import { missingFiles } from './named-files.mjs';

const files = ['src/main/run/launch/command.test.ts', 'native/bench/links.py'];

describe('files that a document names', () => {
  it('exist as a path or as the end of one', () => {
    expect(
      missingFiles('`src/main/run/launch/command.test.ts` `launch/command.test.ts` `links.py`', files),
    ).toEqual([]);
    expect(missingFiles('`../launch/command.test.ts`', files)).toEqual([]);
  });

  it('are missing where they were moved', () => {
    expect(missingFiles('see `run/command.test.ts` and `gone.cpp`, `gone.cpp`', files)).toEqual([
      'run/command.test.ts',
      'gone.cpp',
    ]);
  });

  it('are of this project alone', () => {
    expect(
      missingFiles('`pytorch/examples/imagenet/main.py` `model_best.pth.tar` `--out DIR`', files),
    ).toEqual([]);
  });
});
