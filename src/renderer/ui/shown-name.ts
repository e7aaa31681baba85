/** How a lab or a node is called in lists: a name may be empty. */
import type { TFunction } from 'i18next';

export const shownName = (name: string, t: TFunction): string =>
  name.trim() === '' ? t('canvas.unnamed') : name;
