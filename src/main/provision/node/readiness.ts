/** The state of every node of every lab, in memory; reported to listeners at most ten times a second. */
import { plain } from '../../../shared/base/phrase.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { trainingNodes } from '../../../shared/lab/lab.ts';
import {
  stepIds,
  type Lent,
  type NodeFacts,
  type NodeReadiness,
  type OtherStepId,
  type StepId,
  type StepRecord,
} from '../../../shared/node/provision.ts';
import type { Clock } from '../../base/clock.ts';
import { StepLog } from './step-log.ts';

/** Delay of reports on state or progress; reports on the log alone may wait longer, since it can be large. */
const soonMs = 100;
const logMs = 500;
/** Maximum number of labs that are remembered; the least recently used is dropped first. */
const maxLabs = 64;

export type Listener = (readiness: NodeReadiness) => void;

/** The live status of one step of one node. */
export class StepStatus {
  readonly log: StepLog;
  #fields: Omit<StepRecord, 'log' | 'droppedLogLines'>;
  readonly #changed: () => void;

  constructor(id: StepId, changed: () => void, logChanged: () => void) {
    this.#fields = { id, state: 'waiting', alreadyThere: false, summary: plain('') };
    this.log = new StepLog(logChanged);
    this.#changed = changed;
  }

  get state(): StepRecord['state'] {
    return this.#fields.state;
  }

  /** Its progress; 0 where unknown. */
  get done(): number {
    return this.#fields.progress?.done ?? 0;
  }

  /**
   * Starts over, with an empty record.
   * @param instead the action shown in this step's row
   */
  begin(at: number, instead?: OtherStepId): void {
    this.log.clear();
    this.#fields = {
      id: this.#fields.id,
      state: 'checking',
      alreadyThere: false,
      summary: plain(''),
      startedAt: at / 1000,
      ...(instead === undefined ? {} : { instead }),
    };
    this.#changed();
  }

  /** Back to its initial state. */
  reset(): void {
    this.log.clear();
    this.#fields = { id: this.#fields.id, state: 'waiting', alreadyThere: false, summary: plain('') };
    this.#changed();
  }

  set(change: Partial<Omit<StepRecord, 'id' | 'log' | 'droppedLogLines'>>): void {
    this.#fields = { ...this.#fields, ...change };
    this.#changed();
  }

  progress(done: number, total: number, unit: 'bytes' | 'files' | 'steps'): void {
    this.set({ progress: { done, total, unit } });
  }

  snapshot(): StepRecord {
    return { ...this.#fields, log: [...this.log.lines], droppedLogLines: this.log.dropped };
  }
}

/** The live status of one node of one lab. */
export class NodeStatus {
  facts: NodeFacts | undefined;
  #lent: Lent | undefined;
  readonly labId: string;
  readonly nodeId: string;
  #state: NodeReadiness['state'] = 'unknown';
  readonly #steps: ReadonlyMap<StepId, StepStatus>;
  readonly #changed: () => void;

  constructor(labId: string, nodeId: string, changed: () => void, logChanged: () => void) {
    this.labId = labId;
    this.nodeId = nodeId;
    this.#changed = changed;
    this.#steps = new Map(stepIds.map((id) => [id, new StepStatus(id, changed, logChanged)]));
  }

  get state(): NodeReadiness['state'] {
    return this.#state;
  }

  set state(state: NodeReadiness['state']) {
    this.#state = state;
    this.#changed();
  }

  get lent(): Lent | undefined {
    return this.#lent;
  }

  set lent(lent: Lent | undefined) {
    this.#lent = lent;
    this.#changed();
  }

  step(id: StepId): StepStatus {
    const step = this.#steps.get(id);
    if (step === undefined) throw new RangeError(id);
    return step;
  }

  snapshot(): NodeReadiness {
    return {
      labId: this.labId,
      nodeId: this.nodeId,
      state: this.#state,
      steps: stepIds.map((id) => this.step(id).snapshot()),
      ...(this.facts === undefined ? {} : { facts: this.facts }),
      ...(this.#lent === undefined ? {} : { lent: this.#lent }),
    };
  }
}

export interface ReadinessBook {
  node(labId: string, nodeId: string): NodeStatus;
  /** Every training node of the lab, in document order; `unknown` where nothing was done yet. */
  status(lab: LabDocument): NodeReadiness[];
  /** Sends pending reports now. */
  flush(): void;
}

export function createReadinessBook(clock: Clock, onChange: Listener): ReadinessBook {
  const labs = new Map<string, Map<string, NodeStatus>>();
  const dirty = new Set<NodeStatus>();
  let timer: { at: number; stop: () => void } | undefined;
  let lastReported = Number.NEGATIVE_INFINITY;

  const flush = (): void => {
    timer?.stop();
    timer = undefined;
    if (dirty.size === 0) return;
    lastReported = clock.ticks();
    const nodes = [...dirty];
    dirty.clear();
    for (const node of nodes) onChange(node.snapshot());
  };
  const mark = (node: NodeStatus, withinMs: number): void => {
    dirty.add(node);
    const at = lastReported + withinMs;
    if (timer !== undefined && timer.at <= at) return;
    timer?.stop();
    timer = { at, stop: clock.after(Math.max(0, at - clock.ticks()), flush) };
  };

  const node = (labId: string, nodeId: string): NodeStatus => {
    const nodes = labs.get(labId) ?? new Map<string, NodeStatus>();
    labs.delete(labId);
    labs.set(labId, nodes);
    const oldest = labs.keys().next().value;
    if (labs.size > maxLabs && oldest !== undefined) labs.delete(oldest);
    const known = nodes.get(nodeId);
    if (known !== undefined) return known;
    const made: NodeStatus = new NodeStatus(
      labId,
      nodeId,
      () => mark(made, soonMs),
      () => mark(made, logMs),
    );
    nodes.set(nodeId, made);
    return made;
  };

  return {
    node,
    status: (lab) => trainingNodes(lab).map(({ id }) => node(lab.id, id).snapshot()),
    flush,
  };
}
