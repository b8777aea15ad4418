import { readSettings } from '../../src/platform/config/settings.js';
import { EventWebhooksStub, type StoredEventWebhook } from '../support/event-webhooks-stub.js';
import { runCommand } from '../support/command-line.js';
import { EventWebhookKey } from '../support/sendgrid-calls.js';

const API_KEY = 'SG.connect.secret-of-the-account';
const URL_OF_OURS = 'https://mail.example.com/api/providers/sendgrid/events';
const key = new EventWebhookKey();
let account: EventWebhooksStub;

beforeEach(async () => {
  account = await EventWebhooksStub.listen(API_KEY, key.publicKey);
});
afterEach(() => account.close());

function connect(url = 'https://mail.example.com/', apiKey = API_KEY) {
  return runCommand({ SENDGRID_API_KEY: apiKey, SENDGRID_API_URL: account.url }, 'sendgrid', 'connect', '--url', url);
}

const EVENTS = {
  ...{ delivered: true, deferred: true, bounce: true, dropped: true, spam_report: true },
  ...{ unsubscribe: true, group_unsubscribe: true, group_resubscribe: true },
};

function foreign(more: Partial<StoredEventWebhook> = {}): StoredEventWebhook {
  return { id: 'foreign', url: 'https://other.example/hook', enabled: true, friendly_name: 'CRM', open: true, ...more };
}

it('adds a signed webhook next to existing ones, prints the line for .env and requests a test', async () => {
  account.webhooks.push(foreign());
  const { code, output } = await connect();
  expect(JSON.parse(output)).toEqual({
    ...{ id: 'webhook-1', url: URL_OF_OURS, created: true },
    setting: `SENDGRID_EVENT_PUBLIC_KEY=${key.publicKey}`,
  });
  expect(code).toBe(0);
  expect(account.webhooks).toEqual([
    foreign(),
    {
      ...{ id: 'webhook-1', url: URL_OF_OURS, enabled: true, friendly_name: 'Mailbeacon', public_key: key.publicKey },
      ...EVENTS,
      ...{ open: false, click: false, processed: false },
    },
  ]);
  expect(account.tests).toEqual(['webhook-1']);
  const [, value] = /=(.*)/.exec((JSON.parse(output) as { setting: string }).setting)!;
  const settings = readSettings({ ROLES: 'flusher', SENDGRID_EVENT_PUBLIC_KEY: value });
  expect(settings.SENDGRID_EVENT_PUBLIC_KEY).toHaveLength(1);
});

it('a second run changes nothing and repeats the test', async () => {
  await connect();
  const before = JSON.stringify(account.webhooks);
  account.changes = [];
  const { output } = await connect(URL_OF_OURS);
  expect(JSON.parse(output)).toMatchObject({ id: 'webhook-1', created: false });
  expect(JSON.stringify(account.webhooks)).toBe(before);
  expect(account.changes).toEqual(['POST /v3/user/webhooks/event/test']);
});

it('a second run after an interruption signs the webhook that the first one added', async () => {
  account.signingFails = 500;
  expect((await connect()).output).toMatch(/^SendGrid responded with 500 to PATCH .*: try later\n$/);
  account.signingFails = undefined;
  expect(JSON.parse((await connect()).output)).toMatchObject({ id: 'webhook-1', created: false });
  expect(account.webhooks).toHaveLength(1);
});

it.each<[string, Partial<StoredEventWebhook>, RegExp]>([
  [
    'other events',
    { ...EVENTS, bounce: false, public_key: 'x' },
    /foreign posts to this address but does not report bounce:/,
  ],
  ['no signature', EVENTS, /but is not signed: change or delete it/],
  ['a switch that is off', { ...EVENTS, public_key: 'x', enabled: false }, /but is disabled/],
])('never overwrites a webhook for the same address with %s', async (_name, more, words) => {
  account.webhooks.push(foreign({ url: URL_OF_OURS, ...more }));
  const { code, output } = await connect();
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(words) });
  expect(account.changes).toEqual([]);
});

it('reports an account that may have no more webhooks', async () => {
  account.maxAllowed = 1;
  account.webhooks.push(foreign());
  const { code, output } = await connect();
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('has its 1 Event Webhooks already') });
  expect(account.changes).toEqual([]);
});

it.each([
  ['http://mail.example.com', API_KEY, 'url must be the public https address of this service'],
  ['mail.example.com', API_KEY, 'url must be the public https address of this service'],
  ['https://mail.example.com', 'SG.other', 'SENDGRID_API_KEY needs full access to Event Notification'],
  ['https://mail.example.com', '', 'SENDGRID_API_KEY must be set'],
])('ends with a sentence: %s with key %j', async (url, apiKey, words) => {
  const { code, output } = await connect(url, apiKey);
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(words) });
  expect(output).not.toMatch(/SG\.|\n\s+at /);
});
