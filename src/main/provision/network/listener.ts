/**
 * Listens on rank 0's node and connects from another, with the trainer's `probe`. Each listener has a secret, without
 * which a client of the port gets no data; it is sent inside scripts over standard input, so that it is not an
 * argument of a process.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import { shellQuote } from '../../ssh/index.ts';
import { lastWords, codeOf, type NodeShell } from '../node/node-shell.ts';

/** How to start the trainer on a node: its path, and the path of its libtorch. */
export interface TrainerCommand {
  readonly trainer: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Time-out for connecting to an address; 5 s by default. */
  readonly connectSeconds?: number | undefined;
}

const trainerCall = ({ trainer, environment }: TrainerCommand): string =>
  [
    ...Object.entries(environment).map(([name, value]) => `${name}=${shellQuote(value)}`),
    shellQuote(trainer),
  ].join(' ');

/** The listener ends by itself after this time. */
const listenSeconds = 300;

/** Maximum number of measurements by one listener: nodes of a lab. */
const maxProbes = 10_000;
/** Duration of one measurement; the trainer's own limit follows from it. */
const measureSeconds = 0.2;
const connectSeconds = 5;

/**
 * One listener for each address, instead of one for all interfaces, to avoid clients on other networks. Waiting for
 * an address ends when its listener has ended, and after five seconds where another address works. The file with the
 * secret is removed as soon as all have read it.
 */
const startScript = (trainer: string, addresses: readonly string[], port: number, secret: string): string => `
secret=$(mktemp "\${TMPDIR:-/tmp}/ringlab-probe.XXXXXX") && said=$(mktemp "\${TMPDIR:-/tmp}/ringlab-probe.XXXXXX") || exit 1
trap 'rm -f "$secret" "$said"' EXIT
cat > "$secret" <<'END' || exit 1
${secret}
END
timeout ${listenSeconds} sh -c ${shellQuote(`${addresses.map((address) => `{ ${trainer} probe --listen ${address}:${port} --probes ${maxProbes} --seconds ${measureSeconds} --secret-file "$1"; echo ended; } &`).join(' ')} wait`)} probe "$secret" > "$said" 2>&1 < /dev/null &
pid=$!
tries=0
while [ $tries -lt 300 ]; do
  found=$(grep -c '^listening' "$said")
  ended=$(grep -c '^ended' "$said")
  grep -qi 'in use' "$said" && break
  if [ "$found" -ge 1 ] && { [ $((found + ended)) -ge ${addresses.length} ] || [ $tries -ge 100 ]; }; then
    echo "listening $pid"; exit 0
  fi
  kill -0 $pid 2>/dev/null || break
  sleep 0.05
  tries=$((tries + 1))
done
kill $pid 2>/dev/null
grep -vx ended "$said" >&2
exit 1
`;

/** `timeout` leads a process group. What matters is that the port is free: checks the kernel's table. */
const stopScript = (pid: string, port: number): string => `
kill -s TERM -- -${pid} 2>/dev/null
tries=0
while grep -q ':${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A' /proc/net/tcp; do
  [ $tries -lt 60 ] || { kill -s KILL -- -${pid}; break; }
  sleep 0.05; tries=$((tries + 1))
done
exit 0
`;

export interface Listener {
  /** The secret for connect(); empty for a listener on this computer. */
  readonly secret: string;
  /** Resolves when the port is free again. */
  stop(): Promise<void>;
}

/**
 * Undefined where the port is in use. Throws command_failed for other errors.
 * @param addresses of the node, at least one: numeric, and therefore safe in a shell
 */
export async function listen(
  shell: NodeShell,
  command: TrainerCommand,
  addresses: readonly string[],
  port: number,
): Promise<Listener | undefined> {
  const label = `probe --listen ${addresses.map((address) => `${address}:${port}`).join(', ')}`;
  const secret = randomBytes(32).toString('hex');
  const result = await shell.exec(startScript(trainerCall(command), addresses, port, secret), {
    label: `ringlab-train ${label}`,
    brief: true,
  });
  const pid = /^listening (\d+)$/m.exec(result.stdout)?.[1];
  if (pid !== undefined) {
    return {
      secret,
      async stop() {
        // Not the logged shell: it refuses commands after a cancellation, and the port would stay in use.
        await shell.session.exec(shell.within(stopScript(pid, port)), { brief: true });
      },
    };
  }
  const detail = lastWords(result);
  if (/in use|port_in_use/i.test(detail)) return undefined;
  throw new RinglabError('command_failed', { command: label, code: codeOf(result) }, { detail });
}

const Measured = z.object({
  rtt_ms: z.number(),
  send_bits_per_second: z.number(),
  receive_bits_per_second: z.number(),
});
export type Measured = z.infer<typeof Measured>;

function readMeasured(line: string): Measured | undefined {
  try {
    return Measured.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/**
 * Undefined where the address does not answer within some seconds; the step's log has the reason.
 * @param secret the listener's
 */
export async function connect(
  shell: NodeShell,
  command: TrainerCommand,
  address: string,
  port: number,
  secret: string,
): Promise<Measured | undefined> {
  const call = `${trainerCall(command)} probe --connect ${address}:${port} --seconds ${measureSeconds} --connect-timeout ${command.connectSeconds ?? connectSeconds}`;
  const script = secret === '' ? call : `${call} --secret-file - <<'END'\n${secret}\nEND\n`;
  const result = await shell.exec(script, { label: call, timeoutMs: 60_000, brief: true });
  const line = result.stdout.split('\n').find((text) => text.startsWith('{'));
  if (result.code !== 0 || line === undefined) return undefined;
  return readMeasured(line);
}

/** '0.3 ms · 940 Mbit/s': the slower direction. */
export function describeLink({ rtt_ms, send_bits_per_second, receive_bits_per_second }: Measured): string {
  const megabits = Math.min(send_bits_per_second, receive_bits_per_second) / 1e6;
  const rate = megabits < 1000 ? `${short(megabits)} Mbit/s` : `${short(megabits / 1000)} Gbit/s`;
  return `${short(rtt_ms)} ms · ${rate}`;
}

/** Two significant digits, never an exponent. */
const short = (value: number): string =>
  value >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
