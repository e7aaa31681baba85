/** For tests: judges objects by the OpenAPI schema of Kubernetes 1.32's API server. */
import { Ajv } from 'ajv';
import openApi from './openapi.json' with { type: 'json' };

/** The API server's schema refuses fields that it does not know where it is asked to be strict. */
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
const strict = JSON.parse(JSON.stringify(openApi), (_key, value: unknown) =>
  typeof value === 'object' && value !== null && 'properties' in value && !('additionalProperties' in value)
    ? { ...value, additionalProperties: false }
    : value,
) as object;
ajv.addSchema(strict, 'kubernetes');
const groups: Readonly<Record<string, string>> = { v1: 'core.v1', 'batch/v1': 'batch.v1' };
/** What the schema of the API server 1.32 says against an object. */
export function schemaProblems(object: { readonly apiVersion?: string; readonly kind?: string }): string[] {
  const { apiVersion = '', kind = '' } = object;
  const validate = ajv.getSchema(`kubernetes#/definitions/io.k8s.api.${groups[apiVersion]}.${kind}`);
  if (validate === undefined) return [`no schema of ${apiVersion} ${kind}`];
  if (validate(object) === true) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
