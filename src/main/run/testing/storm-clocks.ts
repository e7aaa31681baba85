/** For the storm test: each local node has a clock of its own, which can be set in mid-run. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entering, shellQuote, type SshSession } from '../../ssh/index.ts';

/** Preloaded: all processes of a node see its clock (native/tests/set_clock.cpp). */
const library = fileURLToPath(new URL('../../../../native/build/tests/libset_clock.so', import.meta.url));

export interface NodeClocks {
  /** A node's session, on which every command sees the node's clock. */
  around(nodeId: string, session: SshSession): SshSession;
  /** Sets a node's clock to `wrongBy` seconds from this computer's. */
  set(nodeId: string, wrongBy: number): Promise<void>;
}

/** @param folder where the clocks are kept */
export function createNodeClocks(folder: string): NodeClocks {
  const fileOf = (nodeId: string): string => join(folder, `clock-${nodeId}`);
  return {
    around(nodeId, session) {
      const variables = `LD_PRELOAD=${shellQuote(library)} RINGLAB_TEST_CLOCK=${shellQuote(fileOf(nodeId))}`;
      return entering(session, `export ${variables}\n`);
    },
    async set(nodeId, wrongBy) {
      // Whole at any time: the library reads it at each look at the clock.
      await writeFile(`${fileOf(nodeId)}.new`, String(wrongBy));
      await rename(`${fileOf(nodeId)}.new`, fileOf(nodeId));
    },
  };
}
