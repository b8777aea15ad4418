import type { AuditAction } from '../../organizations/audit/audit-actions.js';
import { AuditLog, type Author } from '../../organizations/audit/record-audit.js';
import type { Sql } from '../../platform/database/database.js';

/** Records an action on a tracking domain in the audit log. */
export function recordTrackingDomain(
  sql: Sql,
  author: Author,
  action: Extract<AuditAction, `tracking-domain.${string}`>,
  id: string,
  details: { readonly domain: string; readonly status?: string },
): Promise<void> {
  return AuditLog.record(sql, { ...author, action, target: { kind: 'tracking-domain', id }, details });
}
