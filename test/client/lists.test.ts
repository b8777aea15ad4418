import type { Mailbeacon } from '../../packages/client/src/index.js';
import { TestService } from '../support/service.js';
import { RecordingClient } from './recording-client.js';

let service: TestService;
let client: Mailbeacon;

beforeAll(async () => {
  service = await TestService.start();
  client = new RecordingClient(service, await service.organization());
});
afterAll(async () => service?.stop());

const message = { from: 'ada@acme.example', to: 'reader@example.com', campaignId: 'Sale' };

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

it('goes through all pages of a list, and stops when the reader stops', async () => {
  const subjects = Array.from({ length: 7 }, (_, n) => `Subject ${n}`);
  for (const subject of subjects) await client.emails.track({ ...message, subject, htmlContent: '<p>x</p>' });
  const list = client.emails.list({ limit: 3, recipient: 'reader@example.com' });
  expect((await all(list)).map(({ subject }) => subject)).toEqual([...subjects].reverse());
  expect((await all(list.pages())).map(({ items }) => items.length)).toEqual([3, 3, 1]);
  const first = await list.first();
  const { items } = await client.emails.list({ limit: 3, cursor: first.nextCursor }).first();
  expect(items.map(({ subject }) => subject)).toEqual(['Subject 3', 'Subject 2', 'Subject 1']);
  const recorded = (client as RecordingClient).succeeded;
  recorded.length = 0;
  for await (const { subject } of list) if (subject === 'Subject 5') break;
  expect(recorded).toHaveLength(1);
});

it('goes through the emails and the links of a campaign', async () => {
  for (const half of ['a', 'b']) {
    const anchors = Array.from({ length: 600 }, (_, n) => `<a href="https://example.com/${half}/${n}">${n}</a>`);
    await client.emails.track({ ...message, campaignId: 'Links', subject: half, htmlContent: anchors.join(' ') });
  }
  const [campaign] = await all(client.campaigns.list({ limit: 1 }));
  const { id, name } = campaign!;
  expect(name).toBe('Links');
  expect(await all(client.campaigns.links(id))).toHaveLength(1_200);
  expect(await all(client.campaigns.emails(id, { limit: 1 }))).toHaveLength(2);
});

it('adds recipients of any number from a generator, and names the bad ones by their place', async () => {
  const { id } = await client.broadcasts.create({ name: 'B', from: message.from, subject: 'S', htmlContent: 'x' });
  let read = 0;
  async function* recipients() {
    for (; read < 2_500; read++)
      yield { to: read === 1_233 ? 'nobody' : `reader-${read % 2_400}@example.com`, variables: { read } };
  }
  const result = await client.broadcasts.addRecipients(id, recipients());
  expect(result).toMatchObject({ added: 2_399, repeated: 100, suppressed: 0, invalidTotal: 1 });
  expect(result.invalid.map(({ line }) => line)).toEqual([1_234]);
  expect((await client.broadcasts.get(id)).progress.total).toBe(2_399);
  const csv = 'to,name\ncsv@example.com,Ada\n';
  const stream = new Blob([csv]).stream() as ReadableStream<Uint8Array>;
  expect(await client.broadcasts.addRecipientsFromCsv(id, stream)).toMatchObject({ added: 1 });
  expect(await client.broadcasts.addRecipientsFromCsv(id, csv)).toMatchObject({ repeated: 1 });
  expect(await client.broadcasts.addRecipients(id, [])).toMatchObject({ added: 0, invalid: [] });
});

it('names the bad ones by their place even when long variables make the pieces of an upload short', async () => {
  const { id } = await client.broadcasts.create({ name: 'L', from: message.from, subject: 'S', htmlContent: 'x' });
  const variables = { text: 'x'.repeat(9_000) };
  const recipients = Array.from({ length: 140 }, (_, at) => ({
    to: at === 130 ? 'nobody' : `r${at}@example.com`,
    variables,
  }));
  const result = await client.broadcasts.addRecipients(id, recipients);
  expect(result).toMatchObject({ added: 139, invalidTotal: 1 });
  expect(result.invalid.map(({ line }) => line)).toEqual([131]);
});

it('throws what the source of recipients throws', async () => {
  const { id } = await client.broadcasts.create({ name: 'C', from: message.from, subject: 'S', htmlContent: 'x' });
  async function* broken(): AsyncGenerator<{ to: string }> {
    yield { to: 'reader@example.com' };
    throw new RangeError('the file ended');
  }
  await expect(client.broadcasts.addRecipients(id, broken())).rejects.toThrow(RangeError);
});
