import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { uuidV7 } from '../clock/uuid-v7.js';
import type { SqlRunner } from '../database/database.js';

type WebhookEventType = 'EMAIL_SENT' | 'EMAIL_FAILED';

interface EmailFacts {
  id: string;
  tracking_id: string;
  sender: string;
  to_addresses: string[];
  subject: string;
  campaign: string | null;
  metadata: unknown;
  sent_at: Date | null;
  failed_at: Date | null;
  last_error: string | null;
}

/**
 * Writes what must be told in the transaction that makes it true. The body is serialised once, so that every
 * attempt sends the same bytes; a job only wakes the delivery.
 */
@Injectable()
export class WebhookOutbox {
  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Ids of the deliveries written, one per endpoint that listens. */
  emailSent(sql: SqlRunner, organizationId: string, emailId: string): Promise<string[]> {
    return this.write(sql, 'EMAIL_SENT', organizationId, emailId, (email) => ({ sentAt: email.sent_at }));
  }

  emailFailed(sql: SqlRunner, organizationId: string, emailId: string): Promise<string[]> {
    return this.write(sql, 'EMAIL_FAILED', organizationId, emailId, (email) => ({
      failedAt: email.failed_at,
      reason: email.last_error,
    }));
  }

  private async write(
    sql: SqlRunner,
    type: WebhookEventType,
    organizationId: string,
    emailId: string,
    extra: (email: EmailFacts) => Record<string, unknown>,
  ): Promise<string[]> {
    const endpoints = await listeners(sql, organizationId, type);
    if (endpoints.length === 0) return [];
    const email = await readFacts(sql, emailId);
    const now = this.clock.now();
    const body = JSON.stringify({
      type,
      timestamp: new Date(now).toISOString(),
      data: { ...commonData(email), ...extra(email) },
    });
    const ids = endpoints.map(() => uuidV7(now));
    await sql.query(
      `insert into webhook_deliveries (id, endpoint_id, type, body)
       select d.id, d.endpoint_id, $3, $4 from unnest($1::uuid[], $2::uuid[]) as d (id, endpoint_id)`,
      [ids, endpoints, type, body],
    );
    return ids;
  }
}

async function listeners(sql: SqlRunner, organizationId: string, type: WebhookEventType): Promise<string[]> {
  const rows = await sql.prepared<{ id: string }>(
    'find-listeners',
    'select id from webhook_endpoints where organization_id = $1 and enabled and $2 = any(events)',
    [organizationId, type],
  );
  return rows.map((row) => row.id);
}

async function readFacts(sql: SqlRunner, emailId: string): Promise<EmailFacts> {
  const [email] = await sql.query<EmailFacts>(
    `select e.id, e.tracking_id, c.sender, c.to_addresses, c.subject, k.name as campaign, c.metadata,
            e.sent_at, e.failed_at, e.last_error
       from emails e join email_contents c on c.email_id = e.id left join campaigns k on k.id = e.campaign_id
      where e.id = $1`,
    [emailId],
  );
  return email!;
}

function commonData(email: EmailFacts): Record<string, unknown> {
  return {
    id: email.id,
    emailTrackingId: email.tracking_id,
    from: email.sender,
    to: email.to_addresses,
    subject: email.subject,
    campaign: email.campaign,
    metadata: email.metadata,
  };
}
