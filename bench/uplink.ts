/**
 * Measures this computer's traffic, by its interface's own counter, while it sends a folder of 100 MB in 2,000 files to three
 * nodes over SSH, behind links of 10 Mbit/s, interrupted ten times at random; then again with nothing left to send.
 * Needs root: namespaces, a bridge and `tc tbf`. Debian's sshd runs in each namespace.
 */
import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPlacement, emptyLab, type LabDocument } from '../src/shared/lab/lab.ts';
import { createReach } from '../src/main/local/index.ts';
import { systemClock } from '../src/main/base/clock.ts';
import { runStep } from '../src/main/provision/engine/engine.ts';
import { NodeStatus } from '../src/main/provision/node/readiness.ts';
import { createRights, forgetfulMemory } from '../src/main/provision/node/rights.ts';
import type { NodeWork } from '../src/main/provision/engine/step.ts';
import { createBucketKeys, keepsNothing } from '../src/main/provision/data/bucket-keys.ts';
import { createDataS3 } from '../src/main/provision/data/data-s3.ts';
import { createDataUpload } from '../src/main/provision/data/data-upload.ts';
import { createDataStep } from '../src/main/provision/data/data.ts';
import { createFactsStep } from '../src/main/provision/steps/facts.ts';
import { createSecretMemory, createSshPool, type Prompter } from '../src/main/ssh/index.ts';
import { startSshd, type Sshd } from '../src/main/ssh/testing/sshd.ts';
import { report, seconds } from './measure.ts';
import { lineIn } from '../src/shared/base/phrase.ts';

const files = 2000;
const fileBytes = 50_000;
const rate = '10mbit';
const names = ['N1', 'N2', 'N3'];
const interruptions = Number(process.argv[2] ?? 10);
const prefix = 'rlup';

const sh = (script: string): string =>
  execFileSync('sh', ['-ec', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
/** A switch with a port for each node and one for this computer; every end of every link sends at the same rate. */
function raise(): void {
  lower();
  const shaped = `tbf rate ${rate} burst 32kb latency 200ms`;
  const port = (name: string, enter: string, address: string): string => `
    ip link add ${prefix}-${name} type veth peer name p-${name} netns ${prefix}-sw
    ip -n ${prefix}-sw link set p-${name} master br0 up
    tc -n ${prefix}-sw qdisc add dev p-${name} root ${shaped}
    ${enter === '' ? '' : `ip link set ${prefix}-${name} netns ${enter}`}
    ip ${enter === '' ? '' : `-n ${enter}`} addr add ${address}/24 dev ${prefix}-${name}
    ip ${enter === '' ? '' : `-n ${enter}`} link set ${prefix}-${name} up
    tc ${enter === '' ? '' : `-n ${enter}`} qdisc add dev ${prefix}-${name} root ${shaped}`;
  sh(`ip netns add ${prefix}-sw; ip -n ${prefix}-sw link add br0 type bridge; ip -n ${prefix}-sw link set br0 up
    ${port('app', '', '10.77.3.1')}`);
  for (const [index, name] of names.entries())
    sh(`ip netns add ${prefix}-${name}; ip -n ${prefix}-${name} link set lo up
      ${port(name, `${prefix}-${name}`, addressOf(index))}`);
}
const addressOf = (index: number): string => `10.77.3.${11 + index}`;
function lower(): void {
  for (const name of ['sw', ...names]) sh(`ip netns del ${prefix}-${name} 2>/dev/null || :`);
  sh(`ip link del ${prefix}-app 2>/dev/null || :`);
}
const uplinkBytes = async (): Promise<number> =>
  Number(await readFile(`/sys/class/net/${prefix}-app/statistics/tx_bytes`, 'utf8'));

/** The bytes that the switch has sent to the nodes. */
const receivedBytes = (): number =>
  sh(
    `ip netns exec ${prefix}-sw cat ${names.map((name) => `/sys/class/net/p-${name}/statistics/tx_bytes`).join(' ')}`,
  )
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0);
/** The processes that hold the connections; their children end as they do when a terminal closes. */
const cutConnections = (): void =>
  void sh(`for name in ${names.join(' ')}; do
    for pid in $(ip netns pids ${prefix}-$name); do
      case $(tr '\\0' ' ' < /proc/$pid/cmdline) in 'sshd: '*@*) kill -9 $pid || :;; esac
    done
  done`);

/** One process of the app, with its own connections, hashes and memory; ends with the work or when it is interrupted. */
async function live(
  lab: LabDocument,
  data: string,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<void> {
  const prompter: Prompter = { ask: () => Promise.resolve({ kind: 'accept' }) };
  const pool = createSshPool({
    prompter,
    secrets: keepsNothing,
    home: data,
    dataFolder: data,
    agentSocket: undefined,
    systemKnownHosts: [],
  });
  const reach = createReach({ pool, dataFolder: data });
  const keys = createBucketKeys(prompter, createSecretMemory(keepsNothing));
  const steps = [createFactsStep(systemClock), createDataStep(createDataUpload(data), createDataS3(keys))];
  try {
    const results = await Promise.allSettled(
      lab.nodes.map(async (node) => {
        const status = new NodeStatus(
          lab.id,
          node.id,
          () => undefined,
          () => undefined,
        );
        const work: NodeWork = {};
        try {
          for (const step of steps)
            await runStep(step, {
              lab,
              node,
              status,
              work,
              signal,
              clock: systemClock,
              redo: false,
              connect: () => reach.session(lab, node.id, signal),
              rights: createRights({ prompter, memory: forgetfulMemory() }),
            });
        } finally {
          for (const line of status.step('data').log.lines.map((one) => lineIn(one, 'en')))
            if (/from N|received|^sent|of \d+ files|next attempt|from that node|failed/.test(line))
              log(`${node.name}: ${line}`);
        }
      }),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  } finally {
    await reach.close();
    await pool.close();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'ringlab-uplink-'));
const servers: Sshd[] = [];
try {
  const images = join(folder, 'images');
  for (let index = 0; index < files; index += 1) {
    const place = join(images, index % 10 === 0 ? 'val' : 'train', `class-${index % 7}`);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, `${index}.jpg`), randomBytes(fileBytes));
  }
  raise();
  for (const [index, name] of names.entries())
    servers.push(
      await startSshd({ address: addressOf(index), through: ['ip', 'netns', 'exec', `${prefix}-${name}`] }),
    );
  const drawn = emptyLab('uplink', 'uplink');
  const lab: LabDocument = {
    ...drawn,
    experiment: { ...drawn.experiment, data: { type: 'upload', path: images } },
    nodes: servers.map((server, index) => ({
      id: `n${index}`,
      name: names[index] ?? '',
      kind: 'cpu' as const,
      position: { x: 0, y: 0 },
      placement: defaultPlacement('cpu'),
      access: {
        type: 'ssh' as const,
        host: server.host,
        port: server.port,
        user: server.user,
        authentication: { method: 'key' as const, keyFile: server.keyFile },
      },
    })),
  };
  const data = join(folder, 'app');
  await mkdir(data);
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const before = await uplinkBytes();
  const received = receivedBytes();
  const began = performance.now();
  let stop = new AbortController();
  let left = interruptions;
  // At random points of what all nodes together receive.
  const places = Array.from(
    { length: interruptions },
    () => Math.random() * 0.97 * names.length * files * fileBytes,
  ).sort((a, b) => a - b);
  const watch = setInterval(() => {
    const got = receivedBytes() - received;
    if (left === 0 || got < (places[interruptions - left] ?? Infinity)) return;
    left -= 1;
    // Half of the interruptions simulate closing the app, half lost connections.
    const cut = Math.random() < 0.5;
    log(
      `${Math.round((performance.now() - began) / 1000)} s, ${(got / 1e6).toFixed(0)} MB received: ${cut ? 'connections cut' : 'app ended'}`,
    );
    if (cut) cutConnections();
    else stop.abort();
  }, 1000);
  for (let turn = 1; ; turn += 1) {
    stop = new AbortController();
    const ended = await live(lab, data, stop.signal, log).then(
      () => 'done',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    const sent = (await uplinkBytes()) - before;
    log(`life ${turn}: ${ended}; uplink ${(sent / 1e6).toFixed(1)} MB`);
    if (ended === 'done') break;
    if (turn > interruptions + 10) throw new Error('it does not come to an end');
  }
  clearInterval(watch);
  const done = interruptions - left;
  const sent = (await uplinkBytes()) - before;
  const took = (performance.now() - began) / 1000;
  const again = await seconds(() => live(lab, data, new AbortController().signal, () => undefined));
  for (const server of servers)
    execFileSync('sh', [
      '-ec',
      `cd ${server.home}/.ringlab/data/images-*/ && sha256sum -c --quiet .ringlab-manifest`,
    ]);
  report('uplink', [
    {
      what: `bytes that left this computer, of the folder’s, ${done} interruptions`,
      goal: '1.05',
      values: [sent / (files * fileBytes)],
      unit: '×',
    },
    { what: 'three nodes have all of it', goal: '', values: [took], unit: 's' },
    { what: 'the same again with nothing to do', goal: '', values: [again], unit: 's' },
  ]);
} finally {
  for (const server of servers) await server.stop();
  lower();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
