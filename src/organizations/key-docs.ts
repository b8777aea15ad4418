import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import { list, nullable, object, optional, string, dateTime } from '../platform/openapi/schemas.js';
import type { KeyView } from './organizations.js';

const tag = 'Keys';
const id = string('ID of the key: the part between its underscores', '2xci9GHp4PHF');

const keyFields = {
  id,
  name: nullable(string('What it is for', 'Shop backend')),
  createdAt: dateTime('When it was made'),
  lastUsedAt: nullable(dateTime('When it was last used, to within a minute; null until then')),
  revokedAt: nullable(dateTime('When it was revoked; null while it works')),
};

const key = object<KeyView>('Key', 'An API key, without its secret', keyFields);

const newKey = object<KeyView & { key: string }>('NewKey', 'An API key with its secret', {
  ...keyFields,
  key: string('The whole key, in this answer and in no other', 'mb_2xci9GHp4PHF_0123456789abcdefghijklmnopqrstuv'),
});

/** One decorator per route of the controller. */
export const keyDocs = {
  list: describeRoute({
    operationId: 'listKeys',
    summary: 'List API keys',
    description: 'The keys that work, newest first; never their secrets.',
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
    summary: 'Make an API key',
    tag,
    body: object<{ name?: string }>('CreateKey', 'A new API key', {
      name: optional(string('What it is for', 'Shop backend', { minLength: 1, maxLength: 200 })),
    }),
    answers: { 201: { description: 'The new key; keep it now', schema: newKey } },
    errors: { 403: 'The organization has 50 keys that work' },
  }),
  revoke: describeRoute({
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'It stops working everywhere within 5 seconds. A key may revoke itself.',
    tag,
    parameters: [path('id', id)],
    answers: { 204: { description: 'It is revoked' } },
    errors: { 404: 'API key not found' },
  }),
};
