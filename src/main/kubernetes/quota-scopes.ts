/** Which of a namespace's quotas count the pods of a lab: by their scopes, as the API server's admission decides it. Pure. */
import * as z from 'zod';

export const QuotaSpec = z.object({
  scopes: z.array(z.string()).max(100).default([]),
  scopeSelector: z
    .object({
      matchExpressions: z
        .array(
          z.object({
            scopeName: z.string(),
            operator: z.string(),
            values: z.array(z.string()).max(1000).nullish(),
          }),
        )
        .max(100)
        .default([]),
    })
    .optional(),
});

/** @param priorityClass the pods'; undefined where they have none */
export function countsPods(
  { scopes, scopeSelector }: z.infer<typeof QuotaSpec>,
  priorityClass: string | undefined,
): boolean {
  const isNamed = (values: readonly string[] | null | undefined): boolean =>
    priorityClass !== undefined && (values ?? []).includes(priorityClass);
  const all = [
    ...scopes.map((scopeName) => ({ scopeName, operator: 'Exists', values: [] })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
  return all.every(({ scopeName, operator, values }) => {
    // They ask for processors and memory, have no deadline, and no affinity to pods of other namespaces.
    if (scopeName !== 'PriorityClass') return ['NotBestEffort', 'NotTerminating'].includes(scopeName);
    if (operator === 'In') return isNamed(values);
    if (operator === 'NotIn') return !isNamed(values);
    return (priorityClass !== undefined) === (operator === 'Exists');
  });
}
