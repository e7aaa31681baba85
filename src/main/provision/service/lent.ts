/** This computer's internet connection for nodes that the lab lends it to. */
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import { createLending, type Lending, type LendingOptions } from '../node/lending.ts';
import type { ReadinessBook } from '../node/readiness.ts';
import type { Rights } from '../node/rights.ts';

export interface LentOptions {
  readonly book: Pick<ReadinessBook, 'node'>;
  readonly rights: Rights;
  readonly allows: LendingOptions['allows'];
}

/** Undefined by default; a local node has this computer's connection anyway. */
export function lendingFor(
  { book, rights, allows }: LentOptions,
  lab: LabDocument,
  node: LabNode,
  signal: AbortSignal,
): Lending | undefined {
  if (node.lendInternet !== true || node.access.type === 'local') return undefined;
  const status = book.node(lab.id, node.id);
  return createLending({
    from: status.lent,
    onChange: (lent) => {
      status.lent = lent;
    },
    // The flag is in the lab, which may come from somebody else: the user's consent is stored on this computer.
    permit: (session) => rights.of(session).allowLending(signal),
    allows,
  });
}
