/** The log of one step: every command with its output, and sentences of ours; limited in lines, the oldest are dropped and counted. */
import { changedLine, type Line } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';

const maxLines = 300;
const maxLineLength = 600;

export class StepLog {
  lines: Line[] = [];
  dropped = 0;
  #torn = { stdout: '', stderr: '' };
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  add(text: Line): void {
    if (typeof text === 'string') for (const line of text.split(/\r?\n/)) this.#push(line);
    else this.#push(text);
    this.#changed();
  }

  /** The lines of a command; a long script is cut. A phrase is what a command does. */
  command(script: Line): void {
    if (typeof script === 'string') {
      const lines = script.trim().split('\n');
      const shown = lines.slice(0, 12);
      shown.forEach((line, index) => this.#push(`${index === 0 ? '$' : '>'} ${line}`));
      const count = lines.length - shown.length;
      if (count > 0) this.#push(phrase('stepLog.moreLines', { count }));
    } else this.#push(changedLine(script, (text) => `$ ${text}`));
    this.#changed();
  }

  /** Adds a chunk of output: whole lines at once, an incomplete last line later. */
  output(text: string, stream: 'stdout' | 'stderr'): void {
    // A carriage return overwrites a line on a terminal (progress bars): treated as a line end.
    const parts = (this.#torn[stream] + text).split(/\r\n|\n|\r/);
    this.#torn[stream] = (parts.pop() ?? '').slice(-4096);
    for (const part of parts) if (part.trim() !== '') this.#push(part);
    if (parts.length > 0) this.#changed();
  }

  /** Adds an incomplete last line. */
  flush(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#torn[stream].trim() !== '') this.#push(this.#torn[stream]);
      this.#torn[stream] = '';
    }
    this.#changed();
  }

  clear(): void {
    this.lines = [];
    this.dropped = 0;
    this.#torn = { stdout: '', stderr: '' };
  }

  #push(line: Line): void {
    this.lines.push(changedLine(line, asShown));
    if (this.lines.length > maxLines) {
      this.lines.shift();
      this.dropped += 1;
    }
  }
}

/** Without colours and cursor movements, as one line that is not too long. */
function asShown(text: string): string {
  const plain = text
    .replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
  return plain.length > maxLineLength ? `${plain.slice(0, maxLineLength)}…` : plain;
}
