/** The services that the run service depends on. */
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { CodeShelf } from '../../code/index.ts';
import type { EventLog } from '../../base/events.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Reach } from '../../local/index.ts';
import type { Provisioner } from '../../provision/index.ts';
import type { Store } from '../../store/index.ts';
import type { Clock } from '../../base/clock.ts';
import type { StoredPoints } from './stored-points.ts';
import type { Launcher } from './launcher.ts';
import type { RunSettings } from './settings.ts';

export interface RunServices {
  readonly store: Store;
  readonly reach: Reach;
  readonly provisioner: Provisioner;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly settings: RunSettings;
  /** Passes all lines on as they are stored. */
  readonly storedPoints?: Pick<StoredPoints, 'notify'> | undefined;
  /** The code of own scripts on this computer. */
  readonly code?: Pick<CodeShelf, 'kept' | 'takeOut' | 'text' | 'compare' | 'prune'> | undefined;
  /** Folder of our package for Python on this computer; scripts do without it where there is none. */
  readonly pythonSource?: string | undefined;
  /** The run's lab as it is drawn now. */
  readonly labNow?: ((run: RunRecord) => Promise<LabDocument>) | undefined;
  /** Names of the links of the lab's emulated network that are down. */
  readonly linksDown?: ((labId: string) => readonly string[]) | undefined;
  /** Values of a script's secret variables, asked for where they are not known. */
  readonly scriptSecrets?:
    | {
        /** By name; undefined where the script has none. Throws prompt_unanswered. */
        values(lab: LabDocument, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>;
      }
    | undefined;
  /** The launcher for where a lab says that it runs (launch/launchers.ts). @param reach how it reaches the nodes */
  readonly launcher: (lab: LabDocument, reach?: Reach) => Launcher;
}
