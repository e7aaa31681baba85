/** Shows the set-up's progress: a line for each step with its time, and the current activity on a terminal. */

const eraseLine = '\r\u001b[2K';
/** Without a terminal: seconds between two lines of progress. */
const heartbeat = 20;

/**
 * @typedef {object} StepProgress
 * @property {(text: string) => void} now shows the current activity
 * @property {(text: string) => void} say a line that stays
 *
 * @typedef {object} Progress
 * @property {(text: string) => void} say
 * @property {<T>(name: string, work: (step: StepProgress) => Promise<T>) => Promise<T>} step
 */

/**
 * @param {{ stream?: NodeJS.WriteStream, quiet?: boolean, clock?: () => number }} [options]
 * quiet: only steps that take longer than a second are shown
 * @returns {Progress}
 */
export function createProgress({
  stream = process.stderr,
  quiet = false,
  clock = () => performance.now(),
} = {}) {
  const live = stream.isTTY === true;
  let shown = false;
  /** The current activity of each running step: several may run side by side, and share the line that changes. */
  const doing = new Map();
  const erase = () => {
    if (shown) stream.write(eraseLine);
    shown = false;
  };
  const line = (text) => {
    erase();
    stream.write(`${text}\n`);
  };
  return {
    say: line,
    async step(name, work) {
      const start = clock();
      const seconds = () => (clock() - start) / 1000;
      let now = '';
      let lastBeat = 0;
      const beat = () => {
        const passed = seconds();
        if (live) {
          doing.set(name, `${name}: ${now === '' ? '…' : now} (${Math.round(passed)} s)`);
          const text = `  ${[...doing.values()].join(' · ')}`;
          stream.write(`${eraseLine}${text.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`);
          shown = true;
        } else if (passed - lastBeat >= heartbeat) {
          lastBeat = passed;
          line(`  ${name}: ${now === '' ? 'still at it' : now} (${Math.round(passed)} s)`);
        }
      };
      const timer = setInterval(beat, live ? 200 : 1000);
      try {
        const result = await work({
          now: (text) => {
            now = text;
          },
          say: (text) => line(`  ${text}`),
        });
        erase();
        if (!quiet || seconds() > 1) line(`✓ ${name} (${formatSeconds(seconds())})`);
        return result;
      } catch (error) {
        line(`✗ ${name} (${formatSeconds(seconds())})`);
        throw error;
      } finally {
        clearInterval(timer);
        doing.delete(name);
      }
    },
  };
}

/** @param {number} seconds */
export function formatSeconds(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}
