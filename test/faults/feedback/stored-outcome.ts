import type { Testbed } from '../testbed/testbed.js';
import type { CampaignNumber } from './model.js';

/** What Postgres stores about the recipients of an organization. */
export interface StoredOutcome {
  readonly reports: readonly StoredReport[];
  readonly recipients: readonly StoredRecipient[];
  readonly campaign: Readonly<Record<CampaignNumber, number>>;
  readonly contacts: readonly { readonly address: string; readonly bounces: number; readonly complaints: number }[];
  /** Address and reason. */
  readonly suppressions: readonly string[];
}

/** A row of `delivery_events`. */
export interface StoredReport {
  readonly email: string;
  readonly address: string;
  /** In seconds since 1970. */
  readonly at: number;
  readonly type: string;
  readonly bounce: string | null;
  readonly reason: string | null;
}

/** A row of `recipient_deliveries`, with named facts instead of bits. */
export interface StoredRecipient {
  readonly email: string;
  readonly address: string;
  readonly facts: readonly string[];
  readonly reason: string | null;
  readonly smtpStatus: string | null;
}

export function readStoredOutcome({ database }: Testbed, organizationId: string): Promise<StoredOutcome> {
  return database.transaction(async (sql) => {
    await sql.query('set transaction isolation level repeatable read, read only');
    const suppressions = await sql.query<{ entry: string }>(SUPPRESSIONS, [organizationId]);
    return {
      reports: await sql.query<StoredReport & Record<string, unknown>>(REPORTS, [organizationId]),
      recipients: await sql.query<StoredRecipient & Record<string, unknown>>(RECIPIENTS, [organizationId]),
      campaign: (await sql.query<StoredOutcome['campaign']>(CAMPAIGN, [organizationId]))[0]!,
      contacts: await sql.query<StoredOutcome['contacts'][number]>(CONTACTS, [organizationId]),
      suppressions: suppressions.map(({ entry }) => entry),
    };
  });
}

const REPORTS = `
select email_id as email, address_key as address, extract(epoch from occurred_at)::float8 as at, type, bounce, reason
  from delivery_events where organization_id = $1`;

const RECIPIENTS = `
select r.email_id as email, lower(r.address) as address, r.reason, r.smtp_status as "smtpStatus",
       array(select name from (values (1, 'deferred'), (2, 'delivered'), (4, 'bounced'), (8, 'complained'),
         (16, 'suppressed'), (32, 'failed'), (64, 'unsubscribed'), (128, 'hard')) as facts (bit, name)
         where r.facts & bit <> 0 order by name) as facts
  from recipient_deliveries r join emails e on e.id = r.email_id where e.organization_id = $1`;

const CAMPAIGN = `
select coalesce(sum(delivered), 0)::int as delivered, coalesce(sum(deferred), 0)::int as deferred,
       coalesce(sum(bounced), 0)::int as bounced, coalesce(sum(complained), 0)::int as complained,
       coalesce(sum(unsubscribed), 0)::int as unsubscribed, coalesce(sum(suppressed), 0)::int as suppressed
  from campaign_totals t join campaigns k on k.id = t.campaign_id where k.organization_id = $1`;

const CONTACTS = `
select address_key as address, bounces::int, complaints::int from contacts where organization_id = $1`;

const SUPPRESSIONS = `
select address_key || ' ' || reason as entry from suppressions where organization_id = $1`;
