import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import { list, nullable, object, optional, string, dateTime } from '../platform/openapi/schemas.js';
import type { KeyView } from './organizations.js';

const tag = 'Keys';
const id = string('ID of the key: the part between its underscores', '2xci9GHp4PHF');

const keyFields = {
  id,
  name: nullable(string('Name of the key', 'Shop backend')),
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
    answers: {
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
    body: object<{ name?: string }>('CreateKey', 'A new API key', {
      name: optional(string('Name of the key', 'Shop backend', { minLength: 1, maxLength: 200 })),
    }),
    answers: { 201: { description: 'The new key. Store it: it is not shown again', schema: newKey } },
    errors: { 403: 'The organization has 50 active keys' },
  }),
  revoke: describeRoute({
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'The key stops working everywhere within 5 seconds. A key may revoke itself.',
    tag,
    parameters: [path('id', id)],
    answers: { 204: { description: 'The key is revoked' } },
    errors: { 404: 'API key not found' },
  }),
};
