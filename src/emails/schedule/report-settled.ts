import type { Sql } from '../../platform/database/database.js';
import { insertEmailDeliveries } from '../../webhooks/webhook-payloads.sql.js';

const endedAs = (status: string): string =>
  `(select * from emails where id = any($1::uuid[]) and status = '${status}')`;
const REPORTS = [
  insertEmailDeliveries('EMAIL_FAILED', endedAs('failed')),
  insertEmailDeliveries('EMAIL_SENT', endedAs('sent')),
];

/**
 * Stores webhook deliveries for emails that a cancellation ended as failed or sent. A sweep finds the deliveries.
 * @param emailIds few: emails that may have reached somebody
 */
export async function reportSettled(sql: Sql, emailIds: readonly string[]): Promise<void> {
  if (emailIds.length === 0) return;
  for (const statement of REPORTS) await sql.query(statement, [emailIds]);
}
