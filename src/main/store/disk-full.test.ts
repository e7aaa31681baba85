import { readdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { realDisk, type Disk } from './durable.ts';
import { Engine } from './engine.ts';
import { IndexFile } from './index-file.ts';
import { RunFolders } from './runs.ts';
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
  it('is made free by deleting a run, whose files go before the index needs room', async () => {
    using folder = temporaryFolder();
    const file = new IndexFile(join(folder.path, 'index.db'), smallShape);
    const runs = new RunFolders(folder.path, file.index);
    await runs.save(runRecord('r'));
    const write = file.index.transaction.bind(file.index);
    const refused = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    const transaction = vi.spyOn(file.index, 'transaction').mockImplementation((work) => {
      if (readdirSync(runs.root).length > 0) throw refused;
      write(work);
    });
    runs.delete('r');
    expect(runs.list()).toEqual([]);
    // Other programs may take the room at once: the next try goes on.
    await runs.save(runRecord('r'));
    transaction.mockImplementationOnce(() => {
      throw refused;
    });
    expect(() => runs.delete('r')).toThrow(refused);
    expect(readdirSync(runs.root)).toEqual([]);
    runs.delete('r');
    expect(runs.list()).toEqual([]);
    file.close();
  });
});
