import { Injectable } from '@nestjs/common';
import type { Sql } from '../platform/database/database.js';
import { insertEmailDeliveries } from './webhook-payloads.sql.js';

const THIS_EMAIL = '(select * from emails where id = $2 and organization_id = $1)';
const TELL_FAILED = insertEmailDeliveries('EMAIL_FAILED', THIS_EMAIL);

/**
 * Writes what must be told in the transaction that makes it true. The body is stored, so that every attempt sends
 * the same bytes; a job only wakes the delivery. Emails that become sent are told of by the statement that moves
 * them, which contains `insertEmailDeliveries`.
 */
@Injectable()
export class WebhookOutbox {
  /** Ids of the deliveries written, one per endpoint that listens. */
  async emailFailed(sql: Sql, organizationId: string, emailId: string): Promise<string[]> {
    const written = await sql.prepared<{ id: string }>('tell-email-failed', TELL_FAILED, [organizationId, emailId]);
    return written.map(({ id }) => id);
  }
}
