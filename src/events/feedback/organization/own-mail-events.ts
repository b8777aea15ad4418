import { Inject, Injectable } from '@nestjs/common';
import { ID_AMONG } from '../../../emails/email-id.sql.js';
import { IS_OWN_MAIL } from '../../../organizations/guard/own-mail.sql.js';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { derivedUuidV7, timeOfUuidV7 } from '../../../platform/clock/uuid-v7.js';
import { plainArray } from '../../../platform/database/array-literal.js';
import { Database } from '../../../platform/database/database.js';
import type { RecipientEvent } from '../../recipient-event.js';
import { MAX_AHEAD_MS } from '../call-age.js';
import type { ParsedProviderEvent } from '../provider-event-fields.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import type { ReportingAccount } from './event-accounts.js';

/**
 * $1 ids of emails, $2 an organization. Mail that only the service's providers had is left out: what is known about it
 * decides how far their reports are trusted, and whether they count for the sending guard.
 */
const OWN = `
select e.id from emails e
 where ${ID_AMONG} and e.organization_id = $2 and (e.status = 'tracked' or ${IS_OWN_MAIL})`;

/**
 * Stores what the provider of an organization reports about mail that the organization sent without the service's
 * providers. The organization knows what verifies the calls, so it can sign anything: nothing that it reports may have
 * an effect on others.
 */
@Injectable()
export class OwnMailEvents {
  constructor(
    private readonly database: Database,
    private readonly events: ProviderEvents,
    private readonly metrics: ProviderEventMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves when every event is durable, or ignored for a reason.
   * @throws EventsNotStoredError, and the error of Postgres if the owners of the emails cannot be read: the provider
   *   repeats the call
   */
  async store(account: ReportingAccount, events: readonly ParsedProviderEvent[]): Promise<ProviderEventCounts> {
    const reported = events.flatMap(({ outcome }) => (typeof outcome === 'string' ? [] : [outcome.email]));
    const own = await this.ownAmong(account, [...new Set(reported)]);
    const now = this.clock.now();
    const bounded = events.map(({ type, outcome }): ParsedProviderEvent => {
      if (typeof outcome === 'string') return { type, outcome };
      if (!own.has(outcome.email)) return { type, outcome: 'not-ours' };
      return { type, outcome: ofOrganization(outcome, account.organizationId, now) };
    });
    return this.events.store(account, bounded);
  }

  private async ownAmong(account: ReportingAccount, emails: readonly string[]): Promise<ReadonlySet<string>> {
    if (emails.length === 0) return new Set();
    const { organizationId } = account;
    try {
      const rows = await this.database.inReadTurn(organizationId, () =>
        this.database.prepared<{ id: string }>('find-own-emails', OWN, [plainArray(emails), organizationId]),
      );
      return new Set(rows.map(({ id }) => id));
    } catch (error) {
      this.metrics.countCall(account, 'lost');
      throw error;
    }
  }
}

/**
 * The event with an ID that no event of others has: an event that is already stored under its ID counts as repeated. A
 * time that is still to come is replaced by that of the email: such events would fill the partitions of months to come.
 */
function ofOrganization(event: RecipientEvent, organizationId: string, now: number): RecipientEvent {
  const claimed = timeOfUuidV7(event.id);
  const time = claimed <= now + MAX_AHEAD_MS ? claimed : timeOfUuidV7(event.email);
  return { ...event, id: derivedUuidV7(time, `${organizationId}:${event.id}`) };
}
