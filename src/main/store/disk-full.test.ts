import { statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realDisk, type Disk } from './durable.ts';
import { Engine } from './engine.ts';
import { bytesOf, runRecord, smallShape, stepLine, temporaryFolder } from './testing/fixtures.ts';

/** A fake disk that writes half of the bytes and then is full. */
function fullDisk(): Disk & { full: boolean } {
  return {
    full: false,
    write(file, bytes, at) {
      if (!this.full) return realDisk.write(file, bytes, at);
      if (bytes.length > 100) return writeSync(file, bytes, 0, Math.floor(bytes.length / 2), at);
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    },
    flushNow: (path) => realDisk.flushNow(path),
    flush: (path) => realDisk.flush(path),
  };
}

describe('a full disk', () => {
  it('refuses the whole chunk, and accepts it once there is space', async () => {
    using folder = temporaryFolder();
    const disk = fullDisk();
    const engine = new Engine({ dataFolder: folder.path, shape: smallShape, disk });
    await engine.saveRun(runRecord('r'));
    const chunk = (offset: number, from: number) => ({
      runId: 'r',
      source: 'rank-0',
      offset,
      bytes: bytesOf(...Array.from({ length: 10 }, (_, n) => stepLine(from + n, from + n))),
    });
    const { nextOffset } = await engine.append(chunk(0, 0));
    disk.full = true;
    await expect(engine.append(chunk(nextOffset, 10))).rejects.toMatchObject({ code: 'local_disk_full' });
    expect(await engine.offset('r', 'rank-0')).toBe(nextOffset);
    expect(statSync(join(folder.path, 'runs', 'r', 'rank-0.jsonl')).size).toBe(nextOffset);
    expect(await engine.countPoints('r')).toBe(10);
    disk.full = false;
    expect((await engine.append(chunk(nextOffset, 10))).points).toHaveLength(10);
    expect(await engine.countPoints('r')).toBe(20);
    await engine.close();
    const again = new Engine({ dataFolder: folder.path, shape: smallShape });
    expect(await again.countPoints('r')).toBe(20);
    await again.close();
  });
});
