import type { AuditAction } from '../organizations/audit/audit-actions.js';
import { AuditLog, type Author } from '../organizations/audit/record-audit.js';
import type { Sql } from '../platform/database/database.js';

/** Records an action on a domain in the audit log. */
export function recordDomain(
  sql: Sql,
  author: Author,
  action: Extract<AuditAction, `domain.${string}`>,
  id: string,
  details: { readonly domain: string; readonly status?: string },
): Promise<void> {
  return AuditLog.record(sql, { ...author, action, target: { kind: 'domain', id }, details });
}
