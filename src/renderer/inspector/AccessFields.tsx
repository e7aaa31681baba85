/** Fields for how a node is reached: this computer, or a machine over SSH. */
import { SegmentedControl, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  Access,
  JumpHost,
  maxJumpHosts,
  type Authentication,
  type SshAccess,
} from '../../shared/lab/access.ts';
import type { LabNode } from '../../shared/lab/lab.ts';
import { asOneStep, editLab, useLabId } from '../state/index.ts';
import { ChoiceField, FieldGroup, FieldRow, NumberField, TextField, useRequestedFocus } from '../ui/index.ts';
import { useFieldIssue } from '../ui/index.ts';
import { keptValues } from './kept-values.ts';

const Ssh = Access.options[1].shape;
const KeyFile = Ssh.authentication.options[1].shape.keyFile;
const Socket = Ssh.authentication.options[2].shape.socket.unwrap();

const newSsh: SshAccess = {
  type: 'ssh',
  host: '',
  port: 22,
  user: '',
  authentication: { method: 'agent' },
};

/** Logins of nodes that are this computer for now. */
const kept = keptValues<SshAccess>();

export function AccessFields({ node, path }: { node: LabNode; path: string }) {
  const { t } = useTranslation();
  const { access } = node;
  const labId = useLabId();
  const focusable = useRequestedFocus({ fieldKey: `node.${node.id}.access`, path: `${path}.access` });
  const set = (next: Access, field: string): void =>
    editLab({ type: 'node', nodeId: node.id, change: { access: next } }, `node.${node.id}.access.${field}`);
  return (
    <FieldGroup title={t('inspector.access.title')}>
      <SegmentedControl
        {...focusable}
        fullWidth
        aria-label={t('inspector.access.title')}
        value={access.type}
        data={[
          { value: 'local', label: t('inspector.access.local') },
          { value: 'ssh', label: t('inspector.access.ssh') },
        ]}
        onChange={(type) => {
          if (type === access.type) return;
          const place = `${labId} node.${node.id}`;
          if (access.type === 'ssh') kept.keep(place, access);
          asOneStep(() => set(type === 'ssh' ? (kept.of(place) ?? newSsh) : { type: 'local' }, 'type'));
        }}
      />
      {access.type === 'ssh' && (
        <SshFields fieldKey={`node.${node.id}.access`} path={`${path}.access`} access={access} set={set} />
      )}
    </FieldGroup>
  );
}

function withoutJump<Way extends { readonly jump?: unknown }>({ jump, ...direct }: Way): Omit<Way, 'jump'> {
  return jump === undefined ? { ...direct } : direct;
}

/** Host, user and authentication of a machine that is reached over SSH, with its jump hosts. */
export function SshFields(props: {
  fieldKey: string;
  /** In the lab's document. */
  path: string;
  access: SshAccess;
  set: (next: SshAccess, field: string) => void;
}) {
  const issue = useFieldIssue();
  const { access, set, path, fieldKey } = props;
  return (
    <>
      <HostFields
        fieldKey={fieldKey}
        path={path}
        value={access}
        issue={issue}
        set={(next, field) => set({ ...access, ...next }, field)}
      />
      <JumpFields
        fieldKey={fieldKey}
        path={path}
        jump={access.jump}
        behind={0}
        user={access.user}
        issue={issue}
        set={(jump, field) => set(jump === undefined ? withoutJump(access) : { ...access, jump }, field)}
      />
    </>
  );
}

/** Jump hosts that are switched off, and key files and agents while another way to log in is chosen. */
const keptJumps = keptValues<JumpHost>();
const keptLogins = keptValues<Authentication>();

/** The jump host of a jump host, recursively: such a chain is OpenSSH's `ProxyJump first,second`. */
function JumpFields(props: {
  fieldKey: string;
  path: string;
  jump: JumpHost | undefined;
  /** The number of jump hosts between this one and the node. */
  behind: number;
  user: string;
  issue: (path: string) => string | undefined;
  set: (jump: JumpHost | undefined, field: string) => void;
}) {
  const { t } = useTranslation();
  const { jump, behind, set, user, issue } = props;
  const fieldKey = `${props.fieldKey}.jump`;
  const path = `${props.path}.jump`;
  const place = `${useLabId()} ${fieldKey}`;
  const choose = (through: boolean): void => {
    if (jump !== undefined) keptJumps.keep(place, jump);
    set(
      through
        ? (keptJumps.of(place) ?? { host: '', port: 22, user, authentication: { method: 'agent' } })
        : undefined,
      'jump',
    );
  };
  return (
    <>
      <Switch
        size="xs"
        label={
          behind === 0
            ? t('inspector.access.useJump')
            : t('inspector.access.useJumpBefore', { count: behind })
        }
        checked={jump !== undefined}
        onChange={({ currentTarget }) => asOneStep(() => choose(currentTarget.checked))}
      />
      {jump !== undefined && (
        <>
          <HostFields
            fieldKey={fieldKey}
            path={path}
            value={jump}
            issue={issue}
            jump={behind + 1}
            set={(next, field) => set({ ...jump, ...next }, `jump.${field}`)}
          />
          {behind + 1 < maxJumpHosts && (
            <JumpFields
              fieldKey={fieldKey}
              path={path}
              jump={jump.jump}
              behind={behind + 1}
              user={jump.user}
              issue={issue}
              set={(before, field) =>
                set(before === undefined ? withoutJump(jump) : { ...jump, jump: before }, `jump.${field}`)
              }
            />
          )}
        </>
      )}
    </>
  );
}

const newLogins: Record<Authentication['method'], Authentication> = {
  agent: { method: 'agent' },
  password: { method: 'password' },
  key: { method: 'key', keyFile: '~/.ssh/id_ed25519' },
};

function HostFields(props: {
  fieldKey: string;
  path: string;
  value: JumpHost;
  /** Its position in the chain of jump hosts; 1 is next to the node. */
  jump?: number;
  issue: (path: string) => string | undefined;
  set: (next: Partial<JumpHost>, field: string) => void;
}) {
  const { t } = useTranslation();
  const { fieldKey, path, value, issue, set } = props;
  const of = props.jump === undefined ? 'access' : 'jump';
  const number = (props.jump ?? 1) > 1 ? ` ${props.jump}` : '';
  const { authentication } = value;
  const place = `${useLabId()} ${fieldKey}`;
  const setLogin = (next: Authentication, field: string): void => set({ authentication: next }, field);
  return (
    <>
      <FieldRow>
        <TextField
          fieldKey={`${fieldKey}.host`}
          path={`${path}.host`}
          label={`${t(`inspector.${of}.host`)}${number}`}
          placeholder="192.0.2.10"
          value={value.host}
          schema={JumpHost.shape.host}
          issue={issue(`${path}.host`)}
          onChange={(host) => set({ host }, 'host')}
        />
        <NumberField
          fieldKey={`${fieldKey}.port`}
          label={`${t(`inspector.${of}.port`)}${number}`}
          value={value.port}
          schema={JumpHost.shape.port}
          onChange={(port) => set({ port }, 'port')}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          fieldKey={`${fieldKey}.user`}
          path={`${path}.user`}
          label={`${t(`inspector.${of}.user`)}${number}`}
          placeholder="root"
          value={value.user}
          schema={JumpHost.shape.user}
          issue={issue(`${path}.user`)}
          onChange={(user) => set({ user }, 'user')}
        />
        <ChoiceField
          fieldKey={`${fieldKey}.method`}
          path={`${path}.authentication`}
          issue={issue(`${path}.authentication`)}
          label={`${t(`inspector.${of}.authentication`)}${number}`}
          value={authentication.method}
          choices={(['agent', 'password', 'key'] as const).map((method) => ({
            value: method,
            label: t(`inspector.method.${method}`),
          }))}
          onChange={(method) => {
            if (method === authentication.method) return;
            keptLogins.keep(`${place} ${authentication.method}`, authentication);
            setLogin(keptLogins.of(`${place} ${method}`) ?? newLogins[method], 'method');
          }}
        />
      </FieldRow>
      {authentication.method === 'key' && (
        <TextField
          fieldKey={`${fieldKey}.keyFile`}
          path={`${path}.authentication.keyFile`}
          label={`${t(`inspector.${of}.keyFile`)}${number}`}
          value={authentication.keyFile}
          schema={KeyFile}
          issue={issue(`${path}.authentication.keyFile`)}
          onChange={(keyFile) => setLogin({ method: 'key', keyFile }, 'keyFile')}
        />
      )}
      {authentication.method === 'agent' && (
        <TextField
          fieldKey={`${fieldKey}.socket`}
          path={`${path}.authentication.socket`}
          label={`${t(`inspector.${of}.socket`)}${number}`}
          placeholder="SSH_AUTH_SOCK"
          value={authentication.socket ?? ''}
          schema={Socket}
          issue={issue(`${path}.authentication.socket`)}
          onChange={(socket) =>
            setLogin(socket === '' ? { method: 'agent' } : { method: 'agent', socket }, 'socket')
          }
        />
      )}
    </>
  );
}
