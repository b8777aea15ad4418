import {
  createProvider,
  EXAMPLES,
  exampleOf,
  SECRET_TEXT,
  type OwnProviderResponse,
} from '../support/own-providers.js';
import { TestService, type TestClient } from '../support/service.js';
import { addOwnProvider } from '../support/stored-provider.js';

let service: TestService;
let client: TestClient;
let id: string;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0' } });
  client = await service.organization();
  ({ id } = (await createProvider(client, { name: 'existing', ...exampleOf('resend') })).body);
});
afterEach(async () => {
  const touched = `delete from organization_providers where name = 'main' or version > 1 returning name`;
  expect(await service.database.query(touched)).toEqual([]);
});
afterAll(() => service?.stop());

const resend = { name: 'main', ...exampleOf('resend') };

/** Expects that each of the fields is named, and that no value is. */
function expectRefusal({ status, body }: OwnProviderResponse, ...fields: string[]): void {
  expect([status, body.details?.map(({ field }) => field)]).toEqual([400, fields]);
  expect(JSON.stringify(body)).not.toContain(SECRET_TEXT);
}

const INVALID: readonly (readonly [field: string, values: readonly unknown[]])[] = [
  ['name', ['', 'n'.repeat(101), 5, true, [], {}, 'a\0b', '\ud800']],
  ['weight', [-1, 0.5, 1_001, 1e300, '1', true, [], {}, [1]]],
  ['perSecond', [0, -1, 0.009, 100_001, '1', true, [], {}]],
  ['eventKey', ['', ' ', 5, true, [], {}, 'k'.repeat(10_001), `${SECRET_TEXT}\0`, '\ud800', `re_${SECRET_TEXT}`]],
  ['credentials', [5, true, 'text', `re_${SECRET_TEXT}`, [], [{ apiKey: 'x' }]]],
];

describe.each(INVALID)('%s', (field, values) => {
  it.each(values.map((value) => [JSON.stringify(value).slice(0, 40), value]))('cannot be %s', async (_text, value) => {
    expectRefusal(await createProvider(client, { ...resend, [field]: value }), field);
    expectRefusal(await client.patch(`/api/providers/${id}`, { [field]: value }), field);
  });
});

it('names every missing field, and a null counts as missing', async () => {
  expectRefusal(await createProvider(client, {}), 'name', 'type', 'credentials');
  const nothing = { name: null, type: null, credentials: null };
  expectRefusal(await createProvider(client, nothing), 'name', 'type', 'credentials');
});

it.each([5, null, [], {}, '', 'Resend', 'toString', '__proto__', 'pigeon'])('has no type %j', async (type) => {
  expectRefusal(await createProvider(client, { ...resend, type }), 'type');
});

it.each(['[]', '"a"', 'null', '5', '{', ''])('refuses the body %s', async (body) => {
  expect((await client.post('/api/providers', body)).status).toBe(400);
});

describe.each(EXAMPLES.map(({ type, credentials }) => [type, credentials] as const))('%s', (type, credentials) => {
  const optional = ['sessionToken', 'configurationSet', 'messageStream'];
  const create = (changed: object) => createProvider(client, { name: 'main', type, credentials: changed });

  it.each(Object.keys(credentials).filter((name) => !optional.includes(name)))('needs %s', async (name) => {
    for (const value of [undefined, null])
      expectRefusal(await create({ ...credentials, [name]: value }), `credentials.${name}`);
  });

  it.each(Object.keys(credentials))('refuses a wrong %s', async (name) => {
    for (const value of [
      '',
      ' ',
      `${SECRET_TEXT} ${SECRET_TEXT}`,
      `${SECRET_TEXT}\n`,
      `${SECRET_TEXT}\0`,
      'ü',
      5,
      true,
      [],
      {},
    ])
      expectRefusal(await create({ ...credentials, [name]: value }), `credentials.${name}`);
    for (const value of ['x'.repeat(4_001), '\ud800', [SECRET_TEXT], { toString: SECRET_TEXT }])
      expectRefusal(await create({ ...credentials, [name]: value }), `credentials.${name}`);
  });

  it('has no other credentials', async () => {
    for (const name of ['other', SECRET_TEXT, 'constructor', 'toString', 'Url', 'id', 'weight', 'type', '']) {
      const json = JSON.stringify(credentials).replace('{', `{${JSON.stringify(name)}:"${SECRET_TEXT}",`);
      expectRefusal(await create(JSON.parse(json) as object), 'credentials');
    }
  });
});

describe('the event key', () => {
  it.each([
    ['smtp', [SECRET_TEXT, 'user:password']],
    ['sendgrid', [SECRET_TEXT, 'MFkw', 'a,b', `-----BEGIN PUBLIC KEY-----${SECRET_TEXT}-----END PUBLIC KEY-----`]],
    ['mailgun', [`${SECRET_TEXT} ${SECRET_TEXT}`, 'a,,b', ',']],
    ['postmark', [SECRET_TEXT, `:${SECRET_TEXT}`, `${SECRET_TEXT}:`, `a:b,${SECRET_TEXT}`]],
    ['resend', [SECRET_TEXT, `whsec_${SECRET_TEXT}`, `whsec_${'a'.repeat(300)}`]],
    ['ses', [SECRET_TEXT, 'arn:aws:sns:eu-west-1:1:events', 'arn:aws:sqs:eu-west-1:123456789012:events']],
  ])('of %s must have its form', async (type, eventKeys) => {
    for (const eventKey of eventKeys)
      expectRefusal(await createProvider(client, { name: 'main', ...exampleOf(type), eventKey }), 'eventKey');
  });

  it.each(EXAMPLES.filter(({ eventKey }) => eventKey !== undefined))('of $type can be several', async (example) => {
    const { type, credentials, eventKey } = example;
    const both = { name: 'main', type, credentials, eventKey: `${eventKey}, ${eventKey}` };
    const { status, body } = await createProvider(client, both);
    expect([status, body.eventsUrl]).toEqual([201, expect.stringMatching(/\/events$/)]);
    await client.delete(`/api/providers/${body.id}`);
  });
});

describe('the server', () => {
  const refusalOf = async (url: string): Promise<string> => {
    const response = await createProvider(client, { name: 'main', type: 'smtp', credentials: { url } });
    expectRefusal(response, 'credentials.url');
    expectRefusal(await client.patch(`/api/providers/${smtpId}`, { credentials: { url } }), 'credentials.url');
    return response.body.error;
  };
  let smtpId: string;

  beforeAll(async () => {
    ({ id: smtpId } = (await createProvider(client, { name: 'smtp', ...exampleOf('smtp') })).body);
  });
  afterAll(() => client.delete(`/api/providers/${smtpId}`));

  it.each([
    ...['127.0.0.1', 'localhost', 'LOCALHOST.', 'a.localhost', '10.1.2.3', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[fd00:ec2::254]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'],
  ])('may not be at %s', async (host) => {
    expect(await refusalOf(`smtps://user:${SECRET_TEXT}@${host}`)).toBe(
      'credentials.url must not lead to a private, loopback, link-local or otherwise reserved address',
    );
  });

  it.each(['track.test', 'TRACK.test', 'track.test.'])('may not be this service: %s', async (host) => {
    expect(await refusalOf(`smtp://${host}`)).toBe('credentials.url must not lead to this service itself');
  });

  it.each(['smtp://mx.example.com:25', 'smtps://user@smtp.example.com', 'smtps://:secret@smtp.example.com'])(
    'needs a login, because it would get mail as from an outsider: %s',
    async (url) => {
      expect(await refusalOf(url)).toBe(
        'credentials.url must have a user and password, as in smtps://user:password@smtp.example.com:465',
      );
    },
  );

  it('without a login that was stored before stays listed and can be deleted', async () => {
    const url = 'smtp://mx.example.com:25';
    const stored = await addOwnProvider(service, client.organizationId, { credentials: { url } });
    const { body } = await client.get<{ account: string }>(`/api/providers/${stored}`);
    expect(body.account).toBe(url);
    expect((await client.delete(`/api/providers/${stored}`)).status).toBe(204);
  });

  it.each([1, 22, 80, 443, 6379])('may not have port %i', async (port) => {
    expect(await refusalOf(`smtp://smtp.example.com:${port}`)).toContain('must have port');
  });

  it.each(['connectionTimeout=1', 'socketTimeout=1', 'maxConnections=900', 'maxMessages=1', 'greetingTimeout=1'])(
    'may not decide how much of a worker it uses: %s',
    async (option) => {
      const [name] = option.split('=');
      expect(await refusalOf(`smtps://smtp.example.com?${option}`)).toBe(
        `credentials.url must not have the options ${name}`,
      );
    },
  );

  it.each(['logger=true', 'tls.ca=x', 'proxy=http://x', 'http://smtp.example.com', '//smtp.example.com', 'smtp:', '/'])(
    'must be named by a URL of an SMTP server: %s',
    async (text) => {
      const url = text.includes('=') ? `smtps://smtp.example.com?${text}` : text;
      expect(await refusalOf(url)).toContain('must be the URL of an SMTP server');
    },
  );
});

it('may be at a private address where the operator allows it', async () => {
  const open = await TestService.start({
    environment: { ROLES: 'api', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' },
  });
  try {
    const url = 'smtp://127.0.0.1:1025';
    const { status, body } = await createProvider(await open.organization(), {
      ...{ name: 'main', type: 'smtp', credentials: { url } },
    });
    expect([status, body.account]).toEqual([201, url]);
  } finally {
    await open.stop();
  }
});
