/**
 * Listening on rank 0's node for a moment, and connecting to it from another, with the trainer's own `probe`. Each listener has a
 * secret of its own, without which nobody who reaches the port moves a byte; it comes to the nodes within the scripts, which their
 * shells read from standard input: it is no argument of a process there.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import { shellQuote } from '../../ssh/index.ts';
import { lastWords, type NodeShell } from '../node/node-shell.ts';

/** How a trainer is started on a node: its path, and where its libtorch is. */
export interface TrainerCommand {
  readonly trainer: string;
  readonly environment: Readonly<Record<string, string>>;
  /** How long it tries to connect to an address; 5 s by default. */
  readonly connectSeconds?: number | undefined;
}

const trainerCall = ({ trainer, environment }: TrainerCommand): string =>
  [
    ...Object.entries(environment).map(([name, value]) => `${name}=${shellQuote(value)}`),
    shellQuote(trainer),
  ].join(' ');

/** The listener ends by itself after this, whatever becomes of us. */
const listenSeconds = 300;

/** More measurements than one listener is ever asked for: nodes of a lab. */
const maxProbes = 10_000;
/** Of one measurement: the trainer's own maximum follows from it. */
const measureSeconds = 0.2;
const connectSeconds = 5;

/**
 * One listener for each address, and none for all that the node has: whoever reaches it in another way has no business there. An
 * address that cannot be listened on is no longer waited for once its listener has ended, and five seconds at most, where another
 * one can. The file with the secret is gone as soon as all have read it.
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

/** `timeout` leads a process group. The run needs the port, not the processes' last traces: the kernel's table is asked. */
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
  /** What connect() proves itself with; empty where nothing of a node's listens. */
  readonly secret: string;
  /** Resolves when the port is free again. */
  stop(): Promise<void>;
}

/**
 * Undefined where something else listens there. Throws command_failed where it cannot listen for another reason.
 * @param addresses of the node, at least one: numbers, which are safe in a shell
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
        // Not the logged shell: it would refuse once the preparation is cancelled, and the port would stay taken.
        await shell.session.exec(shell.within(stopScript(pid, port)), { brief: true });
      },
    };
  }
  const detail = lastWords(result);
  if (/in use|port_in_use/i.test(detail)) return undefined;
  throw new RinglabError('command_failed', { command: label, code: result.code ?? 'signal' }, { detail });
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
 * Undefined where the address does not answer within some seconds; what was said is in the step's log.
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

/** Two digits that count, never an exponent. */
const short = (value: number): string =>
  value >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
