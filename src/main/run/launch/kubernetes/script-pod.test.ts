/** With what a pod of an own script ends, by which its job decides whether it starts again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NodeOrders } from '../../record/launcher.ts';
import { startMark } from '../order-files.ts';
import { podScript } from './pod-script.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-script-pod-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const lost = 'RuntimeError: [pair.cc:598] Connection closed by peer [10.77.0.4]:34021';
/** A rank that says this and ends so. @param first shell text before it ends */
const ends = (code: string, said = 'ValueError: 7', first = ''): string =>
  `[ ! -s log.txt ] || echo '${startMark} 1' >>log.txt
echo 'step 1 loss: 0.1' >>log.txt; ${first}
echo "${said}" >>log.txt; printf '{"code":${code},"signal":null,"t":1,"attempt":1}' >exit.json`;

interface Pod {
  readonly ended: Promise<number | null>;
  /** As the kubelet does to end it. */
  terminate(): void;
}

/** Starts the pod of this number with ranks that do this. */
async function startPod(
  pod: number,
  tasks: readonly string[],
  script: 'stops' | 'restarts' | 'none' = 'restarts',
): Promise<Pod> {
  const nodes: NodeOrders[] = Array.from({ length: pod + 1 }, (_, node) => ({
    ranks: tasks.map((_task, index) => {
      const label = `rank-${node * tasks.length + index}`;
      return { nodeId: `n${node}`, label, directory: join(folder, label), argv: [], env: {}, attempt: 1 };
    }),
    beside: [],
  }));
  for (const [index, { directory }] of (nodes[pod]?.ranks ?? []).entries()) {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'task.sh'), `cd ${directory}\n${tasks[index] ?? ''}`);
  }
  const text = podScript({
    ...{ runFolder: folder, attempt: 1, nodes, names: ['localhost', 'b'], port: 29_500 },
    script: script === 'none' ? undefined : { restarts: script === 'restarts' },
  });
  // In a pod it signals all processes; here these would be this machine's.
  expect(text).toContain('kill -TERM -1');
  const env = { ...process.env, RINGLAB_FIRST_POD: '0', JOB_COMPLETION_INDEX: String(pod) };
  const child = spawn('sh', ['-c', text.replaceAll('kill -TERM -1', ':')], { env, stdio: 'ignore' });
  return {
    ended: once(child, 'exit').then(([code]) => code as number | null),
    terminate: () => void child.kill('SIGTERM'),
  };
}
const endOf = async (...given: Parameters<typeof startPod>): Promise<number | null> =>
  await (
    await startPod(...given)
  ).ended;

it('a script that fails by itself fails the job: it would fail again', async () => {
  expect(await endOf(0, [ends('1')])).toBe(1);
  expect(await endOf(1, [ends('3'), ends('0')])).toBe(3);
  expect(await endOf(2, [ends('null')])).toBe(137);
});

it('its codes are not taken for the trainer’s, after which the job would start it again and again', async () => {
  for (const code of ['4', '7']) {
    expect(await endOf(0, [ends(code)])).toBe(1);
    expect(await endOf(0, [ends(code)], 'stops')).toBe(1);
    expect(await endOf(0, [ends(code)], 'none')).toBe(Number(code));
  }
});

it('one that says that it lost the others starts again with them, where the experiment restarts', async () => {
  expect(await endOf(0, [ends('1', lost)])).toBe(4);
  expect(await endOf(0, [ends('0'), ends('134', lost)])).toBe(4);
  expect(await endOf(0, [ends('1', lost)], 'stops')).toBe(1);
  // Beside one that failed by itself it is a consequence of that.
  expect(await endOf(0, [ends('1', lost), ends('2')])).toBe(2);
});

it('so does one that ends, whatever it says, after another pod was told to end', async () => {
  const wait = (name: string): string => `until [ -e ${join(folder, name)} ]; do sleep 0.05; done`;
  const pods = [
    await startPod(0, [ends('null', '', wait('go'))]),
    await startPod(1, [ends('1', 'it ended', wait('later'))]),
  ];
  await expect.poll(() => existsSync(join(folder, 'begun-1-1'))).toBe(true);
  pods[0]?.terminate();
  await expect.poll(() => existsSync(join(folder, 'taken-1'))).toBe(true);
  await writeFile(join(folder, 'go'), '');
  await writeFile(join(folder, 'later'), '');
  expect(await Promise.all(pods.map(({ ended }) => ended))).toEqual([4, 4]);
  // Started again, it fails by itself.
  expect(await endOf(1, [ends('1', 'it ended')])).toBe(1);
});
