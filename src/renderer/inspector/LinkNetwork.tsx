/** The state of a drawn link: emulated or not, what cannot be emulated, measured values, and current traffic. */
import { Button } from '@mantine/core';
import { IconPlug, IconPlugOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { LabDocument, LabLink } from '../../shared/lab/lab.ts';
import { useApi } from '../api/index.ts';
import { putLink } from '../commands/index.ts';
import { useLinkState, useLinkTraffic, useNetworkState } from '../state/index.ts';
import { FieldGroup } from '../ui/index.ts';
import classes from './Inspector.module.css';

export function LinkNetwork({ lab, link }: { lab: LabDocument; link: LabLink }) {
  const { t } = useTranslation();
  const api = useApi();
  const network = useNetworkState(lab.id);
  const state = useLinkState(link.id);
  const traffic = useLinkTraffic(link.id);
  if (network === undefined) return null;
  const nameOf = (id: string): string => lab.nodes.find((node) => node.id === id)?.name ?? id;
  const [a, b] = [nameOf(link.ends[0]), nameOf(link.ends[1])];
  const isReal = state?.emulated === true;
  const reason = network.reason ?? 'not_raised';
  const isDown = state?.down === true;
  const lacking = (state?.lacking ?? []).map((name) => t(`inspector.network.property.${name}`)).join(', ');
  const paths = network.paths.filter((path) => path.linkIds.includes(link.id));
  return (
    <FieldGroup title={t('inspector.network.title')}>
      <p className={classes.hint}>
        {isReal
          ? t(isDown ? 'inspector.network.down' : 'inspector.network.emulated')
          : t(`inspector.network.reason.${reason}`, { detail: network.detail ?? '' })}
      </p>
      {lacking !== '' && (
        <p className={classes.error}>{t('inspector.network.lacking', { properties: lacking })}</p>
      )}
      {traffic !== undefined && !isDown && (
        <p className={classes.hint}>
          {t('inspector.network.traffic', {
            a,
            b,
            forward: (traffic.forward / 1e6).toFixed(1),
            back: (traffic.back / 1e6).toFixed(1),
          })}
        </p>
      )}
      {paths.map((path) => (
        <p key={`${path.from} ${path.to}`} className={classes.hint}>
          {t('inspector.network.measured', {
            from: nameOf(path.from),
            to: nameOf(path.to),
            mbps: round(path.measuredMbps),
            rtt: round(path.measuredRttMs),
            drawnMbps: round(path.drawnMbps),
            drawnRtt: round(path.drawnRttMs),
          })}
        </p>
      ))}
      {isReal && (
        <div className={classes.buttons}>
          <Button
            variant="default"
            leftSection={isDown ? <IconPlug size={14} /> : <IconPlugOff size={14} />}
            onClick={() => putLink(api, lab.id, link.id, !isDown)}
          >
            {t(isDown ? 'inspector.network.mend' : 'inspector.network.cut')}
          </Button>
        </div>
      )}
    </FieldGroup>
  );
}

/** Three significant digits, at most two decimals. */
const round = (value: number): string => String(Number(value >= 1 ? value.toPrecision(3) : value.toFixed(2)));
