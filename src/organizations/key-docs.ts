import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import { enumOf, list, nullable, object, optional, string, dateTime } from '../platform/openapi/schemas.js';
import type { KeyView } from './api-keys.js';
import type { CreateKeyRequest } from './key-requests.js';
import { KEY_SCOPES } from './key-scopes.js';

const tag = 'Keys';
const id = string('ID of the key: the part between its underscores', '2xci9GHp4PHF');

const limits = {
  scopes: list(enumOf(KEY_SCOPES, 'A scope', 'send'), 'What the key may do'),
  expiresAt: nullable(
    dateTime('Time from which the key no longer works; null means never', '2099-01-01T00:00:00.000Z'),
  ),
  allowedDomains: nullable(
    list(string('A domain', 'example.com'), 'Domains that senders may have, with their subdomains; null allows all'),
  ),
  allowedAddresses: nullable(
    list(string('A network in CIDR notation', '192.0.2.0/24'), 'Networks of clients; null allows all'),
  ),
};

const keyFields = {
  id,
  name: nullable(string('Name of the key', 'Shop backend')),
  ...limits,
  createdBy: nullable(
    string('`operator`, or `key:` or `user:` and the ID of the key or user that created it', 'operator'),
  ),
  createdAt: dateTime('Time of creation'),
  lastUsedAt: nullable(dateTime('Time of the last use, to within a minute; null before the first')),
  revokedAt: nullable(dateTime('Time of revocation; null while the key is active')),
};

const key = object<KeyView>('Key', 'An API key, without its secret', keyFields);

const newKey = object<KeyView & { key: string }>('NewKey', 'An API key with its secret', {
  ...keyFields,
  key: string('The full key. Only this response contains it', 'mb_2xci9GHp4PHF_0123456789abcdefghijklmnopqrstuv'),
});

/** One decorator per route of the controller. */
export const keyDocs = {
  list: describeRoute({
    operationId: 'listKeys',
    summary: 'List API keys',
    description: 'Active keys without their secrets, newest first.',
    tag,
    paged: true,
    responses: {
      200: {
        description: 'The keys',
        schema: object<{ keys: readonly KeyView[] }>('KeyList', 'A page of API keys', {
          keys: list(key, 'Keys, newest first'),
        }),
      },
    },
  }),
  create: describeRoute({
    operationId: 'createKey',
    summary: 'Create an API key',
    tag,
    description:
      'Each limit that the request omits is copied from the key that makes the request. A key cannot create one that may do more.',
    body: object<CreateKeyRequest>('CreateKey', 'A new API key', {
      name: optional(string('Name of the key', 'Shop backend', { minLength: 1, maxLength: 200 })),
      scopes: optional(limits.scopes),
      expiresAt: optional(limits.expiresAt),
      allowedDomains: optional(limits.allowedDomains),
      allowedAddresses: optional(limits.allowedAddresses),
    }),
    responses: { 201: { description: 'The new key. Store it: it is not shown again', schema: newKey } },
    errors: {
      403: 'The organization has 50 active keys, or the new key would be able to do more than the key that makes the request',
    },
  }),
  revoke: describeRoute({
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'The key stops working everywhere within 5 seconds. A key may revoke itself.',
    tag,
    parameters: [path('id', id)],
    responses: { 204: { description: 'The key is revoked' } },
    errors: { 404: 'API key not found' },
  }),
};
