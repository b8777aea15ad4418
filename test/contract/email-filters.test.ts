import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import type { RecipientView } from '../../src/emails/recipients/recipient-views.js';
import { RECIPIENT_STATES } from '../../src/emails/recipients/recipient-state.js';
import { firstUuidV7, uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

async function sent(fields: object = {}): Promise<SendResponse> {
  const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', textContent: 'x', ...fields };
  const { status, body } = await client.post<SendResponse>('/api/send', email, { prefer: 'respond-async' });
  expect(status).toBe(202);
  return body;
}

async function found(query: string): Promise<string[]> {
  const { status, body } = await client.get<{ emails: EmailSummary[] }>(`/api/emails?${query}`);
  expect(status).toBe(200);
  return body.emails.map(({ trackingId }) => trackingId);
}

const ids = (...emails: SendResponse[]): string[] => emails.map(({ emailTrackingId }) => emailTrackingId);

describe('GET /api/emails', () => {
  it('filters by tag, within the organization', async () => {
    const both = await sent({ tags: ['a', 'b'] });
    const one = await sent({ tags: ['a'], to: 'other@example.com' });
    await sent();
    const owner = client;
    client = await service.organization();
    const foreign = await sent({ tags: ['a'] });
    expect(await found('tag=a')).toEqual(ids(foreign));
    client = owner;
    expect(await found('tag=a')).toEqual(ids(one, both));
    expect(await found('tag=b')).toEqual(ids(both));
    expect(await found('tag=A')).toEqual([]);
    expect(await found('tag=a&recipient=other@example.com')).toEqual(ids(one));
    expect(await found('tag=b&recipient=other@example.com')).toEqual([]);
    expect(await found('tag=a&status=queued&from=ada@acme.example')).toEqual(ids(one, both));
    expect(await found('tag=a&status=failed')).toEqual([]);
  });

  it('searches addresses of recipients and subjects, together with other filters, page by page', async () => {
    const ann = await sent({ to: 'Ann.Lee@example.com', subject: 'Your INVOICE 1', tags: ['bill'] });
    const bob = await sent({ to: ['bob@example.com', 'ann.lee@example.com'], subject: 'Hello' });
    const eve = await sent({ to: 'eve@example.com', subject: 'Invoice 50% off_', campaignId: 'Spring' });
    const both = await sent({ to: 'invoice@example.com', subject: 'An invoice' });
    expect(await found('search=ann.lee')).toEqual(ids(bob, ann));
    expect(await found('search=%20ANN.LEE%20')).toEqual(ids(bob, ann));
    expect(await found('search=invoice')).toEqual(ids(both, eve, ann));
    expect(await found('search=INVOICE&tag=bill')).toEqual(ids(ann));
    expect(await found('search=invoice&campaignId=Spring')).toEqual(ids(eve));
    expect(await found('search=invoice&recipient=ann.lee@example.com')).toEqual(ids(ann));
    expect(await found('search=invoice&status=failed')).toEqual([]);
    for (const [text, emails] of [
      ['50% off_', [eve]],
      ['5_% off', []],
      ['example.com', [both, eve, bob, ann]],
    ] as const) {
      expect(await found(`search=${encodeURIComponent(text)}`)).toEqual(ids(...emails));
    }
    const pages: string[] = [];
    for (let path: string | undefined = '/api/emails?search=invoice&limit=1'; path !== undefined;) {
      const { body, headers } = await client.get<{ emails: EmailSummary[] }>(path);
      pages.push(...body.emails.map(({ trackingId }) => trackingId));
      path = nextPage(headers);
    }
    expect(pages).toEqual(ids(both, eve, ann));
    client = await service.organization();
    expect(await found('search=invoice')).toEqual([]);
  });

  it.each(['', 'x', '%20x%20', 'x'.repeat(255)])('refuses to search for %j', async (text) => {
    const { status, body } = await client.get(`/api/emails?search=${text}`);
    expect([status, body.error]).toEqual([400, 'search must have 2 to 254 characters']);
  });

  it('filters by sender, as requested and as rewritten', async () => {
    const ada = await sent({ from: 'Ada <ADA@acme.example>' });
    const bob = await sent({ from: 'bob@acme.example' });
    const used = /<?([^<>]+)>?$/.exec(ada.from)![1]!;
    expect(used).toMatch(/@platform\.test$/);
    for (const from of ['ada@ACME.example', used])
      expect(await found(`from=${encodeURIComponent(from)}`)).toEqual(ids(ada));
    expect(await found('from=bob@acme.example')).toEqual(ids(bob));
    expect(await found('from=nobody@acme.example')).toEqual([]);
    expect(await found('from=ada@acme.example&recipient=reader@example.com')).toEqual(ids(ada));
    client = await service.organization();
    expect(await found(`from=${encodeURIComponent(used)}`)).toEqual([]);
  });

  it('filters by time of acceptance: from `since`, inclusive, to `until`, exclusive', async () => {
    const email = await sent({ tags: ['timed'] });
    const { body } = await client.get<{ emails: EmailSummary[] }>('/api/emails');
    const at = Date.parse(body.emails[0]!.createdAt);
    const time = (offset: number): string => new Date(at + offset).toISOString();
    for (const other of ['', '&tag=timed', '&recipient=reader@example.com', '&state=pending', '&status=queued']) {
      expect(await found(`since=${time(0)}${other}`)).toEqual(ids(email));
      expect(await found(`since=${time(1)}${other}`)).toEqual([]);
      expect(await found(`until=${time(1)}${other}`)).toEqual(ids(email));
      expect(await found(`until=${time(0)}${other}`)).toEqual([]);
    }
    expect(await found(`since=${time(0).slice(0, 10)}&until=2999-01-01T00:00:00%2B02:00`)).toEqual(ids(email));
  });

  it('finds an email by the recipients in to that were not left out, and by the state of those that were', async () => {
    await client.post('/api/suppressions', { address: 'left-out@example.com' });
    const email = await sent({ to: ['left-out@example.com', 'reader@example.com'] });
    expect(await found('recipient=reader@example.com')).toEqual(ids(email));
    expect(await found('recipient=left-out@example.com')).toEqual([]);
    expect(await found('state=suppressed')).toEqual(ids(email));
  });

  it('filters by the state of a recipient, with the same states as the email', async () => {
    const facts = [0, 1, 2, 4, 8, 16, 32, 4 | 2, 16 | 2, 64, 256];
    for (const status of ['queued', 'sent', 'failed', 'canceled'] as const) {
      for (const state of ['accepted', 'deferred', 'refused', undefined]) {
        for (const bits of state === undefined ? [0] : facts) {
          const { emailTrackingId } = await sent({ to: ['one@example.com', 'two@example.com'] });
          await service.database.query('update emails set status = $2 where tracking_id = $1', [
            emailTrackingId,
            status,
          ]);
          if (state === undefined) continue;
          await service.database.query(
            `insert into recipient_deliveries (email_id, address, state, facts)
             select id, 'two@example.com', $2, $3 from emails where tracking_id = $1`,
            [emailTrackingId, state, bits],
          );
        }
      }
    }
    // Emails in a final state have no pending row.
    await service.database.query(
      "delete from pending_emails p using emails e where e.id = p.email_id and e.status <> 'queued'",
    );
    const all = await found('');
    const recipients = new Map<string, readonly RecipientView[]>();
    for (const id of all) {
      recipients.set(id, (await client.get<{ recipients: RecipientView[] }>(`/api/emails/${id}`)).body.recipients);
    }
    for (const state of RECIPIENT_STATES) {
      const expected = all.filter((id) => recipients.get(id)!.some((recipient) => recipient.state === state));
      expect(expected.length).toBeGreaterThan(0);
      expect([state, await found(`state=${state}`)]).toEqual([state, expected]);
    }
  });

  it('ends a page early when few emails match, with a link to the rest', async () => {
    const rare = await sent({ tags: ['many'] });
    await service.database.query(
      `with new as (
         insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at, tags)
         select gen_random_uuid(), 'many-' || n, $1, '{}', 'failed', now(), '{many}' from generate_series(1, 4000) n
         returning id)
       select id from new`,
      [client.organizationId],
    );
    // Newer than the matching email.
    await service.database.query(
      `update emails set id = (substr($2, 1, 24) || lpad(substr(tracking_id, 6), 12, '0'))::uuid
        where organization_id = $1 and tracking_id like 'many-%'`,
      [client.organizationId, firstUuidV7(Date.now() + 60_000)],
    );
    await service.database.query(
      `insert into email_contents (email_id, sender, to_addresses, subject, html)
       select id, '', '{x@example.com}', '', '' from emails where organization_id = $1 and tracking_id like 'many-%'`,
      [client.organizationId],
    );
    await service.database.query(
      `insert into email_tags select organization_id, 'many', id from emails
        where organization_id = $1 and tracking_id like 'many-%'`,
      [client.organizationId],
    );
    for (const query of ['tag=many&status=queued', 'state=pending', 'tag=many&state=pending']) {
      const first = await client.get<{ emails: EmailSummary[] }>(`/api/emails?${query}`);
      expect(first.body.emails).toEqual([]);
      const rest = await client.get<{ emails: EmailSummary[] }>(nextPage(first.headers)!);
      expect(rest.body.emails.map(({ trackingId }) => trackingId)).toEqual(ids(rare));
      expect(nextPage(rest.headers)).toBeUndefined();
    }
  });

  it.each([
    ...['tag=', 'tag=a%20b', 'tag=a&tag=b', 'from=ada', 'from=', 'state=opened', 'state='],
    ...['since=yesterday', 'since=', 'until=2026-13-01', 'until=2026-03-01T09:30', 'since=1e3', 'until=-1'],
  ])('refuses %s', async (query) => {
    const { status, body } = await client.get<{ details: { field: string }[] }>(`/api/emails?${query}`);
    expect([status, body.details[0]?.field]).toEqual([400, query.split('=')[0]]);
  });
});

it('the first UUID of a millisecond sorts before all others of it', () => {
  const now = Date.now();
  for (let count = 0; count < 1_000; count++) expect(uuidV7(now) >= firstUuidV7(now)).toBe(true);
  expect(uuidV7(now - 1) < firstUuidV7(now)).toBe(true);
});
