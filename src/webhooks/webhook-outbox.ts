import { Injectable } from '@nestjs/common';
import type { Sql } from '../platform/database/database.js';
import { insertEmailDeliveries } from './webhook-payloads.sql.js';

const THIS_EMAIL = '(select * from emails where id = $2 and organization_id = $1)';
const INSERT_FAILED = insertEmailDeliveries('EMAIL_FAILED', THIS_EMAIL);

/**
 * Stores webhook deliveries in the same transaction as the change they report (outbox). The body is stored, so every
 * attempt sends the same bytes; a job only wakes the delivery. Deliveries of EMAIL_SENT are inserted by the statement
 * that marks emails as sent, which contains `insertEmailDeliveries`.
 */
@Injectable()
export class WebhookOutbox {
  /** Returns the IDs of the new deliveries, one per subscribed endpoint. */
  async emailFailed(sql: Sql, organizationId: string, emailId: string): Promise<string[]> {
    const written = await sql.prepared<{ id: string }>('insert-failed-webhooks', INSERT_FAILED, [
      organizationId,
      emailId,
    ]);
    return written.map(({ id }) => id);
  }
}
