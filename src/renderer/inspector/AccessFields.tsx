/** How a node is reached: this computer, or a machine over SSH. */
import { SegmentedControl, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Access, JumpHost, type Authentication, type LabNode } from '../../shared/lab.ts';
import { editLab } from '../state/index.ts';
import { ChoiceField, FieldGroup, FieldRow, NumberField, TextField } from './fields.tsx';
import { useFieldIssue } from './issue-words.ts';

type SshAccess = Extract<Access, { type: 'ssh' }>;
const Ssh = Access.options[1].shape;
const KeyFile = Ssh.authentication.options[1].shape.keyFile;

const newSsh: SshAccess = {
  type: 'ssh',
  host: '',
  port: 22,
  user: '',
  authentication: { method: 'agent' },
};

export function AccessFields({ node, path }: { node: LabNode; path: string }) {
  const { t } = useTranslation();
  const { access } = node;
  const set = (next: Access, field: string): void =>
    editLab({ type: 'node', nodeId: node.id, change: { access: next } }, `node.${node.id}.access.${field}`);
  return (
    <FieldGroup title={t('inspector.access.title')}>
      <SegmentedControl
        fullWidth
        aria-label={t('inspector.access.title')}
        value={access.type}
        data={[
          { value: 'local', label: t('inspector.access.local') },
          { value: 'ssh', label: t('inspector.access.ssh') },
        ]}
        onChange={(type) => {
          if (type !== access.type) set(type === 'ssh' ? newSsh : { type: 'local' }, 'type');
        }}
      />
      {access.type === 'ssh' && <SshFields node={node} access={access} path={path} set={set} />}
    </FieldGroup>
  );
}

function withoutJump({ jump, ...direct }: SshAccess): SshAccess {
  return jump === undefined ? { ...direct } : direct;
}

function SshFields(props: {
  node: LabNode;
  access: SshAccess;
  path: string;
  set: (next: Access, field: string) => void;
}) {
  const { t } = useTranslation();
  const issue = useFieldIssue();
  const { access, set, path } = props;
  const key = `node.${props.node.id}.access`;
  const { jump } = access;
  const toggleJump = (on: boolean): void => {
    set(
      on
        ? { ...access, jump: { host: '', port: 22, user: access.user, authentication: { method: 'agent' } } }
        : withoutJump(access),
      'jump',
    );
  };
  return (
    <>
      <HostFields
        fieldKey={key}
        path={`${path}.access`}
        value={access}
        issue={issue}
        set={(next, field) => set({ ...access, ...next }, field)}
      />
      <Switch
        size="xs"
        label={t('inspector.access.useJump')}
        checked={jump !== undefined}
        onChange={(event) => toggleJump(event.currentTarget.checked)}
      />
      {jump !== undefined && (
        <HostFields
          fieldKey={`${key}.jump`}
          path={`${path}.access.jump`}
          value={jump}
          issue={issue}
          jump
          set={(next, field) => set({ ...access, jump: { ...jump, ...next } }, `jump.${field}`)}
        />
      )}
    </>
  );
}

function HostFields(props: {
  fieldKey: string;
  path: string;
  value: JumpHost;
  jump?: boolean;
  issue: (path: string) => string | undefined;
  set: (next: Partial<JumpHost>, field: string) => void;
}) {
  const { t } = useTranslation();
  const { fieldKey, path, value, issue, set } = props;
  const of = props.jump === true ? 'jump' : 'access';
  const { authentication } = value;
  const methods: Record<Authentication['method'], Authentication> = {
    agent: { method: 'agent' },
    password: { method: 'password' },
    key: { method: 'key', keyFile: '~/.ssh/id_ed25519' },
  };
  return (
    <>
      <FieldRow>
        <TextField
          fieldKey={`${fieldKey}.host`}
          path={`${path}.host`}
          label={t(`inspector.${of}.host`)}
          placeholder="192.0.2.10"
          value={value.host}
          schema={JumpHost.shape.host}
          issue={issue(`${path}.host`)}
          onChange={(host) => set({ host }, 'host')}
        />
        <NumberField
          fieldKey={`${fieldKey}.port`}
          label={t(`inspector.${of}.port`)}
          value={value.port}
          schema={JumpHost.shape.port}
          onChange={(port) => set({ port }, 'port')}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          fieldKey={`${fieldKey}.user`}
          path={`${path}.user`}
          label={t(`inspector.${of}.user`)}
          placeholder="root"
          value={value.user}
          schema={JumpHost.shape.user}
          issue={issue(`${path}.user`)}
          onChange={(user) => set({ user }, 'user')}
        />
        <ChoiceField
          fieldKey={`${fieldKey}.method`}
          label={t(`inspector.${of}.authentication`)}
          value={authentication.method}
          choices={(['agent', 'password', 'key'] as const).map((method) => ({
            value: method,
            label: t(`inspector.method.${method}`),
          }))}
          onChange={(method) => set({ authentication: methods[method] }, 'method')}
        />
      </FieldRow>
      {authentication.method === 'key' && (
        <TextField
          fieldKey={`${fieldKey}.keyFile`}
          path={`${path}.authentication.keyFile`}
          label={t(`inspector.${of}.keyFile`)}
          value={authentication.keyFile}
          schema={KeyFile}
          issue={issue(`${path}.authentication.keyFile`)}
          onChange={(keyFile) => set({ authentication: { method: 'key', keyFile } }, 'keyFile')}
        />
      )}
    </>
  );
}
