/** What is missing or wrong in where an experiment's data come from. Pure. */
import type { DataSource } from './lab.ts';
import type { LabIssue } from './lab-issue.ts';

/** A problem, where it is below `experiment.`, and what its text names. */
export interface DataIssue {
  readonly code:
    | 'data_url_missing'
    | 'data_hash_missing'
    | 'data_endpoint_missing'
    | 'data_bucket_missing'
    | 'data_region_missing'
    | 'data_path_missing'
    | 'data_path_relative';
  readonly field: string;
  readonly params: LabIssue['params'];
}

/** Addresses, the hash and the bucket are used in paths and commands on nodes: only with these forms. */
export function checkData(data: DataSource): DataIssue[] {
  const issues: DataIssue[] = [];
  const report = (code: DataIssue['code'], field: string, params: DataIssue['params'] = {}): void => {
    issues.push({ code, field: `data.${field}`, params });
  };
  if (data.type === 'url') {
    const { urls, sha256 } = data;
    if (urls.length === 0 || !urls.every((url) => /^https?:\/\/\S+$/.test(url)))
      report('data_url_missing', 'urls');
    if (!/^[0-9a-f]{64}$/.test(sha256)) report('data_hash_missing', 'sha256');
  } else if (data.type === 's3') {
    const { endpoint, region, bucket } = data;
    if (!/^https?:\/\/[^\s/?#]+\/?$/.test(endpoint)) report('data_endpoint_missing', 'endpoint');
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]+$/.test(bucket)) report('data_bucket_missing', 'bucket');
    if (!/^\S+$/.test(region)) report('data_region_missing', 'region');
  } else if (data.type !== 'shapes') {
    const path = data.path.trim();
    if (path === '') report('data_path_missing', 'path');
    else if (data.type === 'folder' && !path.startsWith('/') && !path.startsWith('~'))
      report('data_path_relative', 'path', { path });
  }
  return issues;
}
