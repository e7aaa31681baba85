/** The fields of several selected nodes and links: a change applies to all of them, as one undo step. */
import { ActionIcon, Button, Checkbox, Tooltip } from '@mantine/core';
import { IconCopyPlus, IconTrash } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { LabLink, LabNode, NodeKind, Placement } from '../../shared/lab/lab.ts';
import { commandOf, removeAndNotify, useCommandContext, type CommandId } from '../commands/index.ts';
import {
  changeLinks,
  changeNodes,
  dropDraft,
  duplicateSelected,
  useDraftStore,
  useLabStore,
  useNetworkState,
} from '../state/index.ts';
import { AnnotationsFields } from './AnnotationPanel.tsx';
import { ChoiceField, FieldGroup, FieldRow, NumberField, TextField } from '../ui/index.ts';
import classes from './Inspector.module.css';

export function SeveralPanel() {
  const { t } = useTranslation();
  const lab = useLabStore((state) => state.lab);
  const selection = useLabStore((state) => state.selection);
  // Drafts of invalid values belong to this selection only.
  useEffect(() => dropSeveralDrafts, [selection]);
  if (lab === undefined) return null;
  const [nodeIds, linkIds] = [new Set(selection.nodes), new Set(selection.links)];
  const nodes = lab.nodes.filter((node) => nodeIds.has(node.id));
  const links = lab.links.filter((link) => linkIds.has(link.id));
  const { annotations = [] } = selection;
  return (
    <>
      <div className={classes.several}>
        <p>
          {t('inspector.lab.nodes', { count: nodes.length })},{' '}
          {t('inspector.lab.links', { count: links.length })}
          {annotations.length > 0 && `, ${t('inspector.annotation.count', { count: annotations.length })}`}
        </p>
        <div className={classes.buttons}>
          <Button
            variant="default"
            disabled={nodes.length + annotations.length === 0}
            leftSection={<IconCopyPlus size={14} />}
            onClick={duplicateSelected}
          >
            {t('inspector.several.duplicate')}
          </Button>
          <Button
            variant="subtle"
            color="red"
            leftSection={<IconTrash size={14} />}
            onClick={() => removeAndNotify({ t })}
          >
            {t('inspector.several.delete')}
          </Button>
        </div>
      </div>
      {nodes.length > 1 && <Arrange />}
      {nodes.length > 0 && <NodesFields nodes={nodes} />}
      {links.length > 0 && <LinksFields links={links} />}
      {annotations.length > 0 && <AnnotationsFields ids={annotations} />}
    </>
  );
}

function dropSeveralDrafts(): void {
  for (const key of Object.keys(useDraftStore.getState().drafts)) {
    if (key.startsWith('several.')) dropDraft(key);
  }
}

/** The value that all share, or undefined if they differ. */
function common<T, V>(list: readonly T[], of: (item: T) => V): V | undefined {
  const [first, ...rest] = list.map(of);
  return rest.every((value) => value === first) ? first : undefined;
}

const arrangements: readonly CommandId[] = [
  'align_left',
  'align_centre',
  'align_right',
  'align_top',
  'align_middle',
  'align_bottom',
  'distribute_x',
  'distribute_y',
  'layout_chain',
  'layout_ring',
  'layout_star',
  'layout_grid',
  'layout_layered',
];

const linkCommands = ['takeLinkDown', 'bringLinkUp'] as const satisfies readonly CommandId[];

function Arrange() {
  const { t } = useTranslation();
  const context = useCommandContext();
  return (
    <FieldGroup title={t('inspector.several.arrange')}>
      <div className={classes.arrange}>
        {arrangements.map(commandOf).map(({ id, Icon, run, isPossible }) => (
          <Tooltip key={id} label={t(`commands.name.${id}`)}>
            <ActionIcon
              aria-label={t(`commands.name.${id}`)}
              disabled={isPossible?.() === false}
              onClick={() => run(context)}
            >
              <Icon size={16} />
            </ActionIcon>
          </Tooltip>
        ))}
      </div>
    </FieldGroup>
  );
}

function NodesFields({ nodes }: { nodes: readonly LabNode[] }) {
  const { t } = useTranslation();
  const machines = nodes.filter((node) => node.kind !== 'switch');
  const kind = common(nodes, (node) => node.kind);
  const change = <Name extends keyof Placement>(name: Name, value: Placement[Name]): void =>
    changeNodes(
      machines.map((node) => ({
        id: node.id,
        change: { placement: { ...node.placement, [name]: value } },
      })),
      `several.nodes.${name}`,
    );
  const place = (name: 'cpus' | 'memoryGb' | 'diskGb', unit?: string) => (
    <NumberField
      fieldKey={`several.nodes.${name}`}
      label={t(`inspector.placement.${name}`)}
      value={common(machines, (node) => node.placement[name])}
      schema={Placement.shape[name]}
      onChange={(value) => change(name, value)}
      {...(unit === undefined ? {} : { unit })}
    />
  );
  const text = (name: 'region' | 'pool' | 'image') => (
    <TextField
      fieldKey={`several.nodes.${name}`}
      label={t(`inspector.placement.${name}`)}
      value={common(machines, (node) => node.placement[name])}
      schema={Placement.shape[name]}
      onChange={(value) => change(name, value)}
    />
  );
  return (
    <FieldGroup title={t('inspector.several.nodes')}>
      <FieldRow>
        <ChoiceField
          fieldKey="several.nodes.kind"
          label={t('inspector.node.kind')}
          value={kind ?? ''}
          choices={[
            ...(kind === undefined ? [{ value: '' as const, label: t('inspector.several.mixed') }] : []),
            ...NodeKind.options.map((value) => ({ value, label: t(`lab.kind.${value}`) })),
          ]}
          onChange={(value) => {
            if (value !== '') changeNodes(nodes.map((node) => ({ id: node.id, change: { kind: value } })));
          }}
        />
        <TextField
          fieldKey="several.nodes.group"
          label={t('inspector.group')}
          value={common(nodes, (node) => node.group ?? '')}
          schema={LabNode.shape.name}
          onChange={(group) =>
            changeNodes(
              nodes.map((node) => ({ id: node.id, change: { group } })),
              'several.nodes.group',
            )
          }
        />
      </FieldRow>
      {machines.length > 0 && (
        <>
          <FieldRow>
            {text('region')}
            {text('pool')}
          </FieldRow>
          <FieldRow>
            {text('image')}
            {place('cpus')}
          </FieldRow>
          <FieldRow>
            {place('memoryGb', 'GB')}
            {place('diskGb', 'GB')}
          </FieldRow>
        </>
      )}
      <Checkbox
        size="xs"
        label={t('inspector.locked')}
        checked={nodes.every((node) => node.locked === true)}
        indeterminate={common(nodes, (node) => node.locked === true) === undefined}
        onChange={(event) =>
          changeNodes(nodes.map((node) => ({ id: node.id, change: { locked: event.currentTarget.checked } })))
        }
      />
    </FieldGroup>
  );
}

const linkFields = [
  { name: 'bandwidthMbps', label: 'bandwidth', unit: 'Mbps' },
  { name: 'delayMs', label: 'delay', unit: 'ms' },
  { name: 'lossPercent', label: 'loss', unit: '%' },
] as const;

function LinksFields({ links }: { links: readonly LabLink[] }) {
  const { t } = useTranslation();
  const [bandwidth, delay, loss] = linkFields.map(({ name, label, unit }) => (
    <NumberField
      key={name}
      fieldKey={`several.links.${name}`}
      label={t(`inspector.link.${label}`)}
      unit={unit}
      value={common(links, (link) => link[name])}
      schema={LabLink.shape[name]}
      onChange={(value) =>
        changeLinks(
          links.map((link) => ({ id: link.id, change: { [name]: value } })),
          `several.links.${name}`,
        )
      }
    />
  ));
  return (
    <FieldGroup title={t('inspector.several.links')}>
      {bandwidth}
      <FieldRow>
        {delay}
        {loss}
      </FieldRow>
      <LinkButtons />
    </FieldGroup>
  );
}

/** Take down and bring up the links that are emulated now: both where some are down. */
function LinkButtons() {
  const { t } = useTranslation();
  const context = useCommandContext();
  useNetworkState(useLabStore((state) => state.lab?.id));
  const possible = linkCommands.filter((id) => commandOf(id).isPossible?.() !== false);
  if (possible.length === 0) return null;
  return (
    <div className={classes.buttons}>
      {possible.map((id) => {
        const { Icon, run } = commandOf(id);
        return (
          <Button key={id} variant="default" leftSection={<Icon size={14} />} onClick={() => run(context)}>
            {t(`inspector.several.${id}`)}
          </Button>
        );
      })}
    </div>
  );
}
