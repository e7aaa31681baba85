/** What a provisioner is given. */
import type { Clock } from '../../base/clock.ts';
import type { EventLog } from '../../base/events.ts';
import type { Paths, SecretStore } from '../../base/platform.ts';
import type { Reach } from '../../local/index.ts';
import type { Networks } from '../../net/index.ts';
import type { Prompter } from '../../ssh/index.ts';
import type { LendingOptions } from '../node/lending.ts';
import type { ConsentMemory } from '../node/rights.ts';
import type { DescribeBinary } from '../trainer/trainer-shelf.ts';

export interface ProvisionerOptions {
  readonly reach: Pick<Reach, 'session'>;
  readonly events: Pick<EventLog, 'emit'>;
  readonly paths: Pick<Paths, 'nativeSource' | 'trainerBinary' | 'data' | 'home'> &
    Partial<Pick<Paths, 'assets'>>;
  /** Makes drawn networks of local nodes real; without it nodes meet on the networks that are there. */
  readonly networks?: Pick<Networks, 'raise' | 'changes' | 'measured' | 'remembered'>;
  /** Nodes that are worked on at the same time; 16 by default. */
  readonly limit?: number;
  /** How long one address of a node is tried before it counts as unreachable; 5 s by default. */
  readonly connectSeconds?: number;
  readonly clock?: Clock;
  /** Asks the user for consents and sudo passwords. */
  readonly prompter: Prompter;
  /** Where buckets' secret keys are remembered; by default until the app closes. */
  readonly secrets?: SecretStore;
  /** Where consents are remembered; by default until the app closes. */
  readonly consents?: ConsentMemory;
  /** How the trainer of this computer is asked what it is. */
  readonly describeBinary?: DescribeBinary;
  /** Which addresses a node may reach through a lent connection; the internet by default. */
  readonly lendTo?: LendingOptions['allows'];
}
