import { AuditLog, type Author } from '../organizations/audit/record-audit.js';
import type { Transaction } from '../platform/database/database.js';
import { insertSuppressions, type SuppressionInput } from './insert-suppressions.js';

/** How many reasons were added, and how many an address already had or an earlier entry added. */
export interface AddedCounts {
  readonly added: number;
  readonly known: number;
}

/** Adds reasons on request, and records how many. */
export async function addSuppressions(
  sql: Transaction,
  author: Author,
  action: 'suppression.added' | 'suppression.imported',
  suppressions: readonly SuppressionInput[],
): Promise<AddedCounts> {
  const { organizationId } = author;
  const { length: added } = await insertSuppressions(
    sql,
    suppressions.map((suppression) => ({ ...suppression, organizationId })),
  );
  const details = { added, known: suppressions.length - added };
  await AuditLog.record(sql, { ...author, action, target: { kind: 'suppression-list', id: organizationId }, details });
  return details;
}
