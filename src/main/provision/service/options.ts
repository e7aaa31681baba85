/** The options of a provisioner. */
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
  /** Without `cluster` no lab of a Kubernetes cluster can be prepared. */
  readonly reach: Pick<Reach, 'session'> & Partial<Pick<Reach, 'cluster'>>;
  readonly events: Pick<EventLog, 'emit'>;
  readonly paths: Pick<Paths, 'nativeSource' | 'trainerBinary' | 'data' | 'home'> &
    Partial<Pick<Paths, 'assets'>>;
  /** Raises emulated networks of local nodes; without it nodes use the existing networks. */
  readonly networks?: Pick<Networks, 'raise' | 'changes' | 'measured' | 'remembered'>;
  /** Maximum number of nodes prepared concurrently; 16 by default. */
  readonly limit?: number;
  /** Time-out of one address of a node; 5 s by default. */
  readonly connectSeconds?: number;
  readonly clock?: Clock;
  /** Asks the user for consents and sudo passwords. */
  readonly prompter: Prompter;
  /** Stores buckets' secret keys; by default until the app closes. */
  readonly secrets?: SecretStore;
  /** Stores consents; by default until the app closes. */
  readonly consents?: ConsentMemory;
  /** Runs this computer's trainer to get its version and make. */
  readonly describeBinary?: DescribeBinary;
  /** Which addresses a node may reach through a lent connection; default: the internet. */
  readonly lendTo?: LendingOptions['allows'];
}
