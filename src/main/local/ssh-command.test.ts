import { describe, expect, it } from 'vitest';
import type { SshTarget } from '../ssh/index.ts';
import { sshCommand } from './ssh-command.ts';

const target = (more: Partial<SshTarget>): SshTarget => ({
  labId: 'lab',
  nodeId: 'n1',
  nodeName: 'N1',
  host: 'gpu1.example',
  port: 22,
  user: 'ada',
  authentication: { method: 'agent' },
  ...more,
});

describe('the command to type', () => {
  it('is short without special settings', () => {
    expect(sshCommand(target({}), '/data')).toBe('ssh -- ada@gpu1.example');
  });

  it('includes port, key and jump host, quoted if a shell needs it', () => {
    const jump = { host: 'bastion', port: 2200, user: 'eve', authentication: { method: 'agent' as const } };
    const authentication = { method: 'key' as const, keyFile: '~/.ssh/my key' };
    expect(sshCommand(target({ port: 2222, authentication, jump }), '/data')).toBe(
      "ssh -i ~/'.ssh/my key' -J eve@bastion:2200 -p 2222 -- ada@gpu1.example",
    );
  });

  it('names another agent, whose path ssh would split and expand', () => {
    const authentication = { method: 'agent' as const, socket: '~/Group Containers/50%/t.sock' };
    expect(sshCommand(target({ authentication }), '/data')).toBe(
      `ssh -o 'IdentityAgent="~/Group Containers/50%%/t.sock"' -- ada@gpu1.example`,
    );
  });

  it('includes a chain of jump hosts from the outermost', () => {
    const outer = { host: 'gate', port: 22, user: '', authentication: { method: 'agent' as const } };
    expect(
      sshCommand(target({ jump: { ...outer, host: 'bastion', user: 'eve', jump: outer } }), '/data'),
    ).toBe('ssh -J gate:22,eve@bastion:22 -- ada@gpu1.example');
  });

  it('has a jump host’s IPv6 address in brackets: the port follows it', () => {
    const jump = { host: '2001:db8::7', port: 22, user: 'eve', authentication: { method: 'agent' as const } };
    expect(sshCommand(target({ jump }), '/data')).toBe("ssh -J 'eve@[2001:db8::7]:22' -- ada@gpu1.example");
  });

  it('passes no option to ssh through a host or a user', () => {
    expect(sshCommand(target({ user: '', host: '-oProxyCommand=touch x' }), '/data')).toBe(
      "ssh -- '-oProxyCommand=touch x'",
    );
  });

  it('of a local node uses the app’s key and trusts the host key under the node’s own name', () => {
    const local = target({
      host: '127.0.0.1',
      port: 40123,
      user: 'ringlab',
      authentication: { method: 'app-key', privateKey: '' },
    });
    expect(sshCommand(local, '/my data')).toBe(
      "ssh -i '/my data/nodes/app_key' -o IdentitiesOnly=yes -o StrictHostKeyChecking=accept-new -o HostKeyAlias=ringlab-lab-n1 -p 40123 -- ringlab@127.0.0.1",
    );
  });
});
