/** The appearance of states: a colour and an icon each; the text beside them comes from i18n. */
import {
  IconAlertTriangle,
  IconCheck,
  IconCircle,
  IconCircleCheck,
  IconHourglass,
  IconLoader2,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconPlugConnectedX,
  IconQuestionMark,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import classes from './states.module.css';
import type { RankState, RunState } from '../../shared/run/run.ts';

export interface Look {
  /** A CSS colour. */
  readonly colour: string;
  readonly Icon: ComponentType<{ size?: number | string; className?: string; 'aria-hidden'?: boolean }>;
  readonly spins?: boolean;
}

const look = (colour: string, Icon: Look['Icon'], spins = false): Look => ({
  colour: `var(--rl-state-${colour})`,
  Icon,
  spins,
});

const idle = look('idle', IconCircle);
const busy = look('busy', IconLoader2, true);
const running = look('running', IconPlayerPlayFilled);
const waiting = look('waiting', IconHourglass);
const done = look('done', IconCircleCheck);
const stopped = look('stopped', IconPlayerStopFilled);
const failed = look('failed', IconAlertTriangle);
const lost = look('failed', IconQuestionMark);
const unreachable = look('waiting', IconPlugConnectedX);

export const runLook: Readonly<Record<RunState, Look>> = {
  draft: idle,
  queued: look('idle', IconHourglass),
  preparing: busy,
  starting: busy,
  running,
  waiting,
  recovering: waiting,
  stopping: busy,
  stopped,
  interrupted: waiting,
  finished: done,
  failed,
  lost,
};

export const rankLook: Readonly<Record<RankState, Look>> = {
  pending: idle,
  starting: busy,
  running,
  unreachable,
  done,
  stopped,
  failed,
  lost,
};

export type NodeState =
  | 'idle'
  | 'connecting'
  | 'preparing'
  | 'ready'
  | 'starting'
  | 'running'
  | 'waiting'
  | 'unreachable'
  | 'done'
  | 'stopped'
  | 'failed'
  | 'lost';

export const nodeLook: Readonly<Record<NodeState, Look>> = {
  idle,
  connecting: busy,
  preparing: busy,
  ready: look('ready', IconCheck),
  starting: busy,
  running,
  waiting,
  unreachable,
  done,
  stopped,
  failed,
  lost,
};

/** The icon of a state in its colour; decorative, since the text is read out. */
export function StateIcon({ look: shown, size = 14 }: { look: Look; size?: number }) {
  const { Icon } = shown;
  return (
    <span className={classes.icon} style={{ color: shown.colour }} aria-hidden>
      <Icon size={size} {...(shown.spins === true ? { className: classes.spin ?? '' } : {})} />
    </span>
  );
}
