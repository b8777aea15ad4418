import type { AuditAction } from '../organizations/audit/audit-actions.js';
import { AuditLog, type Author } from '../organizations/audit/record-audit.js';
import type { Sql } from '../platform/database/database.js';

/** Records an action on a broadcast in the audit log. */
export function recordBroadcast(
  sql: Sql,
  author: Author,
  action: Extract<AuditAction, `broadcast.${string}`>,
  id: string,
): Promise<void> {
  return AuditLog.record(sql, { ...author, action, target: { kind: 'broadcast', id } });
}
