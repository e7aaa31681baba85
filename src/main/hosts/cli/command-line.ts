/** Reads a command line: which options each command takes, and what was probably meant by an unknown one. */
import { parseArgs } from 'node:util';
import { kubernetesOptions } from './commands/kubernetes-options.ts';
import { commands, isCommand, type Command } from './help.ts';
import { speak } from './speak.ts';

/** Wrong usage: one line and exit 2. */
export class UsageError extends Error {
  /** Whose help lists what is right; undefined where no command is known. */
  readonly command: Command | undefined;
  constructor(message: string, command?: Command) {
    super(message);
    this.command = command;
  }
}

const flag = { type: 'boolean', default: false } as const;
const text = { type: 'string' } as const;

const options = {
  out: text,
  script: text,
  nodes: text,
  source: text,
  ref: text,
  runtime: text,
  torchrun: flag,
  'min-nodes': text,
  'on-lost-rank': text,
  add: text,
  programs: flag,
  cuda: text,
  chart: flag,
  sync: text,
  'dry-run': flag,
  port: text,
  'no-open': flag,
  'dev-renderer': text,
  json: flag,
  queue: flag,
  replace: { type: 'string', multiple: true },
  force: flag,
  data: text,
  yes: { ...flag, short: 'y' },
  'accept-new-host-keys': flag,
  'lend-internet': flag,
  'own-files': flag,
  slurm: flag,
  cluster: flag,
  ...kubernetesOptions,
  help: { ...flag, short: 'h' },
  version: flag,
} as const;
type Option = keyof typeof options;
const isOption = (name: string): name is Option => Object.hasOwn(options, name);
const names = Object.keys(options).filter(isOption);

/** Commands that print nothing but text; the others' results are JSON with or without `--json`. */
const textOnly: ReadonlySet<Command> = new Set(['prepare', 'app', 'serve', 'open', 'doctor']);
const ofKubernetes: ReadonlySet<string> = new Set(Object.keys(kubernetesOptions));

/** Options that only some commands take. */
const owned: Readonly<Partial<Record<Option, readonly Command[]>>> = {
  out: ['run', 'follow', 'resume', 'export', 'bundle'],
  script: ['run'],
  nodes: ['run'],
  source: ['run'],
  ref: ['run'],
  runtime: ['run'],
  torchrun: ['run'],
  'min-nodes': ['run'],
  'on-lost-rank': ['run'],
  queue: ['run'],
  chart: ['run', 'follow', 'resume'],
  add: ['bundle'],
  programs: ['bundle'],
  cuda: ['bundle'],
  sync: ['estimate'],
  'dry-run': ['prepare', 'lock'],
  port: ['app', 'serve'],
  'no-open': ['app', 'serve', 'open'],
  'dev-renderer': ['serve'],
  replace: ['rejoin'],
  force: ['stop'],
  slurm: ['export'],
  cluster: ['check'],
};

/** The commands that take an option; undefined where all do. */
function ownersOf(option: Option): readonly Command[] | undefined {
  if (option === 'json')
    return Object.keys(commands)
      .filter(isCommand)
      .filter((name) => !textOnly.has(name));
  return ofKubernetes.has(option) ? ['export'] : owned[option];
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one word to another. */
function distance(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const differs = a[i - 1] === b[j - 1] ? 0 : 1;
      const steps = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + differs];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        steps.push((before[j - 2] ?? 0) + 1);
      row.push(Math.min(...steps));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

/** The word that was probably meant: one with a slip or two, or the only one that begins so. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  // A word of any length may be typed; no known one is long.
  const word = typed.slice(0, 64).toLowerCase();
  const begun = word.length < 3 ? [] : known.filter((name) => name.startsWith(word));
  if (begun.length === 1) return begun[0];
  const allowed = word.length < 3 ? 0 : word.length < 6 ? 1 : 2;
  const near = known
    .map((name) => ({ name, steps: distance(word, name) }))
    .filter(({ steps }) => steps <= allowed)
    .sort((a, b) => a.steps - b.steps);
  return near[0]?.name;
}

function unknownCommand(word: string): UsageError {
  const known = Object.keys(commands);
  const near = nearest(word, known);
  return new UsageError(
    near === undefined
      ? speak('cli.usage.command', { command: word, known })
      : speak('cli.usage.commandNear', { command: word, near }),
  );
}

function unknownOption(typed: string, command: Command | undefined, hasScript: boolean): UsageError {
  if (hasScript) return new UsageError(speak('cli.usage.optionOfScript', { option: typed }), command);
  const taken = names.filter((name) => command === undefined || (ownersOf(name)?.includes(command) ?? true));
  const near = typed.startsWith('--') ? nearest(typed.slice(2), taken) : undefined;
  return new UsageError(
    near === undefined
      ? speak('cli.usage.option', { option: typed })
      : speak('cli.usage.optionNear', { option: typed, near }),
    command,
  );
}

/**
 * @param whole without the program's name
 * @throws UsageError
 */
export function readCommandLine(whole: readonly string[]) {
  // What follows `--` is the script's alone.
  const end = whole.indexOf('--');
  const [argv, args] = end < 0 ? [whole, []] : [whole.slice(0, end), whole.slice(end + 1)];
  const {
    tokens,
    positionals: words,
    values: loose,
  } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    tokens: true,
    strict: false,
  });
  const word = words[0] === 'help' ? words[1] : words[0];
  if (word !== undefined && loose.version !== true && !isCommand(word)) throw unknownCommand(word);
  const command = word === undefined || !isCommand(word) ? undefined : word;
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!isOption(name)) throw unknownOption(rawName, command, loose.script !== undefined);
    if (options[name].type === 'boolean') {
      if (value !== undefined) throw new UsageError(speak('cli.usage.noValue', { option: name }), command);
    } else if (value === undefined)
      throw new UsageError(speak('cli.usage.valueMissing', { option: name }), command);
    else if (!inlineValue && value.startsWith('-'))
      throw new UsageError(speak('cli.usage.valueDash', { option: name, value }), command);
    // A variable that is not set must not make the current folder the place of data, code or results.
    else if (value === '') throw new UsageError(speak('cli.usage.valueEmpty', { option: name }), command);
    const owners = ownersOf(name);
    if (command !== undefined && owners?.includes(command) === false)
      throw new UsageError(speak('cli.usage.otherCommand', { option: name, command, owners }), command);
    if (name !== 'kubernetes' && ofKubernetes.has(name) && loose.kubernetes !== true)
      throw new UsageError(speak('cli.usage.kubernetes', { option: name }), command);
  }
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  return { values, positionals, args };
}
