/**
 * A trainer that starts at once, for tests whose subject is another step: it says its version, listens on nothing and
 * measures nothing. Loading the real one's libtorch takes half a second of processor time each time.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const measuresNothing = `'probe --listen') echo "listening on $3"; exec sleep 300;;
  'probe --connect') echo '{"rtt_ms":0.1,"send_bits_per_second":1e9,"receive_bits_per_second":1e9}';;`;

/** @param prober a real trainer that probes in its place: for that it loads no libtorch */
export function writeStandInTrainer(folder: string, prober?: string): string {
  const path = join(folder, 'ringlab-train');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path,
    `#!/bin/sh
case "$1 $2" in
  verify*) echo '{"v":1,"kind":"verify","ok":true,"backend":"gloo","seconds":0,"devices":[{"device":"cpu","ok":true}]}';;
  --version*) echo 'ringlab-train 0.1.0 libtorch 1.13.0';;
  facts*) echo '{}';;
  ${prober === undefined ? measuresNothing : `probe*) exec '${prober}' "$@";;`}
  *) exit 2;;
esac
`,
    { mode: 0o755 },
  );
  return path;
}
