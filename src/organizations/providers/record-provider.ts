import type { Sql } from '../../platform/database/database.js';
import type { AuditAction } from '../audit/audit-actions.js';
import { AuditLog, type Author } from '../audit/record-audit.js';

/**
 * Records an action on a provider of the organization in the audit log.
 * @param details must not include values, most of which are secrets
 */
export function recordProvider(
  sql: Sql,
  author: Author,
  action: Extract<AuditAction, `provider.${string}`>,
  id: string,
  details?: { readonly fields: readonly string[] },
): Promise<void> {
  return AuditLog.record(sql, { ...author, action, target: { kind: 'provider', id }, ...(details && { details }) });
}
