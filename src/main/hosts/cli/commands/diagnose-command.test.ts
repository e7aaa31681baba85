import { describe, expect, it } from 'vitest';
import { diagnoseCommand } from './diagnose-command.ts';

async function* chunks(...texts: string[]): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (const text of texts) yield Buffer.from(text);
}

describe('ringlab diagnose', () => {
  it('prints one JSON object per line across chunk borders; its exit code shows if a failure was recognised', async () => {
    const lines: string[] = [];
    const text = 'bash: nvidia-smi: command not found\nE: Unable to locate package 图\n';
    const input = chunks(text.slice(0, 20), text.slice(20));
    expect(await diagnoseCommand(input, (line) => lines.push(line))).toBe(0);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { code: 'driver.not_installed', cause: 'No NVIDIA driver is installed.', action: 'repair_driver' },
      { code: 'apt.no_such_package', zh: { cause: '节点的软件源中没有 图。' } },
    ]);
  });

  it('prints nothing for unknown text', async () => {
    const lines: string[] = [];
    expect(await diagnoseCommand(chunks('all is well\n'), (line) => lines.push(line))).toBe(1);
    expect(lines).toEqual([]);
  });
});
