/** The parts of a run's report about its lab: the drawing, the links, and what the doctor said of failed ranks. */
import type { Language } from '../../../shared/base/language.ts';
import { escapeMarkup } from '../../../shared/base/markup.ts';
import { drawnParts, linkLabel } from '../../../shared/drawing/part-labels.ts';
import { toPicture } from '../../../shared/drawing/picture.ts';
import type { AnnotationColour } from '../../../shared/lab/annotation.ts';
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';

/** Colours of the report's page, which follow the reader's light or dark setting. */
const style = {
  ...{ background: 'var(--ground)', panel: 'var(--raised)', border: 'var(--edge)', text: 'var(--ink)' },
  ...{ dim: 'var(--dim)', font: 'inherit' },
};

/** Readable on both grounds, as outlines and faint fills. */
const noteColours: Readonly<Record<AnnotationColour, string>> = {
  ...{
    yellow: '#b98a00',
    blue: '#2f7fc1',
    green: '#1f9e78',
    red: '#d0543c',
    violet: '#7568cf',
    grey: '#7b8494',
  },
};

/** The lab as it was drawn when the run started; empty without nodes. */
export function labDrawing(lab: LabDocument, label: string): string {
  if (lab.nodes.length === 0) return '';
  const facts = (node: LabNode): string =>
    node.access.type === 'ssh' ? node.access.host : (drawnParts(node) ?? '');
  return `<div class="drawing" role="img" aria-label="${escapeMarkup(label)}">${toPicture(lab, { style, facts, noteColour: (colour) => noteColours[colour] }).svg}</div>`;
}

/** A row for each drawn link: its ends and its numbers. */
export function linkRows(lab: LabDocument): readonly (readonly [string, string])[] {
  const nameOf = (id: string): string => lab.nodes.find((node) => node.id === id)?.name ?? id;
  return lab.links.map((link) => [`${nameOf(link.ends[0])} – ${nameOf(link.ends[1])}`, linkLabel(link)]);
}

/** A row for each failed rank whose failure was recognised: the likeliest cause, and what to do. */
export function diagnosisRows(run: RunRecord, language: Language): readonly (readonly [string, string])[] {
  return run.ranks.flatMap(({ rank, nodeName, diagnoses }) => {
    const likeliest = diagnoses?.[0];
    return likeliest === undefined
      ? []
      : [
          [
            `Rank ${rank} · ${nodeName}`,
            `${likeliest.cause[language]}\n${likeliest.remedy[language]}`,
          ] as const,
        ];
  });
}
