import type { OrganizationProviderView } from '../../src/organizations/providers/provider-view.js';
import type { ApiResponse, TestClient } from './service.js';

export type ProviderResponse = ApiResponse<OrganizationProviderView & { error: string; details?: { field: string }[] }>;

/** In the credentials of every example, so that a search finds what must not be shown. */
export const TELLTALE = 'tEllTaLe';

const P256 =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEnDQyx93Fwxyr8yHFV/Y6QA+E+nORH05kqSs45l6H1DINSb+MUlX9smjlnYYFYk0vuBjsUdlU45B7qQur7LK/xA==';

export interface ExampleProvider {
  readonly type: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly eventKey?: string;
  /** As responses show it. */
  readonly account: string | null;
}

/** One of each type. */
export const EXAMPLES: readonly ExampleProvider[] = [
  {
    type: 'smtp',
    credentials: { url: `smtps://user:${TELLTALE}@smtp.example.com:465?tls.servername=mx.example.com` },
    account: 'smtps://smtp.example.com:465',
  },
  { type: 'sendgrid', credentials: { apiKey: `SG.${TELLTALE}` }, eventKey: P256, account: null },
  {
    type: 'ses',
    credentials: {
      ...{ region: 'eu-west-1', accessKeyId: 'AKIAIOSFODNN7WXYZ', secretAccessKey: TELLTALE },
      ...{ sessionToken: `session-${TELLTALE}`, configurationSet: 'events' },
    },
    eventKey: `arn:aws:sns:eu-west-1:123456789012:${TELLTALE}`,
    account: 'eu-west-1 …WXYZ',
  },
  {
    type: 'postmark',
    credentials: { serverToken: TELLTALE, messageStream: 'broadcast' },
    eventKey: `postmark:${TELLTALE}`,
    account: 'broadcast',
  },
  {
    type: 'mailgun',
    credentials: { apiKey: `key-${TELLTALE}`, domain: 'mg.example.com' },
    eventKey: TELLTALE,
    account: 'mg.example.com',
  },
  {
    type: 'resend',
    credentials: { apiKey: `re_${TELLTALE}` },
    eventKey: `whsec_${TELLTALE}${TELLTALE}${TELLTALE}`,
    account: null,
  },
];

export function exampleOf(type: string): Omit<ExampleProvider, 'account'> {
  const { credentials, eventKey } = EXAMPLES.find((one) => one.type === type)!;
  return { type, credentials, ...(eventKey !== undefined && { eventKey }) };
}

export function createProvider(client: TestClient, fields: object): Promise<ProviderResponse> {
  return client.post('/api/providers', fields);
}

/** Creates a provider of a type. @returns its view */
export async function addProvider(client: TestClient, type: string, name = type): Promise<OrganizationProviderView> {
  const { status, body } = await createProvider(client, { name, ...exampleOf(type) });
  expect(status).toBe(201);
  return body;
}
