/** The drawing as a picture, in the window's current colours. */
import type { TFunction } from 'i18next';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { toPicture, type Picture } from '../../shared/drawing/picture.ts';
import { annotationToken } from '../theme/index.ts';
import { hardwareNow } from '../ui/index.ts';

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
