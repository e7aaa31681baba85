/** Labels beside a link's numbers: down, bottleneck, or not fully emulated. */
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useBottleneckLinks, useIsDrawnOnly, useLinkStates } from '../state/index.ts';

export interface Marks {
  readonly state: readonly string[];
  /** The properties that are drawn but not emulated. */
  readonly lacking: string | undefined;
}
export type LinkMarks = (linkId: string) => Marks;

/** The same labels as text, behind a link's numbers. */
export const inWords = ({ state, lacking }: Marks): readonly string[] =>
  lacking === undefined ? state : [...state, lacking];

/** Keeps its identity while no link's state changes. */
export function useLinkMarks(): LinkMarks {
  const { t } = useTranslation();
  const bottlenecks = useBottleneckLinks();
  const links = useLinkStates();
  const isDrawnOnly = useIsDrawnOnly();
  return useCallback(
    (linkId) => {
      const state = links?.find((link) => link.linkId === linkId);
      const states: string[] = [];
      if (state?.down === true) states.push(t('canvas.linkDown'));
      if (bottlenecks.has(linkId)) states.push(t('canvas.bottleneck'));
      if (isDrawnOnly) return { state: states, lacking: t('canvas.notEmulated') };
      if (state === undefined || state.lacking.length === 0) return { state: states, lacking: undefined };
      const properties = state.lacking.map((name) => t(`inspector.network.property.${name}`));
      return { state: states, lacking: t('canvas.lacking', { properties: properties.join(', ') }) };
    },
    [t, bottlenecks, links, isDrawnOnly],
  );
}
