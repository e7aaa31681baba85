/** The drawing as a picture, in the window's current colours. */
import type { TFunction } from 'i18next';
import { RinglabError } from '../../shared/base/errors.ts';
import { cardSize } from '../../shared/drawing/card-size.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { toPicture, type Picture } from '../../shared/drawing/picture.ts';
import { annotationToken } from '../theme/index.ts';
import { hardwareNow, pngScale, shownName, svgToPng } from '../ui/index.ts';

export function pictureOf(lab: LabDocument, t: TFunction): Picture {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  return toPicture(lab, {
    style: {
      background: token('--rl-canvas'),
      panel: token('--rl-panel'),
      border: token('--rl-border-strong'),
      text: token('--rl-text'),
      dim: token('--rl-dim'),
      // Picture files cannot use the window's own typeface.
      font: "system-ui, 'Noto Sans SC', sans-serif",
    },
    facts: (node) => hardwareNow(lab, node, t) ?? t(`lab.kind.${node.kind}`),
    noteColour: (colour) => token(annotationToken(colour)),
  });
}

/** A card that is narrower in a PNG cannot be recognised, in its pixels. */
const minCard = 30;

/** @throws picture_too_long where a PNG would show nothing, mostly as one node lies far from the others */
export function checkPng(lab: LabDocument, { width, height }: Omit<Picture, 'svg'>, t: TFunction): void {
  if (pngScale({ width, height }) * cardSize.width >= minCard) return;
  throw new RinglabError('picture_too_long', { width, height, name: outermost(lab, t) });
}

/** What lies farthest from the middle one of all. */
function outermost({ nodes, annotations = [] }: LabDocument, t: TFunction): string {
  const parts = [
    ...nodes.map(({ name, position }) => ({ name: shownName(name, t), position })),
    ...annotations.map(({ text, kind, position }) => ({
      name:
        text.trim() === ''
          ? t(`canvas.annotation.kind.${kind}`)
          : text.trim().replace(/\s+/g, ' ').slice(0, 60),
      position,
    })),
  ];
  const middle = (axis: 'x' | 'y'): number =>
    parts.map(({ position }) => position[axis]).toSorted((a, b) => a - b)[Math.floor(parts.length / 2)] ?? 0;
  const [x, y] = [middle('x'), middle('y')];
  const distances = parts.map(({ position }) => Math.hypot(position.x - x, position.y - y));
  return parts[distances.indexOf(Math.max(...distances))]?.name ?? '';
}

export async function pngOf(lab: LabDocument, t: TFunction): Promise<Blob> {
  const picture = pictureOf(lab, t);
  checkPng(lab, picture, t);
  return svgToPng(picture.svg);
}
