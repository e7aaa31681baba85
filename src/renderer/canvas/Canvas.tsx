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
  useStore,
  useStoreApi,
  type EdgeChange,
  type NodeChange,
  type OnConnectEnd,
} from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef, useState, type MouseEvent as Pressed } from 'react';
import { useTranslation } from 'react-i18next';
import type { LabLink, LabNode } from '../../shared/lab/lab.ts';
import { linkLabel } from '../../shared/drawing/part-labels.ts';
import { useCommandContext } from '../commands/index.ts';
import {
  editLab,
  emptySelection,
  gridStep,
  select,
  useLabStore,
  annotationIdOf,
  flowIdOf,
} from '../state/index.ts';
import { BandwidthQuestion } from './BandwidthQuestion.tsx';
import { AnnotationNode } from './AnnotationNode.tsx';
import { CanvasControls } from './CanvasControls.tsx';
import { canvasId } from './canvas-id.ts';
import { keepFocus, keepFromDrawing, onCanvasKey, selectFocused, takeFocus } from './canvas-keys.ts';
import classes from './Canvas.module.css';
import { carry, putDown, useCarriedIds, useGivingUp } from './carried.ts';
import { changeSelection, chooseLink, chooseOne, nodeUnder, openOne } from './choosing.ts';
import { ConnectQuestion } from './ConnectQuestion.tsx';
import { ContextMenu, selectForMenu, useContextMenu, type MenuPosition } from './ContextMenu.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { FarView } from './FarView.tsx';
import { farBelow, useFittedView, zoomRange } from './fitted-view.ts';
import { useFramedAreas } from './framed-areas.ts';
import {
  toAnnotations,
  toCards,
  toEdges,
  type AnnotationNode as FlowAnnotation,
  type CardNode,
  type FlowNode,
  type LinkEdge,
  type PartNames,
} from './flow-parts.ts';
import { LinkLine } from './LinkLine.tsx';
import { inWords, useLinkMarks } from './link-marks.ts';
import { useLinking } from './linking.ts';
import { intoLine, noShift, shifted, withGroups } from './moves.ts';
import { byFlowId, changesOf, movesTo, sorted } from './node-changes.ts';
import { NodeCard } from './NodeCard.tsx';
import { GroupFrames, Guides, showGuides } from './Underlay.tsx';

const nodeTypes = { card: NodeCard, annotation: AnnotationNode };
const edgeTypes = { link: LinkLine };
const snapGrid: [number, number] = [gridStep, gridStep];
const connectionLineStyle = { stroke: 'var(--rl-handle)', strokeWidth: 2 };
/** With more nodes than this, only visible ones are rendered. */
const manyNodes = 120;
const hideGuides = (): void => showGuides([]);

export function Canvas() {
  const { t } = useTranslation();
  const lab = useLabStore((state) => state.lab);
  const selection = useLabStore((state) => state.selection);
  const marks = useLinkMarks();
  const names = useMemo<PartNames>(() => {
    // Translating 500 names at each key press would be noticeable: a node that did not change keeps its labels.
    const known = new WeakMap<LabNode, string>();
    const knownLinks = new WeakMap<LabLink, { a: string; b: string; text: string }>();
    return {
      node(node) {
        const text =
          known.get(node) ?? t('canvas.nodeName', { name: node.name, kind: t(`lab.kind.${node.kind}`) });
        known.set(node, text);
        return text;
      },
      link(link, a, b) {
        const old = knownLinks.get(link);
        if (old?.a === a && old.b === b) return old.text;
        const label = [linkLabel(link), ...inWords(marks(link.id))].join(' · ');
        const text = t('canvas.linkName', { a, b, label });
        knownLinks.set(link, { a, b, text });
        return text;
      },
      annotation: ({ kind, text }) =>
        t('canvas.annotation.name', { kind: t(`canvas.annotation.kind.${kind}`), text: text.slice(0, 80) }),
    };
  }, [t, marks]);
  const [cards, setCards] = useState<CardNode[]>([]);
  const [notes, setNotes] = useState<FlowAnnotation[]>([]);
  const [edges, setEdges] = useState<LinkEdge[]>([]);
  const dragging = useRef(false);
  const { times: givenUp, valid } = useGivingUp(dragging, hideGuides);
  const flowStore = useStoreApi();
  /** The canvas's view when the drag began. */
  const dragView = useRef(flowStore.getState().transform);
  const nodes = lab?.nodes;
  const links = lab?.links;
  const annotations = lab?.annotations;
  useEffect(() => {
    if (nodes !== undefined) setCards((before) => toCards(nodes, selection.nodes, before, names));
  }, [nodes, selection.nodes, names, givenUp]);
  useEffect(() => {
    setNotes((before) => toAnnotations(annotations ?? [], selection.annotations ?? [], before, names));
  }, [annotations, selection.annotations, names, givenUp]);
  const drawn = useMemo<FlowNode[]>(
    () => (notes.length === 0 ? cards : [...cards, ...notes]),
    [cards, notes],
  );
  useEffect(() => {
    if (nodes === undefined || links === undefined) return;
    setEdges((before) => toEdges(nodes, links, selection.links, before, names));
  }, [nodes, links, selection.links, names]);

  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      const { nodes: all = [], annotations: allNotes = [] } = useLabStore.getState().lab ?? {};
      const { measured, nodePositions, notePositions, isDragging, isResizing } = sorted(valid(changes));
      if (isResizing) {
        // The document is updated when resizing ends, by the corner that was dragged.
        setNotes((before) => applyNodeChanges(changesOf<FlowAnnotation>(changes), before));
        return;
      }
      const grouped = withGroups(all, nodePositions);
      const drags = isDragging || dragging.current;
      const { positions, shift, guides } = drags
        ? intoLine(all, grouped)
        : { positions: grouped, shift: noShift, guides: [] };
      const notesTo = shifted(notePositions, shift);
      const ids = [...Object.keys(positions), ...Object.keys(notesTo)];
      showGuides(isDragging ? guides : []);
      const { transform } = flowStore.getState();
      if (!dragging.current) dragView.current = transform;
      // Panning while dragging brings other parts into view: React Flow needs the cards' positions.
      const carries = isDragging && all.length > manyNodes && transform === dragView.current;
      if (carries) {
        const withNotes = allNotes.map(({ id, position }) => ({ id: flowIdOf(id), position }));
        carry([...all, ...withNotes], { ...positions, ...byFlowId(notesTo) }, transform[2] >= farBelow);
        dragging.current = true;
        return;
      }
      // Dragged cards return with the edited document, in one update: each update of a long list is expensive.
      const isDropped = putDown() && !isDragging;
      const moves = isDropped ? [] : movesTo({ ...positions, ...byFlowId(notesTo) }, isDragging);
      if (moves.length + measured.length > 0) {
        setCards((before) => applyNodeChanges(changesOf<CardNode>([...measured, ...moves]), before));
        setNotes((before) => applyNodeChanges(changesOf<FlowAnnotation>([...measured, ...moves]), before));
      }
      if (ids.length > 0 && !isDragging) {
        // A drag is one undo step; consecutive arrow keys that move the same parts are one too.
        const key = dragging.current ? undefined : `nudge ${ids.join(' ')}`;
        editLab({ type: 'move', positions, annotations: notesTo }, key);
      }
      if (ids.length > 0) dragging.current = isDragging;
      // Members of a group may be selected outside the frame: React Flow reports them as deselected.
      const { userSelectionRect, nodeLookup } = flowStore.getState();
      changeSelection('nodes', changes, userSelectionRect === null ? undefined : nodeLookup);
    },
    [flowStore, valid],
  );
  const onEdgesChange = useCallback((changes: EdgeChange<LinkEdge>[]) => {
    changeSelection('links', changes);
  }, []);

  useFramedAreas();
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

  const region = useRef<HTMLDivElement>(null);
  const parts = (nodes?.length ?? 0) + (links?.length ?? 0) + (annotations?.length ?? 0);
  const partsBefore = useRef(parts);
  useEffect(() => {
    // One frame later: React Flow still shows what was deleted.
    if (parts < partsBefore.current) requestAnimationFrame(() => keepFocus(region.current));
    partsBefore.current = parts;
  }, [parts]);
  const onMoved = useFittedView(region, lab?.id, drawn.length > 0);
  const context = useCommandContext();
  const flow = useReactFlow();
  const far = useStore((state) => state.transform[2] < farBelow);
  const carrying = useCarriedIds().size > 0;
  const { position: menu, ask: askMenu, close: closeMenu } = useContextMenu();
  const openMenu = useCallback(
    (event: Pressed | MouseEvent, on: MenuPosition['on']) => {
      event.preventDefault();
      const { clientX: x, clientY: y } = event;
      askMenu({ x, y, on, at: flow.screenToFlowPosition({ x, y }, { snapToGrid: false }) });
    },
    [askMenu, flow],
  );
  const onNodeMenu = useCallback(
    (event: Pressed, node: FlowNode) => {
      const annotationId = annotationIdOf(node.id);
      selectForMenu(annotationId === undefined ? 'nodes' : 'annotations', annotationId ?? node.id);
      openMenu(event, annotationId === undefined ? 'node' : 'annotation');
    },
    [openMenu],
  );
  const onLinkMenu = useCallback(
    (event: Pressed, edge: LinkEdge) => {
      selectForMenu('links', edge.id);
      openMenu(event, 'link');
    },
    [openMenu],
  );

  return (
    <div
      ref={region}
      className={classes.canvas}
      id={canvasId}
      data-lab={lab?.id}
      role="region"
      aria-label={t('canvas.region')}
      tabIndex={-1}
      onMouseDownCapture={takeFocus}
      onKeyDown={(event) => onCanvasKey(event, context)}
      onKeyDownCapture={menu === undefined ? undefined : keepFromDrawing}
      onFocusCapture={selectFocused}
    >
      <ReactFlow<FlowNode, LinkEdge>
        className={`${connecting ? 'connecting' : ''} ${far ? 'far' : ''} ${carrying ? 'carrying' : ''}`}
        nodes={drawn}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onConnectStart={() => setConnecting(true)}
        onConnectEnd={onConnectEnd}
        onMoveEnd={onMoved}
        onPaneClick={() => select(emptySelection)}
        onNodeContextMenu={onNodeMenu}
        onSelectionContextMenu={(event) => openMenu(event, 'node')}
        onEdgeContextMenu={onLinkMenu}
        onPaneContextMenu={(event) => openMenu(event, 'ground')}
        onNodeClick={chooseOne}
        onEdgeClick={chooseLink}
        onNodeDoubleClick={openOne}
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
        minZoom={zoomRange.min}
        maxZoom={zoomRange.max}
        onlyRenderVisibleElements={cards.length > manyNodes}
        ariaLabelConfig={{
          'node.a11yDescription.default': t('canvas.nodeHelp'),
          'node.a11yDescription.keyboardDisabled': t('canvas.nodeHelp'),
          'edge.a11yDescription.default': t('canvas.linkHelp'),
          'minimap.ariaLabel': t('canvas.minimap'),
        }}
      >
        <Background variant={BackgroundVariant.Dots} gap={gridStep} size={1.4} color="var(--rl-grid)" />
        <GroupFrames cards={cards} />
        {far && <FarView cards={cards} edges={edges} />}
        <Guides />
        <CanvasControls />
        <BandwidthQuestion />
      </ReactFlow>
      {lab?.nodes.length === 0 && lab.annotations === undefined && (
        <div className={classes.empty}>
          <strong>{t('canvas.emptyTitle')}</strong>
          <span>{t('canvas.emptyText')}</span>
        </div>
      )}
      <FirstSteps />
      <ConnectQuestion />
      {menu !== undefined && <ContextMenu position={menu} onClose={closeMenu} />}
    </div>
  );
}
