import type { OrganizationProviderView } from '../../src/organizations/providers/provider-view.js';
import type { ApiResponse, TestClient } from './service.js';

export type OwnProviderResponse = ApiResponse<
  OrganizationProviderView & { error: string; details?: { field: string }[] }
>;

/** In the credentials of every example, so that a search finds what must not be shown. */
export const SECRET_TEXT = 'tEllTaLe';

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
    credentials: { url: `smtps://user:${SECRET_TEXT}@smtp.example.com:465?tls.servername=mx.example.com` },
    account: 'smtps://smtp.example.com:465',
  },
  { type: 'sendgrid', credentials: { apiKey: `SG.${SECRET_TEXT}` }, eventKey: P256, account: null },
  {
    type: 'ses',
    credentials: {
      ...{ region: 'eu-west-1', accessKeyId: 'AKIAIOSFODNN7WXYZ', secretAccessKey: SECRET_TEXT },
      ...{ sessionToken: `session-${SECRET_TEXT}`, configurationSet: 'events' },
    },
    eventKey: `arn:aws:sns:eu-west-1:123456789012:${SECRET_TEXT}`,
    account: 'eu-west-1 …WXYZ',
  },
  {
    type: 'postmark',
    credentials: { serverToken: SECRET_TEXT, messageStream: 'broadcast' },
    eventKey: `postmark:${SECRET_TEXT}`,
    account: 'broadcast',
  },
  {
    type: 'mailgun',
    credentials: { apiKey: `key-${SECRET_TEXT}`, domain: 'mg.example.com' },
    eventKey: SECRET_TEXT,
    account: 'mg.example.com',
  },
  {
    type: 'resend',
    credentials: { apiKey: `re_${SECRET_TEXT}` },
    eventKey: `whsec_${SECRET_TEXT}${SECRET_TEXT}${SECRET_TEXT}`,
    account: null,
  },
];

export function exampleOf(type: string): Omit<ExampleProvider, 'account'> {
  const { credentials, eventKey } = EXAMPLES.find((one) => one.type === type)!;
  return { type, credentials, ...(eventKey !== undefined && { eventKey }) };
}

export function createProvider(client: TestClient, fields: object): Promise<OwnProviderResponse> {
  return client.post('/api/providers', fields);
}

/** Creates a provider of a type. @returns its view */
export async function addProvider(client: TestClient, type: string, name = type): Promise<OrganizationProviderView> {
  const { status, body } = await createProvider(client, { name, ...exampleOf(type) });
  expect(status).toBe(201);
  return body;
}
