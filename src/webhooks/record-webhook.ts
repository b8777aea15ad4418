import type { AuditAction } from '../organizations/audit/audit-actions.js';
import { AuditLog, type Author } from '../organizations/audit/record-audit.js';
import type { Sql } from '../platform/database/database.js';

/**
 * Records an action on a webhook in the audit log.
 * @param details must not include its URL, which may contain a password
 */
export function recordWebhook(
  sql: Sql,
  author: Author,
  action: Extract<AuditAction, `webhook.${string}`>,
  id: string,
  details?: Readonly<Record<string, unknown>>,
): Promise<void> {
  return AuditLog.record(sql, { ...author, action, target: { kind: 'webhook', id }, ...(details && { details }) });
}
