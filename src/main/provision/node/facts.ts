/** Parses and validates the output of the facts script into `NodeFacts` and data that only later steps need. */
import * as z from 'zod';
import { lineOf, type Phrase } from '../../../shared/base/phrase.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { counted } from '../../../shared/node/hardware.ts';
import type { Libtorch } from './libtorch.ts';
import { cudaOfDriver, gpuProcesses, limitsOf, nvidiaFacts } from './nvidia-facts.ts';
import {
  findLibtorch,
  parseAddress,
  parsePci,
  parseSmi,
  visibleGpus,
  maxKibibytes,
} from './hardware-facts.ts';
import { phrase } from '../../i18n/index.ts';

export interface NodeReport {
  readonly facts: NodeFacts;
  /** The system's libtorch, or one in a customary folder. */
  readonly libtorch: Libtorch | undefined;
  /** Why the app's folder cannot be created; undefined where it can. */
  readonly homeFault: RinglabError | undefined;
}

/** For error messages: the command behind a fact, and its expected output. */
const questions: Readonly<Record<string, readonly [command: string, wanted: string]>> = {
  os: ['uname -s', 'Linux'],
  arch: ['uname -m', 'x86_64'],
  kernel: ['uname -r', '6.1.0-18-amd64'],
  boot_id: ['cat /proc/sys/kernel/random/boot_id', 'f3c1e6a0-…'],
  uid: ['id -u', '1000'],
  time: ['date +%s.%N', '1700000000.5'],
  finished: ['date +%s.%N', '1700000000.5'],
  cpus: ['nproc', '8'],
  memory_kib: ['grep MemTotal /proc/meminfo', 'MemTotal: 16000000 kB'],
  memory_free_kib: ['grep MemAvailable /proc/meminfo', 'MemAvailable: 8000000 kB'],
  disk_kib: ['df -Pk "$HOME"', '/dev/sda1 100000000 1000 99999000 1% /'],
  disk_free_kib: ['df -Pk "$HOME"', '/dev/sda1 100000000 1000 99999000 1% /'],
};
/** Maximum number of characters of a node's answer in a message. */
const maxSaid = 200;

/** @param fact as named in the script; '' where there is none */
function unreadable(fact: string, output: string): RinglabError {
  const [command, wanted] = questions[fact] ?? [
    "sh -c 'uname; id; nproc; date; df'",
    phrase('reasons.wordsAndNumbers'),
  ];
  // A missing fact was perhaps printed in another form.
  const answer = new RegExp(`^${fact}=(.*)$`, 'm').exec(output)?.[1] ?? output.trim();
  const quoted = JSON.stringify(answer.slice(0, maxSaid));
  return new RinglabError(
    'facts_unreadable',
    { fact, said: quoted, command, wanted },
    { detail: output.slice(-4000) },
  );
}

/** Maximum length of a value; nvidia-smi's is the longest. */
const longestValue = 2000;
/** Maximum length of names of a node and its parts. */
const longestName = 255;
const maxCpus = 100_000;

const number = z.coerce.number();
const kibibytes = number.min(0).max(maxKibibytes).default(0);
const name = z.string().max(longestName);
/** Seconds since 1970 that a clock can plausibly report. */
const seconds = z
  .string()
  .transform((text) => Number.parseFloat(text))
  .pipe(z.number().min(0).max(1e11));
const Lines = z.object({
  os: name,
  kernel: name,
  arch: name.min(1),
  hostname: name,
  user: name,
  uid: number,
  home: z.string().startsWith('/').max(4096),
  shell: z.string().max(4096),
  id: z.string().default(''),
  version: z.string().default(''),
  pretty: z.string().default(''),
  boot_id: z.string().default(''),
  /** The node's clock at the script's start and end. */
  time: seconds,
  finished: seconds.optional(),
  /** Hundredths of a second since its kernel started, at the same moments. */
  ticks: seconds.optional().catch(undefined),
  finished_ticks: seconds.optional().catch(undefined),
  cpus: number.int().positive().max(maxCpus),
  cpu_model: z.string().optional(),
  memory_kib: kibibytes,
  memory_free_kib: kibibytes,
  disk_kib: kibibytes,
  disk_free_kib: kibibytes,
  driver: z.string().optional(),
  cuda: z.string().optional(),
  nvidia_works: z.string().optional(),
  compiler: z.string().optional(),
  cmake: z.string().optional(),
  ninja: z.string().optional(),
  glibc: z.string().optional(),
  sudo: z.enum(['none', 'passwordless', 'password']).default('none'),
  /** The last line: the script is complete. */
  end: z.literal('yes'),
});

/**
 * @param output what the script printed
 * @param clock Unix seconds here before and after the script ran
 * @throws node_unsupported where the node is not Linux, facts_unreadable where the output is not the script's
 */
export function parseFacts(output: string, clock: { before: number; after: number }): NodeReport {
  const lines = splitLines(output);
  const one: Record<string, string> = {};
  for (const [key, values] of lines) if (values[0] !== undefined && values[0] !== '') one[key] = values[0];
  const all = (key: string): string[] => lines.get(key) ?? [];
  for (const key of ['kernel', 'arch', 'boot_id', 'id', 'version'] as const) {
    const value = new RegExp(`^${key}=(.*)$`, 'm').exec(output)?.[1]?.trim() ?? '';
    if (!isPlain(key, value)) throw unreadable(key, output);
  }
  if (one.os !== undefined && one.os !== 'Linux') {
    throw new RinglabError('node_unsupported', { system: one.os });
  }
  const parsed = Lines.safeParse({ shell: '', kernel: '', user: '', hostname: '', ...one });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    if (issue?.code === 'too_big' || issue?.code === 'too_small')
      throw new RinglabError(
        'node_nonsense',
        { what: `${issue.path.join('.')}: ${issue.message}` },
        { detail: output.slice(-4000) },
      );
    if (issue?.path[0] === 'home' || one.home_missing !== undefined) throw homeMissing(one);
    throw unreadable(issue?.path.join('.') ?? '', output);
  }
  const said = parsed.data;
  const libtorch = findLibtorch(all('libtorch_package'), all('libtorch_folder'), all('libtorch_file'));
  const gpus = visibleGpus(
    [
      ...all('gpu').flatMap((row, at) => parseSmi(row, all('gpu_capability')[at])),
      ...all('pci').map(parsePci),
    ],
    all('visible_gpus')[0],
  );
  const driver = said.driver ?? all('gpu')[0]?.split(', ')[4];
  const cuda = said.cuda ?? (said.nvidia_works === 'yes' ? cudaOfDriver(driver) : undefined);
  const glibc = said.glibc?.replace(/^glibc\s+/, '');
  const facts: NodeFacts = {
    at: clock.after,
    hostname: said.hostname,
    user: said.user,
    home: said.home,
    shell: said.shell,
    system: { id: said.id, version: said.version, pretty: said.pretty === '' ? said.os : said.pretty },
    kernel: said.kernel,
    arch: said.arch,
    cpus: said.cpus,
    cpuModel: said.cpu_model ?? said.arch,
    memoryBytes: said.memory_kib * 1024,
    memoryFreeBytes: said.memory_free_kib * 1024,
    diskBytes: said.disk_kib * 1024,
    diskFreeBytes: said.disk_free_kib * 1024,
    gpus: gpus.map((gpu, index) => ({ ...gpu, index })),
    ...(driver === undefined ? {} : { driver }),
    ...(cuda === undefined ? {} : { cuda }),
    ...(libtorch === undefined ? {} : { libtorch: libtorch.version }),
    ...(said.compiler === undefined ? {} : { compiler: said.compiler }),
    ...(said.cmake === undefined ? {} : { cmake: said.cmake }),
    ninja: said.ninja === 'yes',
    ...(glibc === undefined ? {} : { glibc }),
    root: said.uid === 0,
    sudo: said.sudo,
    addresses: all('address').flatMap(parseAddress),
    bootId: said.boot_id,
    clockSkewSeconds: (said.time + (said.finished ?? said.time)) / 2 - (clock.before + clock.after) / 2,
    cpuFlags: all('cpu_flag'),
    ...optional({
      bootedAt: bootedAt(said.ticks, said.finished_ticks, clock),
      virtualisation: all('virtualisation')[0],
      limits: limitsOf(all, said.memory_kib * 1024),
      nvidia: nvidiaFacts(all),
      packageManager: all('package_manager')[0],
      apt: all('apt')[0] === undefined ? undefined : all('apt')[0] === 'yes',
    }),
    ...(all('gpu_process').length === 0 ? {} : { gpuProcesses: gpuProcesses(all) }),
  };
  return { facts, libtorch, homeFault: homeFault(one) };
}

/** Both ends of the script count, as for its clock: what lies between may take long. */
const bootedAt = (
  ticks: number | undefined,
  finished: number | undefined,
  clock: { before: number; after: number },
): number | undefined =>
  ticks === undefined || finished === undefined
    ? undefined
    : (clock.before + clock.after) / 2 - (ticks + finished) / 200;

const homeMissing = ({ user = '', home = '' }: Record<string, string>): RinglabError =>
  new RinglabError('home_missing', { user, home: JSON.stringify(home.slice(0, maxSaid)) });

function homeFault(one: Record<string, string>): RinglabError | undefined {
  const { user = '', home_folder: folder = '', home_noexec: mount } = one;
  if (one.home_missing !== undefined) return homeMissing(one);
  if (one.home_read_only !== undefined) return new RinglabError('home_read_only', { user, folder });
  return mount === undefined ? undefined : new RinglabError('home_noexec', { user, folder, mount });
}

/** Removes undefined fields. */
const optional = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  // Only keys without a value are removed: the others keep their types.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

/**
 * Facts that are used in commands and addresses, on this node and its peers: only characters that are safe in a shell
 * word, and no options. Paths are quoted where they are used; descriptions are only displayed.
 */
const words = /^(?!-)[\w.+~:@%,=/ -]*$/;
const free: ReadonlySet<string> = new Set([
  'home',
  'home_folder',
  'home_noexec',
  'shell',
  'pretty',
  'cpu_model',
  'compiler',
  'gpu',
  // One that is no number keeps its place.
  'gpu_capability',
  'nvidia_said',
  'dkms',
  'user',
  'hostname',
  'libtorch_folder',
  'libtorch_file',
  'gpu_process',
  'package_manager',
  // Its parts are checked one by one.
  'address',
]);
const isPlain = (key: string, value: string): boolean => free.has(key) || words.test(value);

/** Removes control characters: names go to windows, terminals and logs. */
const plainText = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '');

function splitLines(output: string): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const line of output.split(/\r?\n/)) {
    const match = /^([a-z_]{1,32})=(.*)$/.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    const values = lines.get(match[1]) ?? [];
    const value = plainText(match[2].slice(0, longestValue)).trim();
    if (values.length < 256 && isPlain(match[1], value)) values.push(value);
    lines.set(match[1], values);
  }
  return lines;
}

const gib = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

/** The facts in one line. */
export function describeFacts(facts: NodeFacts): Phrase {
  const [memory, disk] = [gib(facts.memoryBytes), gib(facts.diskFreeBytes)];
  const skew = facts.clockSkewSeconds.toFixed(0);
  return lineOf([
    facts.system.pretty,
    facts.arch,
    `${facts.cpus} CPU`,
    phrase('summaries.memory', { memory }),
    phrase('summaries.diskFree', { disk }),
    counted(facts.gpus.map(({ name: model }) => model)).join(', '),
    facts.libtorch === undefined ? '' : `libtorch ${facts.libtorch}`,
    Math.abs(facts.clockSkewSeconds) < 2 ? '' : phrase('summaries.clockOff', { seconds: skew }),
  ]);
}
