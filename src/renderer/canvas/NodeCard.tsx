/** A node on the canvas: name, kind, hardware, and its state by colour, icon and text. */
import { Handle, Position, type NodeProps } from '@xyflow/react';
import { IconCpu, IconLock, IconServer2, IconSwitch3 } from '@tabler/icons-react';
import { memo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/react/shallow';
import type { NodeKind } from '../../shared/lab/lab.ts';
import { isEnded, type RankState } from '../../shared/run/run.ts';
import { seriesColour } from '../../shared/base/series-colour.ts';
import { NodeLive, NodeRing } from '../nodes/index.ts';
import {
  useLabId,
  useLabStore,
  useNodeStatus,
  useReadiness,
  useRunStore,
  useShownRunId,
} from '../state/index.ts';
import { nodeLook, rankLook, StateIcon } from '../theme/index.ts';
import { useCarried } from './carried.ts';
import classes from './NodeCard.module.css';
import type { CardNode } from './flow-parts.ts';
import { useHardware } from '../ui/index.ts';

export const kindIcon = { gpu: IconCpu, cpu: IconServer2, switch: IconSwitch3 } as const;
/** Between the parts of a card's hardware, none of which is broken. */
const separator = ' · ';
const sides = [Position.Top, Position.Right, Position.Bottom, Position.Left] as const;

export const NodeCard = memo(function NodeCard({ data: { node, index }, selected }: NodeProps<CardNode>) {
  const { t } = useTranslation();
  const Icon = kindIcon[node.kind];
  const card = useRef<HTMLDivElement>(null);
  const parts = useHardware(node);
  const live = useIsLive(useShownRunId(useLabId() ?? ''), node.id);
  useCarried(node.id, card);
  const errors = useLabStore((state) =>
    state.issues.reduce(
      (sum, issue) => sum + (issue.nodeId === node.id && issue.severity === 'error' ? 1 : 0),
      0,
    ),
  );
  return (
    <div
      ref={card}
      className={classes.card}
      data-selected={selected}
      data-kind={node.kind}
      data-live={live}
      style={{ '--node-colour': seriesColour(index) } as React.CSSProperties}
    >
      <div className={classes.head}>
        <span className={classes.kind}>
          <KindIcon nodeId={node.id} Icon={Icon} />
        </span>
        <span className={classes.name}>{node.name.trim() === '' ? t('canvas.unnamed') : node.name}</span>
        {node.locked === true && (
          <span
            className={classes.lock}
            role="img"
            aria-label={t('canvas.locked')}
            title={t('canvas.locked')}
          >
            <IconLock size={12} aria-hidden />
          </span>
        )}
        {errors > 0 && (
          <span className={classes.badge} title={t('canvas.problems', { count: errors })}>
            {errors}
          </span>
        )}
      </div>
      <div className={classes.facts} data-wish={parts?.found === undefined} title={parts?.source}>
        {(parts?.text ?? t(`lab.kind.${node.kind}`)).split(separator).map((part, index) => (
          <span key={part}>
            {index > 0 && separator}
            <span className={classes.part}>{part}</span>
          </span>
        ))}
      </div>
      {node.kind === 'switch' ? <div className={classes.foot} /> : <NodeFoot nodeId={node.id} />}
      {sides.map((side) => (
        <Handle
          key={side}
          id={side}
          type="source"
          position={side}
          className={classes.handle ?? ''}
          aria-hidden
        />
      ))}
    </div>
  );
});

/** The kind's icon; during a run, a ring around it shows how busy the node is. */
function KindIcon({ nodeId, Icon }: { nodeId: string; Icon: (typeof kindIcon)[NodeKind] }) {
  const labId = useLabId() ?? '';
  const runId = useShownRunId(labId);
  const live = useIsLive(runId, nodeId);
  const icon = <Icon size={live ? 13 : 15} stroke={1.8} aria-hidden />;
  return live && runId !== undefined ? (
    <NodeRing runId={runId} nodeId={nodeId}>
      {icon}
    </NodeRing>
  ) : (
    icon
  );
}

const goesOn: ReadonlySet<RankState> = new Set(['pending', 'starting', 'running', 'unreachable']);

/** Whether a rank of the node takes part: after it has left, its last sample would stay. */
const useIsLive = (runId: string | undefined, nodeId: string): boolean =>
  useRunStore((now) => {
    const run = runId === undefined ? undefined : now.records[runId];
    if (run === undefined || isEnded(run.state)) return false;
    return run.ranks.some((rank) => rank.nodeId === nodeId && goesOn.has(rank.state));
  });

const noRanks: readonly string[] = [];

function NodeFoot({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation();
  const labId = useLabId() ?? '';
  const runId = useShownRunId(labId);
  const state = useNodeStatus(labId, runId, nodeId);
  const ranks = useRunStore(
    useShallow((now) => {
      const run = runId === undefined ? undefined : now.records[runId];
      return run === undefined
        ? noRanks
        : run.ranks.filter((rank) => rank.nodeId === nodeId).map((rank) => `${rank.rank}:${rank.state}`);
    }),
  );
  const progress = useRunStore((now) => {
    const run = runId === undefined ? undefined : now.records[runId];
    // The lab's epochs are not a script's.
    if (run === undefined || run.ranks.length === 0 || run.lab.experiment.script !== undefined)
      return undefined;
    return run.epochsCompleted / run.epochs;
  });
  const live = useIsLive(runId, nodeId);
  const steps = useReadiness(labId, nodeId)?.steps;
  const look = nodeLook[state];
  const done = steps?.filter((step) => step.state === 'done').length ?? 0;
  const share =
    state === 'preparing' ? done / Math.max(1, steps?.length ?? 1) : ranks.length > 0 ? progress : undefined;
  const current = steps?.find((step) => ['checking', 'applying', 'verifying'].includes(step.state));
  return (
    <>
      <div className={classes.foot}>
        <StateIcon look={look} size={13} />
        <span className={classes.state} style={{ color: look.colour }}>
          {state === 'preparing' && current !== undefined
            ? t(`inspector.step.${current.instead ?? current.id}`)
            : t(`lab.nodeState.${state}`)}
        </span>
        <span className={classes.ranks}>
          {ranks.slice(0, 8).map((entry) => (
            <RankChip key={entry} entry={entry} />
          ))}
          {ranks.length > 8 && <span className={classes.more}>+{ranks.length - 8}</span>}
        </span>
      </div>
      <div className={classes.live}>
        {live && runId !== undefined && state !== 'preparing' ? (
          <NodeLive runId={runId} nodeId={nodeId} />
        ) : null}
      </div>
      {share !== undefined && (
        <div
          className={classes.progress}
          role="progressbar"
          aria-label={t('canvas.progress')}
          aria-valuenow={Math.round(share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <div style={{ width: `${Math.min(100, share * 100)}%`, background: look.colour }} />
        </div>
      )}
    </>
  );
}

function RankChip({ entry }: { entry: string }) {
  const { t } = useTranslation();
  const [rank = '', state = 'pending'] = entry.split(':');
  // The entry was created above from a rank's own state.
  const known = state as keyof typeof rankLook;
  const look = rankLook[known];
  const rankLabel = t('canvas.rank', { rank, state: t(`lab.rankState.${known}`) });
  return (
    <span
      className={classes.rank}
      style={{ color: look.colour }}
      title={rankLabel}
      aria-label={rankLabel}
      role="img"
    >
      {rank}
    </span>
  );
}
