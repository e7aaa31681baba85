/** Tests what is flushed when, and what a power cut leaves. */
import { appendFileSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { realDisk, type Disk } from './durable.ts';
import { Engine } from './engine.ts';
import { bytesOf, runRecord, smallShape, stepLine, temporaryFolder } from './testing/fixtures.ts';

interface NotingDisk extends Disk {
  /** The files flushed so far, with the size that each had. */
  readonly flushed: [path: string, size: number][];
  broken: boolean;
}

function notingDisk(): NotingDisk {
  const flushed: [string, number][] = [];
  return {
    flushed,
    broken: false,
    write: (file, bytes, at) => realDisk.write(file, bytes, at),
    flushNow(path) {
      realDisk.flushNow(path);
      flushed.push([path, statSync(path).size]);
    },
    async flush(path) {
      if (this.broken) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      await realDisk.flush(path);
      flushed.push([path, statSync(path).size]);
    },
  };
}

async function opened(dataFolder: string, disk: Disk = realDisk) {
  const engine = new Engine({ dataFolder, shape: smallShape, disk });
  if ((await engine.getRun('r')) === undefined) await engine.saveRun(runRecord('r'));
  const steps = (from: number, count: number): Uint8Array =>
    bytesOf(...Array.from({ length: count }, (_, n) => stepLine(from + n, from + n)));
  const append = async (bytes: Uint8Array, source = 'rank-0') => {
    const offset = await engine.offset('r', source);
    return engine.append({ runId: 'r', source, offset, bytes });
  };
  return { engine, steps, append, file: join(dataFolder, 'runs', 'r', 'rank-0.jsonl') };
}

describe('appended lines', () => {
  it('are reported before they are on the disk, and flushed soon after, each file once', async () => {
    using folder = temporaryFolder();
    const disk = notingDisk();
    const { engine, steps, append, file } = await opened(folder.path, disk);
    for (let n = 0; n < 5; n += 1) {
      await append(steps(n, 1));
      await append(steps(n, 1), 'rank-1');
    }
    expect(await engine.countPoints('r')).toBe(10);
    expect(disk.flushed).toEqual([]);
    await vi.waitFor(() => expect(disk.flushed).toHaveLength(2), { timeout: 30_000 });
    expect(disk.flushed).toContainEqual([file, statSync(file).size]);
    await engine.close();
  });

  it('are on the disk before the index refers to them, and after closing', async () => {
    using folder = temporaryFolder();
    const disk = notingDisk();
    const { engine, steps, append, file } = await opened(folder.path, disk);
    await append(steps(0, smallShape.rows));
    const written = statSync(file).size;
    // A full block is written to the index before the next line.
    await append(steps(smallShape.rows, 1));
    expect(disk.flushed).toEqual([[file, written]]);
    await engine.close();
    expect(disk.flushed.at(-1)).toEqual([file, statSync(file).size]);
  });

  it('that cannot be flushed: the next lines are refused with the reason, and accepted once they can', async () => {
    using folder = temporaryFolder();
    const disk = notingDisk();
    const { engine, steps, append } = await opened(folder.path, disk);
    disk.broken = true;
    await append(steps(0, 1));
    await vi.waitFor(
      async () => {
        await expect(append(steps(1, 1))).rejects.toMatchObject({
          code: 'file_unwritable',
          params: { reason: 'EIO' },
        });
      },
      { timeout: 30_000 },
    );
    disk.broken = false;
    await vi.waitFor(() => expect(disk.flushed).toHaveLength(1), { timeout: 30_000 });
    const before = await engine.countPoints('r');
    await append(steps(before, 1));
    expect(await engine.countPoints('r')).toBe(before + 1);
    await engine.close();
  });
});

describe('after a power cut', () => {
  it('zeroed sectors and the bytes after them are read from the node again', async () => {
    using folder = temporaryFolder();
    const first = await opened(folder.path);
    await first.append(first.steps(0, 40));
    await first.engine.close();
    const whole = readFileSync(first.file);
    // The file's size grew before its data was written: a hole, then lines that were written.
    appendFileSync(first.file, Buffer.alloc(4096 - (whole.length % 4096) + 4096));
    appendFileSync(first.file, first.steps(90, 3));
    const second = await opened(folder.path);
    expect(await second.engine.offset('r', 'rank-0')).toBe(whole.length);
    expect(await second.engine.countPoints('r')).toBe(40);
    await second.append(second.steps(40, 3));
    expect(await second.engine.countPoints('r')).toBe(43);
    expect(readFileSync(second.file)).toEqual(Buffer.concat([whole, first.steps(40, 3)]));
    await second.engine.close();
  });

  it('a raw file that lost its end is continued from there, without duplicates', async () => {
    using folder = temporaryFolder();
    const first = await opened(folder.path);
    await first.append(first.steps(0, 40));
    await first.engine.close();
    truncateSync(first.file, Math.floor(statSync(first.file).size / 2));
    const second = await opened(folder.path);
    const kept = await second.engine.countPoints('r');
    expect(kept).toBeGreaterThan(10);
    expect(kept).toBeLessThan(40);
    await second.append(second.steps(kept, 40 - kept));
    const [series] = await second.engine.series({
      runId: 'r',
      series: [{ source: 'rank-0', kind: 'step', field: 'loss' }],
      x: 'step',
      maxPoints: 100,
    });
    expect(series?.x).toEqual(Array.from({ length: 40 }, (_, n) => n));
    await second.engine.close();
  });
});
