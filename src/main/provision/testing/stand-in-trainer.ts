/**
 * For tests: a fake trainer that starts at once: prints its version, listens on nothing and measures nothing. The
 * real one takes half a second of CPU to load libtorch.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const measuresNothing = `'probe --listen') echo "listening on $3"; exec sleep 300;;
  'probe --connect') echo '{"rtt_ms":0.1,"send_bits_per_second":1e9,"receive_bits_per_second":1e9}';;`;

/** @param prober a real trainer for `probe`, which does not load libtorch */
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
