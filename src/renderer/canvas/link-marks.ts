/** The words that stand beside a link's numbers: that it is down, the bottleneck, or in part only drawn. */
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useBottleneckLink, useIsDrawnOnly, useLinkStates } from '../state/index.ts';

export type LinkMarks = (linkId: string) => string[];

/** Keeps its identity while no link's state changes. */
export function useLinkMarks(): LinkMarks {
  const { t } = useTranslation();
  const bottleneck = useBottleneckLink();
  const links = useLinkStates();
  const isDrawnOnly = useIsDrawnOnly();
  return useCallback(
    (linkId) => {
      const state = links?.find((link) => link.linkId === linkId);
      const marks: string[] = [];
      if (state?.down === true) marks.push(t('canvas.linkDown'));
      if (linkId === bottleneck) marks.push(t('canvas.bottleneck'));
      if (isDrawnOnly) marks.push(t('canvas.notEmulated'));
      else if (state !== undefined && state.lacking.length > 0) {
        const properties = state.lacking.map((name) => t(`inspector.network.property.${name}`));
        marks.push(t('canvas.lacking', { properties: properties.join(', ') }));
      }
      return marks;
    },
    [t, bottleneck, links, isDrawnOnly],
  );
}
