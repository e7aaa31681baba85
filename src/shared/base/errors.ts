/** Errors with a code, parameters and the place where they happened, and how they cross a wire. */
import * as z from 'zod';
import { languages } from './language.ts';
import type { Phrase } from './phrase.ts';

/**
 * The closed list of error codes. An error's text is in `src/shared/i18n`; code that throws gives the code and its
 * parameters.
 */
export const errorCodes = [
  'cancelled',
  'internal',
  'bad_request',
  'unknown_request',
  'not_found',
  // lab documents
  'lab_unreadable',
  'lab_invalid',
  'lab_newer',
  'lab_too_large',
  'not_a_lab_file',
  'lab_full',
  'lab_conflict',
  'lab_has_errors',
  'lab_fields_dropped',
  'links_dropped',
  'inventory_none',
  'picture_too_long',
  // data folder and store
  'data_folder_busy',
  'data_folder_command',
  'data_folder_unsafe',
  'data_folder_newer',
  'program_replaced',
  'app_version_differs',
  'control_unsafe',
  'database_damaged',
  'settings_damaged',
  'run_newer',
  'run_wrong_state',
  'points_too_many',
  'local_disk_full',
  'local_disk_small',
  'local_disk_low',
  'file_exists',
  'file_unreadable',
  'checkpoint_refused',
  'file_unwritable',
  'port_taken',
  'script_changed',
  // trust and login
  'host_key_unknown',
  'host_key_changed',
  'host_key_revoked',
  'known_hosts_unreadable',
  'auth_failed',
  'auth_no_method',
  'auth_too_many',
  'agent_missing',
  'agent_silent',
  'agent_empty',
  'host_certificate_invalid',
  'key_unreadable',
  'key_passphrase',
  'no_common_algorithm',
  'prompt_unanswered',
  // connections
  'host_not_found',
  'host_unreachable',
  'host_refused',
  'handshake_timeout',
  'connection_lost',
  'connection_throttled',
  'login_cut',
  'login_timeout',
  'connection_refused_often',
  'channel_refused',
  'forwarding_refused',
  'command_failed',
  'command_timeout',
  'transfer_failed',
  'hash_mismatch',
  'sftp_unavailable',
  'jump_failed',
  'login_shell_exits',
  'login_shell_replaced',
  'login_shell_waits',
  'login_shell_endless',
  'login_shell_restricted',
  'login_shell_none',
  'login_sftp_only',
  'login_forced_command',
  'terminals_too_many',
  'terminals_per_connection',
  // provisioning
  'node_unsupported',
  'node_nonsense',
  'facts_unreadable',
  'home_missing',
  'home_read_only',
  'home_noexec',
  'node_disk_full',
  'node_disk_low',
  'node_no_compiler',
  'node_no_libtorch',
  'node_no_python',
  'node_in_use',
  'installation_running',
  'runtime_missing',
  'runtime_cpu_build',
  'runtime_cuda_too_new',
  'runtime_glibc_old',
  'libtorch_old',
  'runtime_unsolved',
  'micromamba_missing',
  'uv_missing',
  'wheels_unsolved',
  'wheels_failed',
  'requirement_local',
  'requirement_unlisted',
  'wheels_no_python',
  'wheels_no_import',
  'wheels_system',
  'wheels_driver_old',
  'wheels_gpu_old',
  'wheels_no_driver',
  'wheels_no_gpu',
  'bundle_no_wheel',
  'mirrors_failed',
  'download_failed',
  'download_too_large',
  'archive_refused',
  'lock_refused',
  'node_offline',
  'node_needs_root',
  'sudo_refused',
  'consent_refused',
  'own_files_refused',
  'lending_refused',
  'driver_blocked',
  'driver_file_kind',
  'driver_failed',
  'reboot_failed',
  'trainer_build_failed',
  'trainer_newer',
  'verification_failed',
  'bucket_refused',
  'data_missing',
  'data_not_divisible',
  'data_no_classes',
  'data_classes_differ',
  'data_class_empty',
  'tunnel_unavailable',
  'tunnel_unreachable',
  'rank_unreachable',
  'peer_unreachable',
  'node_behind_nat',
  'no_free_port',
  'gpu_in_use',
  'node_shared',
  'job_refused',
  'job_ended',
  'cluster_silent',
  'cluster_config',
  'cluster_login',
  'cluster_forbidden',
  'cluster_unreachable',
  'pods_refused',
  'pods_ended',
  'pods_taken',
  'pod_unready',
  'pod_gone',
  // the emulated network
  'network_failed',
  'network_in_use',
  'network_apart',
  'link_down',
  'limit_failed',
  // runs
  'rank_failed',
  'rank_lost',
  'rank_killed',
  'rank_out_of_memory',
  'run_interrupted',
  'peer_lost',
  'address_changed',
  'other_machine',
  'diverged',
  'nothing_to_export',
  'output_missing',
  'checkpoint_gone',
  'trainer_gone',
  'image_kind',
  'image_large',
  'image_unreadable',
  'classify_failed',
  'rename_failed',
  // own scripts
  'code_too_large',
  'code_link_outside',
  'code_gone',
  'git_missing',
  'git_needs_login',
  'git_failed',
  'script_missing',
  'script_syntax',
  'python_missing',
  'python_no_torch',
  'python_differs',
  // hosts
  'origin_refused',
  'token_refused',
  'web_not_running',
  'web_stranger',
  'malformed_message',
] as const;

export const ErrorCode = z.enum(errorCodes);
export type ErrorCode = z.infer<typeof ErrorCode>;

export const ErrorParams = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
export type ErrorParams = z.infer<typeof ErrorParams>;

/** An error as it is sent to clients and stored with a run. `where` names the node, file or field. */
export const WireError = z.object({
  code: ErrorCode,
  params: ErrorParams,
  where: z.string().optional(),
  /**
   * The original output (stderr, a system error), for details; empty where a program printed nothing. Our own words are English
   * here, and Chinese in `ownDetail`.
   */
  detail: z.string().optional(),
});
export type WireError = z.infer<typeof WireError>;

/** Parameters of a thrown error; one that is itself text comes in every language. */
export type GivenParams = Readonly<Record<string, ErrorParams[string] | Phrase>>;

/** As sent to clients: `reason` in English, and `reason.zh-CN` beside it. */
const flat = (given: GivenParams): ErrorParams =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      typeof value === 'object'
        ? languages.map((language) => [language === 'en' ? name : `${name}.${language}`, value[language]])
        : [[name, value]],
    ),
  );

/** The parameter that holds a detail of our own words in the other language. */
export const ownDetail = 'detail.zh-CN';

export interface RinglabErrorOptions {
  where?: string | undefined;
  /** What a program or library said, as it said it; our own words are a phrase. */
  detail?: string | Phrase | undefined;
  cause?: unknown;
}

/** The only error class that services throw intentionally. */
export class RinglabError extends Error {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly where: string | undefined;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, given: GivenParams = {}, { where, detail, cause }: RinglabErrorOptions = {}) {
    const params = flat(given);
    const said = Object.entries(params)
      .filter(([name]) => !name.endsWith('.zh-CN'))
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(' ');
    super(said === '' ? code : `${code} ${said}`, { cause });
    this.name = 'RinglabError';
    this.code = code;
    this.params = typeof detail === 'object' ? { ...params, [ownDetail]: detail['zh-CN'] } : params;
    this.where = where;
    this.detail = typeof detail === 'object' ? detail.en : detail;
  }

  /** The same error with `where` set, unless it already has one, or it is about this computer's own disk. */
  at(where: string): RinglabError {
    return this.where === undefined && !this.code.startsWith('local_disk_')
      ? new RinglabError(this.code, this.params, { where, detail: this.detail, cause: this.cause })
      : this;
  }
}

/** What `not_found` can refer to. */
export type NamedKind =
  'example' | 'file' | 'lab' | 'link' | 'node' | 'question' | 'rank' | 'run' | 'terminal';

export const notFound = (what: NamedKind, id: string, where?: string): RinglabError =>
  new RinglabError('not_found', { what, id }, { where });

/** Whether the error is a cancellation, which is not a failure. */
export function isCancelled(error: unknown): boolean {
  return (
    (error instanceof RinglabError && error.code === 'cancelled') ||
    (error instanceof Error && error.name === 'AbortError')
  );
}

/** Whether the user declined: nothing failed, and nothing was changed. */
export const isDeclined = ({ code }: Pick<RinglabError, 'code'>): boolean =>
  code === 'consent_refused' || code === 'lending_refused';

/** Maximum length of an error's detail: it may come from a node, and goes to every window and into records. */
const longestDetail = 16_000;
const longestParam = 4000;

const shortened = (params: ErrorParams): ErrorParams =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > longestParam ? `${value.slice(0, longestParam)}…` : value,
    ]),
  );

/**
 * Converts any error to a WireError; one that is not a RinglabError becomes `internal` with its message as the
 * detail.
 */
export function toWireError(error: unknown): WireError {
  if (error instanceof RinglabError) {
    return {
      code: error.code,
      params: shortened(error.params),
      ...(error.where === undefined ? {} : { where: error.where.slice(0, longestParam) }),
      ...(error.detail === undefined ? {} : { detail: error.detail.slice(-longestDetail) }),
    };
  }
  if (isCancelled(error)) return { code: 'cancelled', params: {} };
  return {
    code: 'internal',
    params: {},
    detail: (error instanceof Error ? error.message : String(error)).slice(-longestDetail),
  };
}

/** The error with the output of a program in place of its detail. */
export function withOutput(error: WireError, detail: string): WireError {
  const params = Object.entries(error.params).filter(([name]) => name !== ownDetail);
  return { ...error, params: Object.fromEntries(params), detail };
}

export function fromWireError(wire: WireError): RinglabError {
  return new RinglabError(wire.code, wire.params, { where: wire.where, detail: wire.detail });
}
