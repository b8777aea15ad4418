import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import { AUDIT_ACTIONS } from '../../src/organizations/audit/audit-actions.js';
import { eventually } from '../support/eventually.js';
import { runRecurringJobs } from '../support/recurring-runs.js';
import { runCli } from '../support/program.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

/*
 * Follows the runbook for abuse in docs/operations.md literally. A command added to the page fails here until the test
 * knows what it must effect. How fast commands take effect in other processes is shown where their caches are tested.
 */

const TIMEOUT_MS = 60_000;
const EMAIL = {
  from: 'ada@acme.example',
  to: 'Jane Doe <jane.doe@example.com>',
  subject: 'Hello',
  htmlContent: '<a href="https://login.phish.example/">x</a>',
};

let page: string;
/** Two processes of the API and of the edge. */
let services: TestService[];
let client: TestClient;
/** Sent mail. */
let sent: TrackResponse;

beforeAll(async () => {
  page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'operations.md'), 'utf8');
  const service = await TestService.start();
  services = [service, await TestService.start({ beside: service, environment: { ROLES: 'api,tracking' } })];
});
beforeEach(async () => {
  client = await services[0]!.organization();
  ({ body: sent } = await client.post<TrackResponse>('/api/emails', EMAIL));
});
afterAll(async () => {
  for (const service of [...(services ?? [])].reverse()) await service.stop();
});

const runbook = (title: string): string => {
  const [, text] = new RegExp(`^### ${title}\n([^]*?)^### `, 'm').exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/operations.md has no section "${title}"`);
  return text;
};

/** The commands of a section as they are written, without the comments after them. */
const commandsOf = (title: string): string[] =>
  [...runbook(title).matchAll(/npm run --silent cli -- ([^\n#`]+)/g)].map(([, command]) => command!.trim());

/** Runs a command as it is written, with the values of this test. */
async function run(command: string): Promise<unknown> {
  const key = client.apiKey.split('_')[1]!;
  const values: Record<string, string> = { ORGANIZATION: client.organizationId, KEY: key, EMAIL: sent.emailTrackingId };
  const text = command.replace(/\b(ORGANIZATION|KEY|EMAIL)\b/g, (name) => values[name]!);
  const words = [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
  const { DATABASE_URL, REDIS_URL } = services[0]!.settings;
  const { code, output } = await runCli({ DATABASE_URL: DATABASE_URL!, REDIS_URL }, ...words);
  expect({ command, code, output: code === 0 ? '' : output }).toEqual({ command, code: 0, output: '' });
  return JSON.parse(output);
}

/** Waits until every process responds with this status to the key. */
async function everywhere(responds: (response: ApiResponse<{ error?: string }>) => boolean): Promise<void> {
  for (const service of services) {
    const there = service.client(client.organizationId, client.apiKey);
    await eventually(async () => responds(await there.get('/api/campaigns')), TIMEOUT_MS);
  }
}

/** Waits until every process responds with this status to a click in sent mail. */
async function clicks(status: number): Promise<void> {
  for (const service of services) {
    await eventually(async () => (await service.track(sent.links[0]!.trackingUrl)).status === status, TIMEOUT_MS);
  }
}

const suspended = () =>
  everywhere(({ status, body }) => status === 403 && body.error!.includes('Reported for phishing'));
const blocked = () => clicks(403);

describe('the runbook "A customer spams"', () => {
  const effects: Record<string, (output: unknown) => Promise<void>> = {
    "org suspend ORGANIZATION --reason 'Reported for phishing'": async () => {
      await suspended();
      await clicks(302);
    },
    'org resume ORGANIZATION': async () => everywhere(({ status }) => status === 200),
    "org suspend ORGANIZATION --reason 'Reported for phishing' --cancel --links": async (output) => {
      expect(output).toMatchObject({ canceled: { emails: 1, broadcasts: 0 } });
      await suspended();
      await blocked();
      // Half a minute later.
      await services[0]!.database.query('update sending_guards set cancel_step_at = now() where organization_id = $1', [
        client.organizationId,
      ]);
      await runRecurringJobs(services[0]!.settings.REDIS_URL, ['cancel-mail']);
      await run('org resume ORGANIZATION');
      await clicks(302);
    },
    'links block --host phish.example': async () => {
      await blocked();
      await run('links unblock --host phish.example');
      await clicks(302);
    },
    'links block --email EMAIL': blocked,
    'links block --org ORGANIZATION': blocked,
    'links list': async (output) => {
      expect(output).toHaveLength(2);
      await run('links block --host phish.example');
    },
    'links unblock --host phish.example': async (output) => expect(output).toMatchObject({ changed: true }),
  };

  it('has the documented effects, command by command', async () => {
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    expect((await client.post('/api/send', { ...EMAIL, sendAt })).status).toBe(202);
    const commands = commandsOf('A customer spams');
    expect(commands).toEqual(Object.keys(effects));
    for (const command of commands) await effects[command]!(await run(command));
  }, 400_000);
});

describe('the runbook "A key leaked"', () => {
  it('finds what the key created, and revokes it', async () => {
    const made = await client.post<{ id: string; key: string }>('/api/keys', { name: 'Made by the thief' });
    const url = 'https://thief.example/';
    expect((await client.post('/api/webhooks', { url, events: ['EMAIL_SENT'] })).status).toBe(201);
    const thief = `key:${client.apiKey.split('_')[1]}`;

    const [list, revoke, audit, create, ...others] = commandsOf('A key leaked');
    expect(others).toEqual([]);
    expect(await run(list!)).toContainEqual(expect.objectContaining({ id: made.body.id, createdBy: thief }));
    await run(revoke!);
    await everywhere(({ status }) => status === 401);
    const changes = (await run(audit!)) as { action: string }[];
    expect(changes.map(({ action }) => action).sort()).toEqual(['key.created', 'webhook.created']);
    // Keys that it created work until they are revoked.
    client = services[0]!.client(client.organizationId, made.body.key);
    await everywhere(({ status }) => status === 200);
    await run(revoke!);
    await everywhere(({ status }) => status === 401);
    expect(await run(create!)).toMatchObject({ scopes: ['send'], allowedDomains: ['example.com'] });
  }, 400_000);

  it('names actions of the audit log that exist', () => {
    const named = [...runbook('A key leaked').matchAll(/`(\w+\.\w+)`/g)].map(([, action]) => action!);
    expect(named).not.toEqual([]);
    expect(named.filter((action) => !(AUDIT_ACTIONS as readonly string[]).includes(action))).toEqual([]);
  });
});

describe('the runbook "A person wants to be forgotten"', () => {
  /** Method and path of the requests that the page shows for curl. */
  const requestsOf = (title: string) =>
    [...runbook(title).matchAll(/`curl ([^`]*)https:\/\/HOST(\/[^` ]*)/g)].map(([, options, path]) => ({
      method: /-X (\w+)/.exec(options!)?.[1] ?? 'GET',
      path: path!.replace('ADDRESS', encodeURIComponent('Jane.Doe@example.com')),
      sendsKey: options!.includes('-H "x-api-key: KEY"'),
    }));

  it('exports the person, and repeats the erasure until the contact is not found', async () => {
    const [copy, erase, ...others] = requestsOf('A person wants to be forgotten');
    expect(others).toEqual([]);
    expect([copy, erase].map((request) => request!.sendsKey)).toEqual([true, true]);
    const { status, body } = await client.request<object>(copy!.path, { method: copy!.method });
    expect({ status, text: JSON.stringify(body) }).toEqual({
      status: 200,
      text: expect.stringContaining('jane.doe@example.com'),
    });
    const responses: number[] = [];
    await eventually(async () => {
      responses.push((await client.request<object>(erase!.path, { method: erase!.method })).status);
      return responses.at(-1) === 404;
    }, TIMEOUT_MS);
    expect(responses.filter((one) => ![202, 204, 404].includes(one))).toEqual([]);
    expect((await client.request<object>(copy!.path, { method: copy!.method })).status).toBe(404);
  });

  it('finds an earlier erasure in the audit log by its hash', async () => {
    const [statement] = /select encode\(person_hash\([^`]+/.exec(runbook('A person wants to be forgotten'))!;
    await client.delete('/api/contacts/jane.doe%40example.com');
    const [row] = await services[0]!.database.query<{ encode: string }>(
      statement.replace('ORGANIZATION', client.organizationId).replace('address in lower case', 'jane.doe@example.com'),
    );
    const { body } = await client.get<{ entries: { target: { id: string } }[] }>('/api/audit?action=contact.erased');
    expect(JSON.stringify(body)).toContain(row!.encode);
  });
});
