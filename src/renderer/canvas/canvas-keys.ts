/** Keyboard shortcuts that work only on the canvas. */
import type { KeyboardEvent } from 'react';
import { isTyped } from '../../shared/base/typed-letter.ts';
import { removeAndNotify, type CommandContext } from '../commands/index.ts';
import {
  connectFrom,
  emptySelection,
  focusField,
  sealHistory,
  select,
  selectedCount,
  showPage,
  useLabStore,
  annotationIdOf,
} from '../state/index.ts';

/**
 * While a menu is open the canvas ignores keys. The menu opens a moment before it has the focus; an arrow key pressed
 * in between would move the node and close the menu.
 */
export function keepFromDrawing(event: KeyboardEvent): void {
  if (event.key === 'Escape' || !(event.target instanceof Element)) return;
  if (event.target.closest('.react-flow') === null) return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * A press on the ground gives the canvas the focus, so that keys apply to the drawing: React Flow's ground cannot have it. Text
 * that is selected elsewhere would catch Ctrl+C.
 */
export function takeFocus({ target, currentTarget }: { target: EventTarget; currentTarget: HTMLElement }) {
  if (!(target instanceof Element)) return;
  // A text field keeps its own selection, and its own focus.
  if (target.closest('input, textarea, [contenteditable="true"]') !== null) return;
  getSelection()?.removeAllRanges();
  if (target.closest('a, button, .react-flow__node, .react-flow__edge') === null)
    currentTarget.focus({ preventScroll: true });
}

/** After the focused part was deleted the keys still apply to the drawing. */
export function keepFocus(canvas: HTMLElement | null): void {
  if (document.activeElement === document.body) canvas?.focus({ preventScroll: true });
}

/** Selects the node or link that is reached by Tab, so that arrows, Delete and L apply to it. */
export function selectFocused({ target }: { target: EventTarget }): void {
  if (!(target instanceof Element) || !target.matches(':focus-visible')) return;
  const id = target.getAttribute('data-id');
  if (id === null) return;
  const { selection } = useLabStore.getState();
  const annotationId = annotationIdOf(id);
  if (annotationId !== undefined) {
    if (selection.annotations?.includes(annotationId) !== true) {
      select({ nodes: [], links: [], annotations: [annotationId] });
    }
  } else if (target.classList.contains('react-flow__node') && !selection.nodes.includes(id)) {
    select({ nodes: [id], links: [] });
  } else if (target.classList.contains('react-flow__edge') && !selection.links.includes(id)) {
    select({ nodes: [], links: [id] });
  }
}

/** Enter presses what has the focus: it must not be led elsewhere before. */
const isPressable = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('button, a') !== null;

export function onCanvasKey(event: KeyboardEvent, context: Pick<CommandContext, 't'>): void {
  if (
    event.target instanceof Element &&
    event.target.closest('input, textarea, [role="dialog"], [role="menu"]') !== null
  ) {
    return;
  }
  const { selection } = useLabStore.getState();
  const command = event.ctrlKey || event.metaKey;
  if (event.key === 'Delete' || event.key === 'Backspace') {
    sealHistory();
    removeAndNotify(context);
    event.preventDefault();
  } else if (event.key === 'Escape') {
    select(emptySelection);
  } else if (
    event.key === 'Enter' &&
    !command &&
    selectedCount(selection) > 0 &&
    !isPressable(event.target)
  ) {
    showPage('selection');
    // Moves the focus straight to the inspector's fields: Tab would select every card on the way. Escape returns.
    const [node] = selection.nodes;
    const [link] = selection.links;
    const [annotation] = selection.annotations ?? [];
    if (node !== undefined) focusField(`node.${node}.name`);
    else if (link !== undefined) focusField(`link.${link}.bandwidthMbps`);
    else if (annotation !== undefined) focusField(`annotation.${annotation}.text`);
  } else if (!command && isTyped('l', event) && selection.nodes.length === 1) {
    connectFrom(selection.nodes[0]);
    event.preventDefault();
  }
}
