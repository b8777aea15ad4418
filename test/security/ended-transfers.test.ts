import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

const TIMEOUT_MS = 60_000;
/** Larger than socket buffers, so that an export lasts until its client has read it. */
const EXPORTED_ROWS = 20_000;
const NOTE_BYTES = 1_000;
const RECIPIENT = '{"to":"a@example.com"}\n';
/** The clock of the API process, which the tests advance. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

interface Made {
  id: string;
  key: string;
}
const newKey = async (): Promise<Made> => (await client.post<Made>('/api/keys', {})).body;

/** The longest that a process caches a key, and less than a key may work after its end. */
const passKnownKeys = (): void => void (elapsedMs += 4_900);

function open(key: string, method: 'GET' | 'POST', path: string, type?: string): ClientRequest {
  const { hostname, port } = new URL(service.address);
  const headers = { 'x-api-key': key, ...(type && { 'content-type': type }) };
  return httpRequest({ hostname, port, path, method, headers, agent: false }).on('error', () => undefined);
}

interface Upload {
  readonly sending: ClientRequest;
  /** The status of the response, if there is one. */
  status?: number;
}

/** Starts to send an endless file, once its key has been checked. */
async function upload(key: string, path: string, type: string): Promise<Upload> {
  const sending = open(key, 'POST', path, type);
  sending.setHeader('expect', '100-continue');
  const begun: Upload = { sending };
  sending.on('response', (response: IncomingMessage) => {
    begun.status = response.statusCode!;
    response.resume();
  });
  sending.flushHeaders();
  await once(sending, 'continue');
  return begun;
}

/** Sends a line on each poll, until the connection is closed without a response. */
async function closed(begun: Upload, line: string): Promise<void> {
  const { sending } = begun;
  await eventually(() => {
    if (!sending.destroyed) sending.write(line);
    return sending.destroyed;
  }, TIMEOUT_MS);
  expect(begun.status).toBeUndefined();
}

async function recipientsPath(): Promise<string> {
  const message = { name: 'B', from: 'a@acme.example', subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<{ id: string }>('/api/broadcasts', message);
  return `/api/broadcasts/${body.id}/recipients`;
}

describe('An upload in progress ends within 5 seconds', () => {
  it('after the revocation of its key, unlike those of other keys', async () => {
    const [revoked, other] = [await newKey(), await newKey()];
    const file = await upload(revoked.key, '/api/suppressions/import', 'text/csv');
    file.sending.write('address\n');
    const lasting = await upload(other.key, await recipientsPath(), 'application/x-ndjson');
    expect((await client.delete(`/api/keys/${revoked.id}`)).status).toBe(204);
    passKnownKeys();
    await closed(file, 'a@example.com\n');
    lasting.sending.end(RECIPIENT);
    await eventually(() => lasting.status === 200, TIMEOUT_MS);
  });

  it('after the suspension of its organization', async () => {
    const file = await upload(client.apiKey, await recipientsPath(), 'application/x-ndjson');
    await suspendOrganization(service.database, client.organizationId, 'It sends spam');
    passKnownKeys();
    await closed(file, RECIPIENT);
  });
});

describe('An export in progress ends within 5 seconds', () => {
  it('after the revocation of its key', async () => {
    await service.database.query(
      `insert into suppressions (organization_id, address_key, address, reason, note)
       select $1, n || '@example.com', n || '@example.com', 'manual', repeat('x', ${NOTE_BYTES})
         from generate_series(1, ${EXPORTED_ROWS}) n`,
      [client.organizationId],
    );
    const revoked = await newKey();
    const exportRequest = open(revoked.key, 'GET', '/api/suppressions/export');
    exportRequest.end();
    const [file] = (await once(exportRequest, 'response')) as [IncomingMessage];
    expect(file.statusCode).toBe(200);
    let bytes = 0;
    let ended: 'whole' | 'cut' | undefined;
    file.once('end', () => (ended ??= 'whole')).once('error', () => (ended ??= 'cut'));
    expect((await client.delete(`/api/keys/${revoked.id}`)).status).toBe(204);
    passKnownKeys();
    // Reads slowly, so that nothing else ends it.
    await eventually(() => {
      bytes += (file.read(16_384) as Buffer | null)?.length ?? 0;
      return ended;
    }, TIMEOUT_MS);
    expect({ ended, isWhole: bytes >= EXPORTED_ROWS * NOTE_BYTES }).toEqual({ ended: 'cut', isWhole: false });
  });
});
