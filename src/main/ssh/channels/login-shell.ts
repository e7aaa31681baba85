/**
 * Explains why a login shell did not start a command: a start-up file that exits, replaces the shell, waits or prints
 * endlessly, a restricted shell, no shell, or a forced command. The account's start-up files are read over SFTP,
 * which does not need the login shell, to find the line.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';
import { createSftpDoor, openFile, readInto } from './sftp.ts';
import { maxNoise } from './remote-process.ts';
import type { Shell } from './shell.ts';

export interface Silence {
  /** The output instead of the marker. */
  readonly noise: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** It was ended after this time; undefined where it ended by itself. */
  readonly waitedMs?: number;
  /** It printed more than `maxNoise`. */
  readonly isEndless: boolean;
}

/** The account's files that were read: text by path, `~/` for the home folder. */
type AccountFiles = ReadonlyMap<string, string>;

/** In search order. */
const startupFiles = [
  '.bashrc',
  '.zshenv',
  '.zshrc',
  '.cshrc',
  '.tcshrc',
  '.config/fish/config.fish',
  '.config/nushell/config.nu',
  '.xonshrc',
  '.kshrc',
  '.profile',
  '.ssh/rc',
  '.ssh/environment',
];
/** Of every Windows; its own words are in its own language. */
const windowsFile = '/C:/Windows/win.ini';
const systemFiles = [
  '/etc/bash.bashrc',
  '/etc/zsh/zshenv',
  '/etc/csh.cshrc',
  '/etc/fish/config.fish',
  windowsFile,
];
const keysFile = '.ssh/authorized_keys';
const maxFileBytes = 256 * 1024;
const readWithinMs = 6000;

const word = String.raw`(?:^|[;&|(]|\bthen\b|\bdo\b|\belse\b|\band\b|\bor\b)\s*`;
const ends = new RegExp(`${word}(?:exit|logout|kill)\\b`);
const replaces = new RegExp(`${word}exec\\s+(?![<>&\\d])\\S`);
const waits = new RegExp(
  `${word}(?:(?:while|until)\\s+)?(?:read|select|sleep|cat|tmux|screen|byobu|zellij|ssh-add|wait|set\\s+\\w+\\s*=\\s*\\$<)\\b`,
);
const loops = new RegExp(`${word}(?:while|until|for|yes|cat|find|tail)\\b`);

/** `~/.bashrc, line 3: exec zsh`: the first line that matches a pattern. */
function lineOf(files: AccountFiles, pattern: RegExp): Phrase | undefined {
  for (const [path, text] of files) {
    if (path === '/etc/passwd' || path === `~/${keysFile}`) continue;
    const lines = text.split('\n');
    const at = lines.findIndex((line) => !/^\s*#/.test(line) && pattern.test(line));
    if (at !== -1) return phrase('reasons.inFile', { path, line: at + 1, text: printable(lines[at] ?? '') });
  }
  return undefined;
}

const printable = (line: string): string =>
  line
    .trim()
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .slice(0, 120);

const shellOf = (files: AccountFiles, user: string): string | undefined =>
  (files.get('/etc/passwd') ?? '')
    .split('\n')
    .find((line) => line.startsWith(`${user}:`))
    ?.split(':')[6]
    ?.trim();

/** The files that the account's shell reads, where the user has to look for the line. */
function filesOf(shell: string | undefined): string {
  const name = shell?.split('/').pop() ?? '';
  if (/^(ba|rba)?sh$|^$/.test(name)) return '~/.bashrc';
  if (name === 'zsh') return '~/.zshenv';
  if (name === 'fish') return '~/.config/fish/config.fish';
  return /csh$/.test(name) ? `~/.${name}rc, ~/.cshrc` : `~/.bashrc, ~/.profile`;
}

/** Pure: derives the explanation from the evidence. */
export function explainSilence(
  { user, host }: Pick<Shell, 'user' | 'host'>,
  silence: Silence,
  files: AccountFiles,
): RinglabError {
  const { noise, code, signal, waitedMs, isEndless } = silence;
  const shell = shellOf(files, user);
  const fallback = filesOf(shell);
  const who = { user, host };
  const ended = code ?? (signal === null ? -1 : `SIG${signal}`);
  const detail = noise.replace(/[^\P{Cc}\n\t]/gu, '');
  if (isEndless)
    return new RinglabError(
      'login_shell_endless',
      { ...who, megabytes: maxNoise / 1024 / 1024, line: lineOf(files, loops) ?? fallback },
      { detail },
    );
  if (waitedMs !== undefined)
    return new RinglabError(
      'login_shell_waits',
      {
        ...who,
        seconds: Math.round(waitedMs / 1000),
        line: lineOf(files, waits) ?? lineOf(files, loops) ?? fallback,
      },
      { detail },
    );
  if (/allows sftp connections only/i.test(noise))
    return new RinglabError('login_sftp_only', who, { detail });
  const isWindows = /is not recognized as (?:an internal|the name|a name)|not recognized as a .*cmdlet/i;
  if (files.has(windowsFile) || isWindows.test(noise))
    return new RinglabError('node_unsupported', { system: 'Windows' }, { detail });
  if (/account is currently not available/i.test(noise) || /\/(?:nologin|false|true)$/.test(shell ?? ''))
    return new RinglabError('login_shell_none', { ...who, shell: shell ?? '/usr/sbin/nologin' }, { detail });
  if (/\brestricted\b/.test(noise) || /\/r(?:bash|ksh|zsh)$|lshell$/.test(shell ?? ''))
    return new RinglabError('login_shell_restricted', who, { detail });
  const replacing = lineOf(files, replaces);
  const ending = lineOf(files, ends);
  const needsTerminal = /open terminal failed|not a terminal|must be connected to a terminal|not a tty/i.test(
    noise,
  );
  if (needsTerminal || (replacing !== undefined && ending === undefined))
    return new RinglabError(
      'login_shell_replaced',
      { ...who, line: replacing ?? lineOf(files, waits) ?? fallback },
      { detail },
    );
  const forcing = /(?:^|[\s,])command="/m.test(files.get(`~/${keysFile}`) ?? '');
  if (ending === undefined && (forcing || noise !== ''))
    return new RinglabError('login_forced_command', { ...who, file: `~/${keysFile}` }, { detail });
  // /bin/false prints nothing and ends with 1; so does a script that calls it.
  if (ending === undefined && files.size === 0 && code === 1)
    return new RinglabError('login_shell_none', { ...who, shell: '/bin/false' }, { detail });
  return new RinglabError('login_shell_exits', { ...who, code: ended, line: ending ?? fallback }, { detail });
}

async function readAccount(shell: Shell): Promise<AccountFiles> {
  const files = new Map<string, string>();
  await createSftpDoor(shell).with(async (sftp) => {
    const wanted = [...startupFiles, ...systemFiles, keysFile, '/etc/passwd'];
    for (const path of wanted) {
      const text = await readFile(path).catch(() => undefined);
      if (text !== undefined && text !== '') files.set(path.startsWith('/') ? path : `~/${path}`, text);
    }
    // A relative path is relative to the home folder.
    async function readFile(path: string): Promise<string> {
      const handle = await openFile(sftp, path, 'r');
      try {
        let text = Buffer.alloc(0);
        for (;;) {
          const block = Buffer.alloc(31 * 1024);
          const count = await readInto(sftp, handle, block, text.length).catch(() => 0);
          if (count === 0 || text.length > maxFileBytes) return text.toString('utf8');
          text = Buffer.concat([text, block.subarray(0, count)]);
        }
      } finally {
        sftp.close(handle, () => undefined);
      }
    }
  }, AbortSignal.timeout(readWithinMs));
  return files;
}

/** Never rejects, and takes a few seconds at most. */
export async function whySilent(shell: Shell, silence: Silence): Promise<RinglabError> {
  const late = new Promise<AccountFiles>((resolve) => {
    setTimeout(() => resolve(new Map()), readWithinMs).unref();
  });
  const files = await Promise.race([readAccount(shell), late]).catch((): AccountFiles => new Map());
  return explainSilence(shell, silence, files);
}
