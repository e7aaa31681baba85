/**
 * Removes from an imported lab what it must not bring: files and folders of this computer, programs from addresses of
 * its own, and permissions that only the user gives. Pure.
 */
import type { Authentication, JumpHost, SshAccess } from './access.ts';
import type { Experiment, LabDocument, LabNode } from './lab.ts';
import type { Where } from './where.ts';
import { condaMirrors, pythonIndexes } from './runtime.ts';
import type { Script } from './script.ts';

/** `node: field = value`, shown to the user; the field as it is named in the file. */
export type DroppedField = string;

/** Keys that `ssh` offers to every host by default: naming them reveals nothing about this computer. */
const defaultKeys = /^~\/\.ssh\/id_(ed25519|ecdsa|rsa)$/;

export interface WithoutOwn<T> {
  readonly kept: T;
  readonly dropped: readonly DroppedField[];
}

export function foreignNodes(nodes: readonly LabNode[]): WithoutOwn<LabNode[]> {
  const dropped: DroppedField[] = [];
  const kept = nodes.map((node) => {
    const drop = (field: string, value: string | boolean): void =>
      void dropped.push(`${node.name}: ${field} = ${value}`);
    const { driverFile, shareBuilds, lendInternet, access, ...rest } = node;
    if ((driverFile?.trim() ?? '') !== '') drop('driverFile', driverFile ?? '');
    if (shareBuilds === true) drop('shareBuilds', true);
    if (lendInternet === true) drop('lendInternet', true);
    return {
      ...rest,
      access: access.type === 'local' ? access : foreignAccess(access, drop),
    };
  });
  return { kept, dropped };
}

function foreignAccess(access: SshAccess, drop: (field: string, value: string) => void): SshAccess {
  const authentication = (given: Authentication): Authentication => {
    if (given.method === 'agent' && given.socket !== undefined) {
      drop('socket', given.socket);
      return { method: 'agent' };
    }
    if (given.method !== 'key' || given.keyFile.trim() === '' || defaultKeys.test(given.keyFile))
      return given;
    drop('keyFile', given.keyFile);
    return { method: 'key', keyFile: '' };
  };
  const hop = (given: JumpHost): JumpHost => ({
    ...given,
    authentication: authentication(given.authentication),
    ...(given.jump === undefined ? {} : { jump: hop(given.jump) }),
  });
  return {
    ...access,
    authentication: authentication(access.authentication),
    ...(access.jump === undefined ? {} : { jump: hop(access.jump) }),
  };
}

/** @param here whether the experiment also runs on this computer, so that a node's path is a path of this computer */
function foreignExperiment(experiment: Experiment, here: boolean): WithoutOwn<Experiment> {
  const dropped: DroppedField[] = [];
  const drop = (field: string, value: string): void => void dropped.push(`${field} = ${value}`);
  const { pretrained, runtime, script, where, ...rest } = experiment;
  let { data } = rest;
  if ((data.type === 'upload' || (data.type === 'folder' && here)) && data.path.trim() !== '') {
    drop('data.path', data.path);
    data = { ...data, path: '' };
  }
  // Its secret key may be kept here, for other data of the user's.
  if (data.type === 's3' && data.accessKeyId !== '') {
    drop('data.accessKeyId', data.accessKeyId);
    data = { ...data, accessKeyId: '' };
  }
  const keepsWeights = !here || (pretrained?.trim() ?? '') === '';
  if (!keepsWeights) drop('pretrained', pretrained ?? '');
  return {
    kept: {
      ...rest,
      data,
      ...(pretrained !== undefined && keepsWeights ? { pretrained } : {}),
      ...(script === undefined ? {} : { script: foreignScript(script, drop) }),
      ...(runtime === undefined ? {} : { runtime: foreignRuntime(runtime, drop) }),
      ...(where === undefined ? {} : { where: foreignWhere(where, drop) }),
    },
    dropped,
  };
}

/**
 * A script runs on the nodes with all rights of their users, and its variables and packages can change what any program
 * does: only the user says where code comes from and what it gets. Its name, where it is a file of that source, stays.
 */
function foreignScript(script: Script, drop: (field: string, value: string) => void): Script {
  const { environment, install, ...rest } = script;
  const { source } = rest;
  const address = source.type === 'folder' ? source.path : source.url;
  if (address.trim() !== '')
    drop(source.type === 'folder' ? 'script.source.path' : 'script.source.url', address);
  const isModule = script.file.startsWith('module:');
  if (isModule) drop('script.file', script.file);
  if (script.arguments.trim() !== '') drop('script.arguments', script.arguments);
  for (const { name, value } of environment ?? []) drop('script.environment', `${name}=${value ?? ''}`);
  const keepsNone = environment !== undefined && environment.length === 0;
  const wanted = install?.type === 'packages' ? install.packages.join(' ') : install?.type;
  const installs = install !== undefined && install.type !== 'none';
  if (installs) drop('script.install', wanted ?? '');
  return {
    ...rest,
    ...(address.trim() === ''
      ? {}
      : { source: source.type === 'folder' ? { ...source, path: '' } : { ...source, url: '' } }),
    ...(isModule ? { file: '' } : {}),
    ...(script.arguments.trim() === '' ? {} : { arguments: '' }),
    ...(keepsNone ? { environment } : {}),
    ...(install === undefined || installs ? {} : { install }),
  };
}

/**
 * A folder of PyTorch's is programs that somebody else may have put there, and so are Conda packages and micromamba: only from the
 * known mirrors, or from the user's own choice.
 */
function foreignRuntime(
  runtime: NonNullable<Experiment['runtime']>,
  drop: (field: string, value: string) => void,
): NonNullable<Experiment['runtime']> {
  if (runtime.type === 'existing' && runtime.path !== undefined) {
    drop('runtime.path', runtime.path);
    return { type: 'existing' };
  }
  if (runtime.type === 'wheels') {
    const { indexes, ...rest } = runtime;
    const isOwn = (index: string): boolean => !pythonIndexes.includes(index.replace(/\/+$/, ''));
    for (const index of indexes ?? []) if (isOwn(index)) drop('runtime.indexes', index);
    const known = (indexes ?? []).filter((index) => !isOwn(index));
    return known.length === (indexes ?? []).length
      ? runtime
      : { ...rest, ...(known.length === 0 ? {} : { indexes: known }) };
  }
  if (runtime.type !== 'conda') return runtime;
  const { micromamba, channels, ...rest } = runtime;
  if (micromamba !== undefined) drop('runtime.micromamba', micromamba.url);
  const isKnown = (channel: string): boolean => condaMirrors.includes(channel.replace(/\/+$/, ''));
  for (const channel of channels ?? []) if (!isKnown(channel)) drop('runtime.channels', channel);
  const known = (channels ?? []).filter(isKnown);
  return known.length === 0 ? rest : { ...rest, channels: known };
}

/**
 * Modules, options of `sbatch` and images start programs with the rights of the user's account on the cluster; a kubeconfig can
 * name a program to log in with.
 */
function foreignWhere(where: Where, drop: (field: string, value: string) => void): Where {
  if (where.type === 'machines') return where;
  if (where.type === 'kubernetes') {
    const { kubeconfig, image, ...rest } = where;
    if (kubeconfig !== undefined) drop('where.kubeconfig', kubeconfig);
    if (image !== '') drop('where.image', image);
    return { ...rest, image: '' };
  }
  const { modules, options, image, folder, login, ...rest } = where;
  // Programs are kept there, which somebody else may have put there before.
  if (folder !== undefined) drop('where.folder', folder);
  if (image !== undefined) drop('where.image', image);
  for (const module_ of modules ?? []) drop('where.modules', module_);
  for (const option of options ?? []) drop('where.options', option);
  return { ...rest, login: foreignAccess(login, (field, value) => drop(`where.login.${field}`, value)) };
}

export function foreignLab(lab: LabDocument): WithoutOwn<LabDocument> {
  const nodes = foreignNodes(lab.nodes);
  // Not of the nodes that train alone: with one process that is the first, and the user may choose otherwise after the import.
  const here = lab.nodes.some(({ kind, access }) => kind !== 'switch' && access.type === 'local');
  const experiment = foreignExperiment(lab.experiment, here);
  return {
    kept: { ...lab, nodes: nodes.kept, experiment: experiment.kept },
    dropped: [...nodes.dropped, ...experiment.dropped],
  };
}
