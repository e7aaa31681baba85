/** The log of one step: every command with its output, limited in lines; the oldest are dropped and counted. */

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

  /** The lines of a command; a long script is cut. */
  command(script: string): void {
    const lines = script.trim().split('\n');
    const shown = lines.slice(0, 12);
    shown.forEach((line, index) => this.#push(`${index === 0 ? '$' : '>'} ${line}`));
    if (lines.length > shown.length) this.#push(`> … ${lines.length - shown.length} lines more`);
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

  #push(line: string): void {
    // Removes colours and cursor movements.
    const plain = line.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
    this.lines.push(plain.length > maxLineLength ? `${plain.slice(0, maxLineLength)}…` : plain);
    if (this.lines.length > maxLines) {
      this.lines.shift();
      this.dropped += 1;
    }
  }
}
