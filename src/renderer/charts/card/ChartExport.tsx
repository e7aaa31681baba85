/** Exports a chart: as a picture, or as its points. */
import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { memo, useEffect, useId, useRef, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../../api/index.ts';
import { asRinglabError, report } from '../../state/index.ts';
import { fileName, saveFile, svgToPng } from '../../ui/index.ts';
import type { Axis } from '../scale/axis.ts';
import classes from './ChartExport.module.css';
import { exportKinds, offerChart, type ExportKind } from './exportable.ts';
import { chartCsv, chartSvg, type ExportedLine } from './chart-export.ts';

export interface ChartExportProps {
  readonly figure: RefObject<HTMLElement | null>;
  readonly title: string;
  /** Read when the user exports: they change with every point. All of their points, where the chart can ask for them. */
  readonly lines: () => Promise<readonly ExportedLine[]>;
  readonly axis: Axis;
}

export const ChartExport = memo(function ChartExport({ figure, title, lines, axis }: ChartExportProps) {
  const { t } = useTranslation();
  const api = useApi();
  const label = t('charts.export', { chart: title });
  const name = fileName(title.replaceAll(/[\\/:*?"<>|\s]+/g, '-'));
  const svg = (): string | undefined => {
    const drawn = figure.current?.querySelector<SVGSVGElement>('svg.recharts-surface');
    if (drawn === null || drawn === undefined) return undefined;
    const shown = [...(figure.current?.querySelectorAll<HTMLElement>('button[data-legend]') ?? [])]
      .filter((item) => item.getAttribute('aria-pressed') === 'true')
      .map((item) => {
        const stroke = item.querySelector('line');
        return {
          name: item.dataset.legend ?? '',
          colour: stroke === null ? '#000' : getComputedStyle(stroke).stroke,
        };
      });
    return chartSvg(drawn, title, shown);
  };
  const made = async (kind: ExportKind): Promise<Blob | undefined> => {
    if (kind === 'csv') return new Blob([chartCsv(await lines(), axis)], { type: 'text/csv' });
    const text = svg();
    if (text === undefined) return undefined;
    return kind === 'svg' ? new Blob([text], { type: 'image/svg+xml' }) : await svgToPng(text);
  };
  const save = async (kind: ExportKind): Promise<void> => {
    try {
      const content = await made(kind);
      if (content !== undefined) await saveFile(api, t, `${name}.${kind}`, content);
    } catch (error) {
      report(asRinglabError(error));
    }
  };
  const id = useId();
  const saveNow = useRef(save);
  saveNow.current = save;
  useEffect(() => offerChart({ id, title, save: (kind) => void saveNow.current(kind) }), [id, title]);
  return (
    <Menu position="bottom-end" zIndex={320} withInitialFocusPlaceholder={false} width={150}>
      <Menu.Target>
        <Tooltip label={label} position="bottom">
          <ActionIcon className={classes.enlarge ?? ''} size={24} aria-label={label}>
            <IconDownload size={13} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {exportKinds.map((kind) => (
          <Menu.Item key={kind} onClick={() => void save(kind)}>
            {t(`charts.as.${kind}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
});
