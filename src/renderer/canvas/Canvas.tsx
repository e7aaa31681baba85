/** The drawing area: React Flow over the lab document. Every gesture ends as an edit of the document. */
import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  ConnectionLineType,
  ConnectionMode,
  ReactFlow,
  SelectionMode,
  useReactFlow,
  type EdgeChange,
  type NodeChange,
  type OnConnectEnd,
} from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { LabNode } from '../../shared/lab.ts';
import {
  connectFrom,
  editLab,
  emptySelection,
  focusField,
  gridStep,
  removeSelected,
  select,
  selectAll,
  sealHistory,
  showPage,
  useLabStore,
  type Selection,
} from '../state/index.ts';
import { BandwidthQuestion } from './BandwidthQuestion.tsx';
import { CanvasControls } from './CanvasControls.tsx';
import classes from './Canvas.module.css';
import { ConnectQuestion } from './ConnectQuestion.tsx';
import { toCards, toEdges, type CardNode, type LinkEdge, type PartNames } from './flow-parts.ts';
import { LinkLine, linkLabel } from './LinkLine.tsx';
import { useLinkMarks } from './link-marks.ts';
import { useLinking } from './linking.ts';
import { NodeCard } from './NodeCard.tsx';

const nodeTypes = { card: NodeCard };
const edgeTypes = { link: LinkLine };
const snapGrid: [number, number] = [gridStep, gridStep];
const connectionLineStyle = { stroke: 'var(--rl-handle)', strokeWidth: 2 };
/** Above so many nodes only those in view are drawn. */
const manyNodes = 120;

export const fitOptions = { padding: 0.18, maxZoom: 1 };
export const canvasId = 'lab-canvas';

export function Canvas() {
  const { t } = useTranslation();
  const lab = useLabStore((state) => state.lab);
  const selection = useLabStore((state) => state.selection);
  const marks = useLinkMarks();
  const names = useMemo<PartNames>(() => {
    // Translating 500 names at each key typed in a field would be felt: a node that did not change keeps its words.
    const known = new WeakMap<LabNode, string>();
    return {
      node(node) {
        const words =
          known.get(node) ?? t('canvas.nodeName', { name: node.name, kind: t(`lab.kind.${node.kind}`) });
        known.set(node, words);
        return words;
      },
      link: (link, a, b) =>
        t('canvas.linkName', { a, b, label: [linkLabel(link), ...marks(link.id)].join(' · ') }),
    };
  }, [t, marks]);
  const [cards, setCards] = useState<CardNode[]>([]);
  const [edges, setEdges] = useState<LinkEdge[]>([]);
  const dragging = useRef(false);
  const nodes = lab?.nodes;
  const links = lab?.links;
  useEffect(() => {
    if (nodes !== undefined) setCards((before) => toCards(nodes, selection.nodes, before, names));
  }, [nodes, selection.nodes, names]);
  useEffect(() => {
    if (nodes === undefined || links === undefined) return;
    setEdges((before) => toEdges(nodes, links, selection.links, before, names));
  }, [nodes, links, selection.links, names]);

  const onNodesChange = useCallback((changes: NodeChange<CardNode>[]) => {
    const moved: Record<string, { x: number; y: number }> = {};
    const shown: NodeChange<CardNode>[] = [];
    for (const change of changes) {
      if (change.type === 'position') {
        if (change.dragging === true) dragging.current = true;
        else if (change.position !== undefined) moved[change.id] = change.position;
        shown.push(change);
      } else if (change.type === 'dimensions') shown.push(change);
    }
    if (shown.length > 0) setCards((before) => applyNodeChanges(shown, before));
    if (Object.keys(moved).length > 0) {
      // A drag is one step of undo; arrow keys that follow each other are one too.
      editLab({ type: 'move', positions: moved }, dragging.current ? undefined : 'nudge');
      dragging.current = false;
    }
    changeSelection('nodes', changes);
  }, []);
  const onEdgesChange = useCallback((changes: EdgeChange<LinkEdge>[]) => {
    changeSelection('links', changes);
  }, []);

  const link = useLinking();
  const [connecting, setConnecting] = useState(false);
  const onConnectEnd = useCallback<OnConnectEnd>(
    (event, connection) => {
      setConnecting(false);
      const from = connection.fromNode?.id;
      const to = connection.toNode?.id ?? nodeUnder(event);
      if (from !== undefined && to !== undefined) link(from, to);
    },
    [link],
  );

  const region = useFittedView(lab?.id, cards.length > 0);

  return (
    <div
      ref={region}
      className={classes.canvas}
      id={canvasId}
      role="region"
      aria-label={t('canvas.region')}
      onKeyDown={onKey}
      onFocusCapture={selectFocused}
    >
      <ReactFlow<CardNode, LinkEdge>
        className={connecting ? 'connecting' : ''}
        nodes={cards}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onConnectStart={() => setConnecting(true)}
        onConnectEnd={onConnectEnd}
        onPaneClick={() => select(emptySelection)}
        connectionMode={ConnectionMode.Loose}
        connectionLineType={ConnectionLineType.Straight}
        connectionLineStyle={connectionLineStyle}
        connectionRadius={28}
        connectOnClick={false}
        snapToGrid
        snapGrid={snapGrid}
        selectionMode={SelectionMode.Partial}
        deleteKeyCode={null}
        multiSelectionKeyCode={['Meta', 'Control', 'Shift']}
        zoomOnDoubleClick={false}
        minZoom={0.1}
        maxZoom={2}
        onlyRenderVisibleElements={cards.length > manyNodes}
        ariaLabelConfig={{
          'node.a11yDescription.default': t('canvas.nodeHelp'),
          'node.a11yDescription.keyboardDisabled': t('canvas.nodeHelp'),
          'edge.a11yDescription.default': t('canvas.linkHelp'),
          'minimap.ariaLabel': t('canvas.minimap'),
        }}
      >
        <Background variant={BackgroundVariant.Dots} gap={gridStep} size={1.4} color="var(--rl-grid)" />
        <CanvasControls />
        <BandwidthQuestion />
      </ReactFlow>
      {lab?.nodes.length === 0 && (
        <div className={classes.empty}>
          <strong>{t('canvas.emptyTitle')}</strong>
          <span>{t('canvas.emptyText')}</span>
        </div>
      )}
      <ConnectQuestion />
    </div>
  );
}

/** A change of the canvas's size by this much at once, in pixels: the dock opened or closed. */
const sizeJump = 80;

/** Shows all of a lab when it is opened, and again when its room changes at once; never while it is being drawn. */
function useFittedView(labId: string | undefined, hasCards: boolean) {
  const flow = useReactFlow();
  const region = useRef<HTMLDivElement>(null);
  const fitted = useRef<string>(undefined);
  useEffect(() => {
    if (labId === undefined || fitted.current === labId) return;
    const openedEmpty = useLabStore.getState().lab?.nodes.length === 0;
    if (!openedEmpty && !hasCards) return;
    fitted.current = labId;
    // A frame later the cards are measured.
    requestAnimationFrame(() => {
      if (openedEmpty) void flow.setViewport({ x: 0, y: 0, zoom: 1 });
      else void flow.fitView(fitOptions);
    });
  }, [flow, labId, hasCards]);
  useEffect(() => {
    const element = region.current;
    if (element === null) return undefined;
    let height = element.clientHeight;
    const observer = new ResizeObserver(() => {
      const jumped = Math.abs(element.clientHeight - height) >= sizeJump;
      height = element.clientHeight;
      if (jumped) requestAnimationFrame(() => void flow.fitView({ ...fitOptions, duration: 180 }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [flow]);
  return region;
}

/** React Flow tells what became selected and what no longer is; the store holds the result. */
function changeSelection(
  part: keyof Selection,
  changes: readonly (NodeChange<CardNode> | EdgeChange<LinkEdge>)[],
): void {
  const { selection } = useLabStore.getState();
  const ids = new Set(selection[part]);
  for (const change of changes) {
    if (change.type !== 'select') continue;
    if (change.selected) ids.add(change.id);
    else ids.delete(change.id);
  }
  select({ ...selection, [part]: [...ids] });
}

/** The node that the pointer was let go over, where no handle was hit. */
function nodeUnder(event: MouseEvent | TouchEvent): string | undefined {
  const at = 'changedTouches' in event ? event.changedTouches[0] : event;
  if (at === undefined) return undefined;
  const hit = document.elementFromPoint(at.clientX, at.clientY)?.closest('.react-flow__node');
  return hit instanceof HTMLElement ? hit.dataset.id : undefined;
}

/** Reaching a node or link by Tab selects it, so that arrows, Delete and L mean it. */
function selectFocused({ target }: { target: EventTarget }): void {
  if (!(target instanceof Element) || !target.matches(':focus-visible')) return;
  const id = target.getAttribute('data-id');
  if (id === null) return;
  const { selection } = useLabStore.getState();
  if (target.classList.contains('react-flow__node') && !selection.nodes.includes(id)) {
    select({ nodes: [id], links: [] });
  } else if (target.classList.contains('react-flow__edge') && !selection.links.includes(id)) {
    select({ nodes: [], links: [id] });
  }
}

function onKey(event: KeyboardEvent): void {
  if (event.target instanceof Element && event.target.closest('input, textarea, [role="dialog"]') !== null)
    return;
  const { selection } = useLabStore.getState();
  const command = event.ctrlKey || event.metaKey;
  if (event.key === 'Delete' || event.key === 'Backspace') {
    sealHistory();
    removeSelected();
    event.preventDefault();
  } else if (event.key === 'Escape') {
    select(emptySelection);
  } else if (event.key === 'Enter' && selection.nodes.length + selection.links.length > 0) {
    showPage('selection');
    // Straight to the fields: on the way by Tab every card passed would be selected instead. Escape comes back.
    const [node] = selection.nodes;
    const [link] = selection.links;
    if (node !== undefined) focusField(`node.${node}.name`);
    else if (link !== undefined) focusField(`link.${link}.bandwidthMbps`);
  } else if (command && event.key.toLowerCase() === 'a') {
    selectAll();
    event.preventDefault();
  } else if (!command && event.key.toLowerCase() === 'l' && selection.nodes.length === 1) {
    connectFrom(selection.nodes[0]);
    event.preventDefault();
  }
}
