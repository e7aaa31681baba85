/** The lab's nodes as a list with their states, to find a node in a large lab. */
import { useReactFlow } from '@xyflow/react';
import { memo, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/react/shallow';
import type { LabNode } from '../../shared/lab/lab.ts';
import { cardSize } from '../../shared/drawing/card-size.ts';
import { seriesColour } from '../../shared/base/series-colour.ts';
import { removeAndNotify } from '../commands/index.ts';
import { select, useLabStore, useNodeStatus, useShownRunId } from '../state/index.ts';
import { nodeLook, StateIcon } from '../theme/index.ts';
import classes from './Outline.module.css';

export function Outline({ labId }: { labId: string }) {
  const { t } = useTranslation();
  const nodes = useLabStore(useShallow((state) => state.lab?.nodes ?? []));
  const runId = useShownRunId(labId);
  if (nodes.length === 0) return null;
  return (
    <nav
      className={classes.outline}
      aria-label={t('canvas.outline')}
      onKeyDown={(event) => {
        if (event.key === 'Delete') removeAndNotify({ t });
      }}
    >
      <h2 className={classes.title}>{t('canvas.outline')}</h2>
      <ul>
        {nodes.map((node, index) => (
          <OutlineRow key={node.id} node={node} index={index} labId={labId} runId={runId} />
        ))}
      </ul>
    </nav>
  );
}

const OutlineRow = memo(function OutlineRow(props: {
  node: LabNode;
  index: number;
  labId: string;
  runId: string | undefined;
}) {
  const { t } = useTranslation();
  const { node, index } = props;
  const flow = useReactFlow();
  const selected = useLabStore((state) => state.selection.nodes.includes(node.id));
  const alone = useLabStore(
    ({ selection }) => selection.nodes.length === 1 && selection.nodes[0] === node.id,
  );
  const row = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (alone) row.current?.scrollIntoView({ block: 'nearest' });
  }, [alone]);
  const state = useNodeStatus(props.labId, props.runId, node.id);
  const word = node.kind === 'switch' ? t('lab.kind.switch') : t(`lab.nodeState.${state}`);
  return (
    <li className={classes.row}>
      <button
        ref={row}
        type="button"
        className={classes.node}
        aria-current={selected}
        title={word}
        // Delete applies to the selection; a row that was reached by Tab is not selected.
        onKeyDown={(event) => {
          if (event.key === 'Delete' && !selected) select({ nodes: [node.id], links: [] });
        }}
        onClick={() => {
          select({ nodes: [node.id], links: [] });
          void flow.setCenter(node.position.x + cardSize.width / 2, node.position.y + cardSize.height / 2, {
            zoom: flow.getZoom(),
            duration: 200,
          });
        }}
      >
        <span
          className={classes.colour}
          style={{ background: node.kind === 'switch' ? 'var(--rl-state-idle)' : seriesColour(index) }}
        />
        <span className={classes.name}>{node.name.trim() === '' ? t('canvas.unnamed') : node.name}</span>
        {node.kind !== 'switch' && <StateIcon look={nodeLook[state]} size={13} />}
        <span className={classes.word}>{word}</span>
      </button>
    </li>
  );
});
