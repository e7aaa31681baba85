import { describe, expect, it } from 'vitest';
import { describeCodeSize } from './code-size.ts';

describe('the size of a script’s code in words', () => {
  it('is a count and a sum; of a large folder also what is large in it', () => {
    const largest = [{ path: 'train.py', files: 1, bytes: 2000 }];
    expect(describeCodeSize({ files: 1, bytes: 2000, largest }, 'en')).toBe(
      'Sent to the nodes: 1 file, 2 kB',
    );
    const large = {
      files: 12,
      bytes: 50e6,
      largest: [
        { path: 'data/', files: 11, bytes: 49e6 },
        { path: 'a\nb.py', files: 1, bytes: 1e6 },
      ],
    };
    const said = describeCodeSize(large, 'en');
    expect(said).toContain('12 files, 50 MB');
    expect(said).toMatch(/data\/ \(11 files, 49 MB\), a.?b\.py \(1 file, 1 MB\)/u);
    expect(said).toContain('.ringlabignore');
    expect(describeCodeSize(large, 'zh-CN')).toContain('data/（11 个文件，49 MB）');
    expect(describeCodeSize({ files: 5000, bytes: 10, largest: [] }, 'en')).toContain('.ringlabignore');
  });
});
