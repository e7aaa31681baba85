/** Usage of each command, for `ringlab --help` and `ringlab COMMAND --help`. */
import { speak } from './speak.ts';

/** The arguments after the command's name. */
export const commands = {
  run: 'LAB [--out DIR] [--chart] [--queue] | --script FILE --nodes LAB [-- ARGUMENTS]',
  follow: 'RUN [--out DIR] [--chart]',
  stop: 'RUN [--force]',
  resume: 'RUN [--out DIR] [--chart]',
  rejoin: 'RUN [LAB] [--replace LOST=NEW]',
  runs: '[RUN] [--json]',
  labs: '[--json]',
  export: 'RUN [ARTIFACT | code] --out DIR | LAB --slurm | LAB --kubernetes [FILE]',
  check: 'LAB [--cluster]',
  estimate: 'LAB [--sync MODE]',
  prepare: 'LAB [--dry-run]',
  lock: 'LAB [--dry-run]',
  bundle: 'LAB [--out FOLDER] [--cuda X.Y] | --add FOLDER [--programs]',
  app: '[--port N] [--no-open]',
  serve: '[--port N] [--no-open]',
  open: '[--no-open]',
  doctor: '',
  diagnose: '< LOG',
} as const;
export type Command = keyof typeof commands;
export const isCommand = (name: string): name is Command => Object.hasOwn(commands, name);
const names = Object.keys(commands).filter(isCommand);

const usageOf = (name: Command): string => `ringlab ${name} ${commands[name]}`.trimEnd();

const line = (name: Command): string =>
  `  ${usageOf(name).padEnd(44)}  ${speak(`help.commands.${name}.does`)}\n`;

export const overview = (): string => `${speak('help.title')}

${names.map(line).join('')}
${speak('help.options')}
${speak('help.labArgument')}
${speak('help.beside')}
${speak('help.exitCodes')}
`;

/** Undefined for an unknown command. */
export function helpOf(command: string): string | undefined {
  if (!isCommand(command)) return undefined;
  const more = speak(`help.commands.${command}.more`, {
    runArgument: speak('help.runArgument'),
    endOfRun: speak('help.endOfRun'),
  });
  const lab = /\bLAB\b/.test(commands[command]) ? `\n${speak('help.labArgument')}\n` : '';
  return `${usageOf(command)}\n\n${speak(`help.commands.${command}.does`)}\n\n${more}\n\n${speak('help.options')}${lab}`;
}
