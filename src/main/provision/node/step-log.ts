/** The log of one step: every command and what it printed, as lines, bounded, the oldest dropped and counted. */

const maxLines = 300;
const maxLineLength = 600;

export class StepLog {
  lines: string[] = [];
  dropped = 0;
  #torn = { stdout: '', stderr: '' };
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  add(text: string): void {
    for (const line of text.split(/\r?\n/)) this.#push(line);
    this.#changed();
  }

  /** The lines of a command as it is run; a long script is cut, its end is of no use to a reader. */
  command(script: string): void {
    const lines = script.trim().split('\n');
    const shown = lines.slice(0, 12);
    shown.forEach((line, index) => this.#push(`${index === 0 ? '$' : '>'} ${line}`));
    if (lines.length > shown.length) this.#push(`> … ${lines.length - shown.length} lines more`);
    this.#changed();
  }

  /** A piece of output as it came: whole lines are added, the torn end waits for its rest. */
  output(text: string, stream: 'stdout' | 'stderr'): void {
    // A carriage return rewrites a line on a terminal (progress bars): here it ends one.
    const parts = (this.#torn[stream] + text).split(/\r\n|\n|\r/);
    this.#torn[stream] = (parts.pop() ?? '').slice(-4096);
    for (const part of parts) if (part.trim() !== '') this.#push(part);
    if (parts.length > 0) this.#changed();
  }

  /** Adds what has no line end yet. */
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

  #push(line: string): void {
    // Colours and cursor movements mean nothing in a log view.
    const plain = line.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
    this.lines.push(plain.length > maxLineLength ? `${plain.slice(0, maxLineLength)}…` : plain);
    if (this.lines.length > maxLines) {
      this.lines.shift();
      this.dropped += 1;
    }
  }
}
