/** The type of all services that handlers use; app.ts builds them. */
import type { Platform } from '../base/platform.ts';
import type { EventLog } from '../base/events.ts';
import type { LeftNodes } from './left-nodes.ts';
import type { Prompts } from './prompts.ts';
import type { Replaced } from './replaced.ts';
import type { Store } from '../store/index.ts';
import type { Labs } from '../lab/index.ts';
import type { SshPoolWithTrust } from '../ssh/index.ts';
import type { ReachWithStates } from '../local/index.ts';
import type { Limits, Networks } from '../net/index.ts';
import type { Provisioner } from '../provision/index.ts';
import type { ClusterFacts, Runs, ScriptSecrets } from '../run/index.ts';
import type { Terminals } from '../terminal/index.ts';

export interface Services {
  readonly platform: Platform;
  readonly replaced: Replaced;
  readonly events: EventLog;
  readonly prompts: Prompts;
  readonly store: Store;
  readonly labs: Labs;
  readonly leftNodes: LeftNodes;
  readonly pool: SshPoolWithTrust;
  readonly reach: ReachWithStates;
  readonly networks: Networks;
  readonly limits: Limits;
  readonly provisioner: Provisioner;
  readonly runs: Runs;
  readonly scriptSecrets: ScriptSecrets;
  readonly clusterFacts: ClusterFacts;
  readonly terminals: Terminals;
}
