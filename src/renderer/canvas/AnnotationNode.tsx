/** A note or a coloured area on the drawing: edited after a double click, resized by its corners. */
import { NodeResizer, type NodeProps } from '@xyflow/react';
import { IconLock } from '@tabler/icons-react';
import { memo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { typedParagraphs } from '../../shared/base/plain-text.ts';
import { Annotation, maxAnnotationLength } from '../../shared/lab/annotation.ts';
import {
  changeAnnotation,
  gridStep,
  sealHistory,
  useLabStore,
  useViewStore,
  writeOn,
  flowIdOf,
} from '../state/index.ts';
import { annotationColour } from '../theme/index.ts';
import classes from './AnnotationNode.module.css';
import { useCarried } from './carried.ts';
import { canvasId } from './canvas-id.ts';
import { type AnnotationNode as FlowAnnotation } from './flow-parts.ts';

export const AnnotationNode = memo(function AnnotationNode({ data, selected }: NodeProps<FlowAnnotation>) {
  const { t } = useTranslation();
  const { annotation } = data;
  const { id, kind, text, locked, colour } = annotation;
  const place = useRef<HTMLDivElement>(null);
  useCarried(flowIdOf(id), place);
  const isWriting = useViewStore((state) => state.writing === id);
  const isAlone = useLabStore(
    ({ selection }) => selection.nodes.length + (selection.annotations?.length ?? 0) === 1,
  );
  const hint = t(kind === 'note' ? 'canvas.annotation.writeNote' : 'canvas.annotation.writeLabel');
  return (
    <div
      ref={place}
      className={classes.annotation}
      data-kind={kind}
      data-selected={selected}
      style={{ '--annotation-colour': annotationColour(colour) } as React.CSSProperties}
    >
      {selected && isAlone && locked !== true && (
        <NodeResizer
          minWidth={2 * gridStep}
          minHeight={2 * gridStep}
          maxWidth={maxAnnotationLength}
          maxHeight={maxAnnotationLength}
          lineClassName={classes.edge ?? ''}
          handleClassName={classes.corner ?? ''}
          onResizeEnd={(_event, { x, y, width, height }) =>
            changeAnnotation(id, {
              position: { x, y },
              size: { width: Math.round(width), height: Math.round(height) },
            })
          }
        />
      )}
      <div className={classes.shape}>
        {isWriting ? (
          <textarea
            autoFocus
            // Inside the text field, dragging selects text and the wheel scrolls it.
            className={`${classes.text} ${classes.writing} nodrag nopan nowheel`}
            aria-label={hint}
            placeholder={hint}
            maxLength={Annotation.shape.text.maxLength ?? 4000}
            value={text}
            spellCheck={false}
            onFocus={(event) => event.currentTarget.setSelectionRange(text.length, text.length)}
            onChange={(event) =>
              changeAnnotation(id, { text: typedParagraphs(event.currentTarget.value) }, 'text')
            }
            onBlur={() => {
              sealHistory();
              if (useViewStore.getState().writing === id) writeOn(undefined);
            }}
            onKeyDown={(event) => {
              // An input method takes this key.
              if (event.nativeEvent.isComposing) return;
              if (event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))) {
                event.preventDefault();
                event.stopPropagation();
                const card = event.currentTarget.closest<HTMLElement>('.react-flow__node');
                writeOn(undefined);
                (card ?? document.getElementById(canvasId))?.focus();
              }
            }}
          />
        ) : (
          <div className={classes.text} data-empty={text === '' || undefined}>
            {text === '' ? hint : text}
          </div>
        )}
        {locked === true && (
          <span
            className={classes.lock}
            role="img"
            aria-label={t('canvas.locked')}
            title={t('canvas.locked')}
          >
            <IconLock size={12} aria-hidden />
          </span>
        )}
      </div>
    </div>
  );
});
