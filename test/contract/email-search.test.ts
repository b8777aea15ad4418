import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { firstUuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

const OLD = 12_000;

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

interface Listed {
  emails: EmailSummary[];
}

/**
 * Inserts emails of the hour before `since`. Number 1 is the oldest, the numbers are the tracking IDs, and emails with
 * a number divisible by 1,000 have another subject.
 */
async function insertOld(since: number): Promise<void> {
  await service.database.query(
    `with made as (
       insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at)
       select (substr($3, 1, 24) || lpad(n::text, 12, '0'))::uuid, $1::text || '-' || n, $1::uuid, '{}', 'failed', now()
         from generate_series(1, $2::integer) n returning id, tracking_id)
     insert into email_contents (email_id, sender, to_addresses, subject, html)
     select id, '', '{x@example.com}',
            case when tracking_id like '%000' then 'A NEEDLE of ' || tracking_id else 'hay' end, '' from made`,
    [client.organizationId, OLD, firstUuidV7(since - 3_600_000)],
  );
}

async function sent(fields: object): Promise<string> {
  const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', textContent: 'x', ...fields };
  const { body } = await client.post('/api/send', email, { prefer: 'respond-async' });
  return String(body.emailTrackingId);
}

const numbers = (emails: readonly EmailSummary[]): number[] =>
  emails.map(({ trackingId }) => Number(trackingId.split('-').at(-1)));

/** Reads all pages. @param between runs before each page but the first */
async function search(query: string, between: () => Promise<unknown> = async () => undefined): Promise<Listed[]> {
  const pages: Listed[] = [];
  for (let path: string | undefined = `/api/emails?${query}`; path !== undefined;) {
    if (pages.length > 0) await between();
    const { status, body, headers } = await client.get<Listed>(path);
    expect(status).toBe(200);
    pages.push(body);
    path = nextPage(headers);
    if (pages.length > 60) throw new Error('The search does not end');
  }
  return pages;
}

it('the next page keeps the whole query, even with another question mark in it', async () => {
  for (const subject of ['what?a', 'what?b', 'plain what']) await sent({ subject });
  const subjects = (await search('search=what?&limit=1')).flatMap(({ emails }) => emails.map((email) => email.subject));
  expect(subjects).toEqual(['what?b', 'what?a']);
});

it.each([
  ['ΜΕΓΑΛΕΣ ΠΡΟΣΦΟΡΕΣ', ['ΠΡΟΣΦΟΡΕΣ', 'προσφορες', 'μεγαλες π']],
  ['Καλός', ['ΚΑΛΌΣ', 'καλός']],
  ['İyi Haberler', ['İyi', 'iyi HABER']],
  ['ÜBERSICHT', ['übersicht']],
])('finds the subject %s in upper and lower case', async (subject, texts) => {
  await sent({ subject });
  for (const text of texts) {
    const found = (await search(`search=${encodeURIComponent(text)}`)).flatMap(({ emails }) => emails);
    expect([text, found.map((email) => email.subject)]).toEqual([text, [subject]]);
  }
});

describe('GET /api/emails?search= of more than 5,000 emails', () => {
  it('finds every matching subject once, even while emails arrive', async () => {
    const expected = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((thousands) => thousands * 1_000);
    await insertOld(Date.now());
    for (const limit of [1, 2, 1000]) {
      const pages = await search(`search=needle&limit=${limit}`, () => sent({ subject: 'Another needle' }));
      expect([limit, pages.flatMap(({ emails }) => numbers(emails)).filter((n) => n > 0)]).toEqual([limit, expected]);
      // The search also finds emails that arrived before it began: change their subject for the next search.
      await service.database.query("update email_contents set subject = 'S' where subject = 'Another needle'");
    }
  });

  it('finds emails to a recipient at once, however old they are, and each only once', async () => {
    const toAnn = { to: 'ann.needle@example.com', subject: 'A needle for Ann' };
    const ann = [await sent(toAnn), await sent(toAnn)];
    // Newer than the emails to her.
    await insertOld(Date.now() + 7_200_000);
    // A limit of six ends the first page among the emails to her, so the next page begins behind subjects not searched
    // yet.
    for (const limit of [6, 50]) {
      const pages = await search(`search=needle&limit=${limit}`);
      const found = pages.flatMap(({ emails }) => emails.map(({ trackingId }) => trackingId));
      const first = pages[0]!.emails.map(({ trackingId }) => trackingId);
      expect(ann.some((id) => first.includes(id))).toBe(true);
      expect(ann.filter((id) => found.includes(id))).toEqual(ann);
      expect(new Set(found).size).toBe(found.length);
      expect([limit, found.length]).toEqual([limit, 14]);
    }
  });

  it('applies the times and statuses of the other filters, within the organization', async () => {
    const now = Date.now();
    await insertOld(now);
    const until = new Date(now).toISOString();
    const count = async (query: string): Promise<number> =>
      (await search(`search=needle&${query}`)).flatMap(({ emails }) => emails).length;
    expect(await count(`until=${until}`)).toBe(12);
    expect(await count(`since=${until}`)).toBe(0);
    expect(await count('status=failed')).toBe(0);
    expect(await count('state=bounced')).toBe(0);
    client = await service.organization();
    expect(await count('limit=10')).toBe(0);
  });

  it('finds the oldest emails even if many others get the status of the filter meanwhile', async () => {
    await insertOld(Date.now());
    const fail = (condition: string): Promise<unknown> =>
      service.database.query(`update emails e set failed_at = now() where organization_id = $1 and ${condition}`, [
        client.organizationId,
      ]);
    await fail("tracking_id like '%000'");
    const pages = await search('search=needle&status=failed&limit=5', () => fail('failed_at is null'));
    const expected = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((thousands) => thousands * 1_000);
    expect(pages.flatMap(({ emails }) => numbers(emails))).toEqual(expected);
  });

  it('refuses the cursor of another list', async () => {
    const cursor = (parts: string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const id = firstUuidV7(Date.now());
    for (const parts of [[id], [id, 'newer'], ['x', id], [id, id, id]]) {
      expect((await client.get(`/api/emails?search=needle&cursor=${cursor(parts)}`)).status).toBe(400);
    }
    expect((await client.get(`/api/emails?cursor=${cursor([id, 'older'])}`)).status).toBe(400);
  });
});
