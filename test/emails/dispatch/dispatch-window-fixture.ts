import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import type { Database } from '../../../src/platform/database/database.js';
import { AcceptedEmails } from '../../../src/emails/accept/accepted-emails.js';
import type { LeftOutRecipients } from '../../../src/emails/accept/left-out-recipients.js';
import { unverifiedSender } from '../../../src/emails/accept/sender.js';
import { DispatchWindow } from '../../../src/emails/dispatch/dispatch-window.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import type { NewEmail } from '../../../src/emails/accept/new-email.js';
import { NO_LISTENERS } from '../../support/no-listeners.js';

export let database: Database;
export let window: DispatchWindow;
let opened: OpenTestDatabase;

/** Gives each test of the file its own database. */
export function useDispatchWindow(): void {
  beforeEach(async () => {
    opened = await openTestDatabase();
    ({ database } = opened);
    window = new DispatchWindow(database);
  });

  afterEach(() => opened.close());
}

export async function feed(slots: number) {
  return window.feed(slots, await window.epoch());
}

export async function backlog(emails: number): Promise<string> {
  const organization = await insertOrganization(database);
  await insertBacklog(database, organization, emails);
  return organization;
}

/** Gives an organization a provider of its own, whose credentials nobody reads. */
export async function giveOwnProvider(organization: string): Promise<void> {
  await database.query(
    `insert into organization_providers (id, organization_id, name, type, sealed_credentials)
     values (gen_random_uuid(), $1, 'main', 'resend', 'sealed')`,
    [organization],
  );
}

export function newEmail(organizationId: string): NewEmail {
  const id = uuidV7(Date.now());
  const recipients = { to: [{ address: 'reader@example.com' }], cc: [], bcc: [] };
  return {
    ...{
      id,
      trackingId: id,
      organizationId,
      campaignId: null,
      status: 'queued',
      sender: unverifiedSender('ada@acme.example', null),
    },
    ...{
      recipients,
      subject: 'S',
      html: '<p>x</p>',
      ...{ text: null, headers: null, tags: null, attachments: [] },
      unsubscribe: false,
      metadata: null,
      urls: null,
      baseUrl: 'http://track.test',
      createdAt: new Date(),
    },
  };
}

/** No address is suppressed in these tests. */
const noneLeftOut = undefined as unknown as LeftOutRecipients;

export async function accept(organizationId: string) {
  const accepted = new AcceptedEmails(database, noneLeftOut, NO_LISTENERS);
  return (await accepted.accept(newEmail(organizationId)))!;
}

/** Number of emails with a job, for each of the given organizations, in order. */
export async function dispatched(...organizations: string[]): Promise<number[]> {
  const rows = await database.query<{ id: string; emails: number }>(
    `select organization_id as id, count(*)::integer as emails from pending_emails
      where dispatched_at is not null group by organization_id`,
  );
  return organizations.map((id) => rows.find((row) => row.id === id)?.emails ?? 0);
}

export async function finish(organization: string, emails: number): Promise<void> {
  await database.query(
    `delete from pending_emails where email_id in (
       select email_id from pending_emails where organization_id = $1 and dispatched_at is not null limit $2)`,
    [organization, emails],
  );
}

export async function pending(): Promise<{ email_id: string; generation: number }[]> {
  return database.query('select email_id, generation from pending_emails');
}

export async function front(): Promise<number> {
  const [row] = await database.query<{ front: number }>('select front from dispatch_window');
  return row!.front;
}

export async function shareNow(): Promise<number> {
  const [row] = await database.query<{ share: number }>('select share from dispatch_window');
  return row!.share;
}
