/** Imports hosts of `~/.ssh/config` as nodes: chosen from a list, added to the open lab. */
import { Button, Checkbox, Group, Modal, ScrollArea, SegmentedControl, TextInput } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RequestResult } from '../../shared/contract/api.ts';
import { toWireError, type WireError } from '../../shared/base/errors.ts';
import { jumpHosts, type JumpHost } from '../../shared/lab/access.ts';
import type { ConfigHost } from '../../shared/lab/ssh-config.ts';
import { useApi } from '../api/index.ts';
import { ErrorNote } from '../ui/index.ts';
import { addHosts, camera, showDialog, useViewStore } from '../state/index.ts';
import classes from './SshImport.module.css';

export function SshImport() {
  const { t } = useTranslation();
  const opened = useViewStore((state) => state.dialog === 'sshImport');
  return (
    <Modal opened={opened} onClose={() => showDialog(undefined)} title={t('shell.sshImport.title')} size="lg">
      {opened && <Hosts />}
    </Modal>
  );
}

function Hosts() {
  const { t } = useTranslation();
  const api = useApi();
  const [found, setFound] = useState<RequestResult<'ssh.hosts'>>();
  const [error, setError] = useState<WireError>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [filter, setFilter] = useState('');
  const [kind, setKind] = useState<'gpu' | 'cpu'>('gpu');
  useEffect(() => {
    const stop = new AbortController();
    api.call('ssh.hosts', {}, stop.signal).then(setFound, (caught: unknown) => {
      const wire = toWireError(caught);
      if (wire.code !== 'cancelled') setError(wire);
    });
    return () => stop.abort();
  }, [api]);
  const shown = useMemo(
    () =>
      (found?.hosts ?? []).filter(({ alias, host }) =>
        `${alias} ${host}`.toLowerCase().includes(filter.trim().toLowerCase()),
      ),
    [found, filter],
  );
  if (error !== undefined) return <ErrorNote error={error} />;
  if (found === undefined) return <p aria-busy>{t('shell.sshImport.reading')}</p>;
  const all = shown.length > 0 && shown.every(({ alias }) => chosen.has(alias));
  const toggle = (aliases: readonly string[], on: boolean): void => {
    const next = new Set(chosen);
    for (const alias of aliases) {
      if (on) next.add(alias);
      else next.delete(alias);
    }
    setChosen(next);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        addHosts(
          found.hosts.filter(({ alias }) => chosen.has(alias)),
          kind,
          camera()?.middle() ?? { x: 0, y: 0 },
        );
        showDialog(undefined);
        requestAnimationFrame(() => camera()?.showAll());
      }}
    >
      {found.warnings.map(({ kind: warning, file }) => (
        <p key={`${warning} ${file}`} className={classes.warning}>
          {t(`shell.sshImport.warning.${warning}`, { file })}
        </p>
      ))}
      <Group align="flex-end" mb="sm">
        <TextInput
          data-autofocus
          flex={1}
          label={t('shell.sshImport.filter')}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label={t('inspector.node.kind')}
          value={kind}
          onChange={setKind}
          data={[
            { value: 'gpu', label: t('lab.kind.gpu') },
            { value: 'cpu', label: t('lab.kind.cpu') },
          ]}
        />
      </Group>
      <Checkbox
        size="xs"
        mb={6}
        label={t('shell.sshImport.all')}
        checked={all}
        disabled={shown.length === 0}
        onChange={(event) =>
          toggle(
            shown.map(({ alias }) => alias),
            event.currentTarget.checked,
          )
        }
      />
      <ScrollArea.Autosize mah={320} className={classes.list ?? ''}>
        {shown.length === 0 && <p className={classes.none}>{t('shell.sshImport.none')}</p>}
        {shown.map((host) => (
          <Checkbox
            key={host.alias}
            size="xs"
            className={classes.host ?? ''}
            label={host.alias}
            description={wayTo(host)}
            checked={chosen.has(host.alias)}
            onChange={(event) => toggle([host.alias], event.currentTarget.checked)}
          />
        ))}
      </ScrollArea.Autosize>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => showDialog(undefined)}>
          {t('shell.cancel')}
        </Button>
        <Button type="submit" disabled={chosen.size === 0}>
          {t('shell.sshImport.add', { count: chosen.size })}
        </Button>
      </Group>
    </form>
  );
}

/** 'ada@gpu1.example:2222 ← bastion' */
const wayTo = (found: ConfigHost): string =>
  [
    `${found.user}@${found.host}${found.port === 22 ? '' : `:${found.port}`}`,
    ...jumpHosts<JumpHost>(found)
      .map(({ host }) => host)
      .reverse(),
  ].join(' ← ');
