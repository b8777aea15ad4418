import type { Database } from '../../src/platform/database/database.js';

/** Every row of a full organization contains this text: in a name, an address or a host. */
export const TELLTALE = 'telltale';

/**
 * Inserts rows for the organization into every table that can hold some, in addition to those it has: more contacts
 * with emails and events than fit into one batch, and one row of everything else.
 */
export async function fillOrganization(database: Database, organizationId: string, contacts = 1_200): Promise<void> {
  await database.transaction(async (sql) => {
    const run = (statement: string, ...values: unknown[]) => sql.query(statement, [organizationId, ...values]);
    await run(`insert into campaigns (id, organization_id, name) values (gen_random_uuid(), $1, '${TELLTALE}')`);
    await run(`insert into campaign_totals (campaign_id, shard) select id, 1 from campaigns where organization_id = $1
               on conflict do nothing`);
    await run(`insert into campaign_links (campaign_id, url_hash, url)
               select id, '\\x01', 'https://${TELLTALE}.example/' from campaigns where organization_id = $1`);
    await run(
      `with contact as (
         insert into contacts (organization_id, address_key, address, first_seen_at, last_activity_at)
         select $1, n || '@${TELLTALE}.example', n || '@${TELLTALE}.example', now(), now()
           from generate_series(1, $2::integer) n returning id, address
       ), searchable as (
         insert into contact_search (contact_id, organization_id, letters)
         select id, $1, search_letters(address) from contact
       ), email as (
         insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status)
         select gen_random_uuid(), 't-' || contact.id, $1, c.id, array[contact.id], 'sent'
           from contact, campaigns c where c.organization_id = $1 and c.name = '${TELLTALE}'
         returning id, campaign_id, contact_ids[1] as contact_id
       ), content as (
         insert into email_contents (email_id, sender, to_addresses, subject, html)
         select email.id, 'x@${TELLTALE}.example', array[address], 'S', '<p>x</p>' from email
           join contact on contact.id = email.contact_id
       ), membership as (
         insert into contact_campaigns (contact_id, campaign_id) select contact_id, campaign_id from email
       ), sent as (
         insert into contact_emails (contact_id, email_id) select contact_id, id from email
       ), event as (
         insert into events (id, ordinal, occurred_at, type, email_id, contact_id, url)
         select gen_random_uuid(), 1, now() - n * interval '1 day', 'clicked', id, contact_id,
                'https://${TELLTALE}.example/' from email, generate_series(1, 3) n
       )
       insert into delivery_events (id, occurred_at, organization_id, email_id, address_key, type)
       select gen_random_uuid(), now(), $1, email.id, address, 'delivered' from email
         join contact on contact.id = email.contact_id`,
      contacts,
    );
    // One contact has more events than a batch holds.
    await run(`insert into events (id, ordinal, occurred_at, type, email_id, contact_id)
               select gen_random_uuid(), 1, now() - n * interval '1 s', 'opened', e.id, e.contact_ids[1]
                 from (select * from emails where organization_id = $1 order by id limit 1) e, generate_series(1, 5000) n`);
    await run(`insert into hourly_stats (organization_id, campaign_id, hour, emails)
               select $1, id, date_trunc('hour', now()) - n * interval '1 hour', 1 from campaigns, generate_series(1, 500) n
                where organization_id = $1 and name = '${TELLTALE}'`);
    await run(`insert into stat_deltas (organization_id, hour, emails) values ($1, date_trunc('hour', now()), 1)`);
    const email = `(select id from emails where organization_id = $1 order by id limit 1)`;
    const perEmail = [
      `email_tags (organization_id, tag, email_id) values ($1, '${TELLTALE}', ${email})`,
      `canceled_emails (organization_id, email_id) values ($1, ${email})`,
      `email_links (email_id, urls) values (${email}, '{https://${TELLTALE}.example/}')`,
      `email_link_clicks (email_id, position) values (${email}, 900)`,
      `email_machine_hits (email_id, class, hits) values (${email}, 3, 1)`,
      `late_bodies (email_id) values (${email})`,
      `email_attempts (email_id, number, reason) values (${email}, 1, '${TELLTALE}')`,
      `recipient_deliveries (email_id, address, state) values (${email}, '1@${TELLTALE}.example', 'accepted')`,
      `event_sums (id, email_id, opens, clicks) values (gen_random_uuid(), ${email}, 1, 1)`,
      `attachment_contents (organization_id, sha256, bytes) values ($1, '\\x02', '${TELLTALE}')`,
      `email_attachments (email_id, position, organization_id, sha256, size, filename, content_type)
         values (${email}, 0, $1, '\\x02', 8, '${TELLTALE}', 'text/plain')`,
      `pending_emails (email_id, organization_id) values (${email}, $1)`,
      `idempotency_keys (organization_id, key, request_hash, email_id, running_until)
         values ($1, '${TELLTALE}', '\\x03', ${email}, now())`,
      `suppressions (organization_id, address_key, address, reason, email_id)
         values ($1, '1@${TELLTALE}.example', '1@${TELLTALE}.example', 'manual', ${email})`,
      `erased_suppressions (organization_id, address_hash, reason) values ($1, '\\x04', 'complaint')`,
      `soft_bounce_resets (organization_id, address_key) values ($1, '1@${TELLTALE}.example')`,
      `messages (id, organization_id, subject) values (gen_random_uuid(), $1, '${TELLTALE}')`,
      `broadcasts (id, organization_id, message_id, name, sender)
         select gen_random_uuid(), $1, id, '${TELLTALE}', 'x@${TELLTALE}.example' from messages where organization_id = $1`,
      `broadcast_recipients (broadcast_id, address_key, address, place)
         select id, '2@${TELLTALE}.example', '2@${TELLTALE}.example', 1 from broadcasts where organization_id = $1`,
      `templates (id, organization_id, name) values (gen_random_uuid(), $1, '${TELLTALE}')`,
      `template_versions (id, template_id, version, subject, html_content, variables)
         select gen_random_uuid(), id, 1, '${TELLTALE}', '', '{}' from templates where organization_id = $1`,
      `webhook_endpoints (id, organization_id, url)
         values (gen_random_uuid(), $1, 'https://${TELLTALE}.example/')`,
      `webhook_deliveries (id, endpoint_id, type, body, email_id)
         select gen_random_uuid(), id, 'EMAIL_SENT', '{"to":"1@${TELLTALE}.example"}', ${email}
           from webhook_endpoints where organization_id = $1`,
      `webhook_attempts (delivery_id, number, started_at, duration_ms, answer)
         select d.id, 1, now(), 1, '${TELLTALE}' from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
          where w.organization_id = $1`,
      `sending_domains (id, organization_id, domain) values (gen_random_uuid(), $1, '${TELLTALE}.example')`,
      `tracking_domains (id, organization_id, domain, created_at, ownership_token, records)
         values (gen_random_uuid(), $1, '${TELLTALE}.example', now(), '${TELLTALE}', '[]')`,
      `organization_providers (id, organization_id, name, type, sealed_credentials)
         values (gen_random_uuid(), $1, '${TELLTALE}', 'resend', '${TELLTALE}')`,
      `tracking_base_urls (organization_id, used_from, domain, base_url)
         values ($1, now(), '${TELLTALE}.example', 'https://${TELLTALE}.example')`,
      `sending_guards (organization_id, state) values ($1, 'warned')`,
      `sending_rates (organization_id, hour, domain) values ($1, now(), '${TELLTALE}.example')`,
      `budget_usage (organization_id, budget, period) values ($1, 'emailsPerDay', now())`,
      `blocked_links (kind, value) values ('organization', $1::uuid::text)`,
      `blocked_links (kind, value) select 'email', tracking_id from emails where id = ${email}`,
    ];
    for (const rows of perEmail) await run(`insert into ${rows}`);
    await run(`with erased as (
        insert into contacts (address_key, address, first_seen_at, last_activity_at)
        values ('gone@${TELLTALE}.example', 'gone@${TELLTALE}.example', now(), now()) returning id
      ), seen as (
        insert into events (id, ordinal, occurred_at, type, email_id, contact_id, url)
        select gen_random_uuid(), 1, now() - n * interval '1 s', 'clicked', ${email}, id, 'https://${TELLTALE}.example/'
          from erased, generate_series(1, 1000) n
      ), erasure as (
        insert into contact_erasures (id, organization_id, contact_id, address_key, step_at)
        select gen_random_uuid(), $1, id, 'gone@${TELLTALE}.example', now() + interval '1 day' from erased returning id
      ) insert into contact_erasure_emails (erasure_id, turn, email_id) select id, 0, ${email} from erasure`);
    await run(`with person as (
        insert into users (id, email) values (gen_random_uuid(), 'owner@${TELLTALE}.example') returning id
      ), member as (
        insert into memberships (user_id, organization_id, role) select id, $1, 'owner' from person
      ), token as (
        insert into user_tokens (token_hash, user_id, purpose, expires_at)
        select '\\x05', id, 'password', now() + interval '1 day' from person
      ) insert into sessions (id, token_hash, user_id, organization_id, second_factor, expires_at)
        select gen_random_uuid(), '\\x06', id, $1, false, now() + interval '1 day' from person`);
  });
}
