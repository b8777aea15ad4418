import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { IS_OPEN, PENDING_ENDPOINTS } from './claim-statements.js';

const OVERDUE = `with recursive ${PENDING_ENDPOINTS}
select extract(epoch from now() - min(d.next_attempt_at))::float8 as seconds
  from waiting join webhook_endpoints w on w.id = waiting.endpoint_id and ${IS_OPEN}
 cross join lateral (
   select d.next_attempt_at from webhook_deliveries d
    where d.endpoint_id = w.id and d.status = 'pending' order by d.next_attempt_at limit 1) d`;

/** Measures how far deliveries lag behind. */
@Injectable()
export class WebhookBacklog {
  constructor(private readonly database: Database) {}

  /** Seconds since the oldest pending delivery became due, among endpoints that may be called now. */
  async overdueSeconds(): Promise<number> {
    const [row] = await this.database.query<{ seconds: number | null }>(OVERDUE);
    return Math.max(0, row?.seconds ?? 0);
  }
}
