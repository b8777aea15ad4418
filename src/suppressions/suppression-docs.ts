import { describeRoute } from '../platform/openapi/describe-route.js';
import { path, query } from '../platform/openapi/parameters.js';
import { dateTime, enumOf, integer, list, nullable, object, optional, string } from '../platform/openapi/schemas.js';
import { SUPPRESSION_REASONS } from '../events/recipient-event.js';
import type { ImportResult, InvalidLine } from './import-suppressions.js';
import type { AddSuppressionsRequest } from './suppression-requests.js';
import { MAX_ADDRESSES, MAX_NOTE } from './suppression-requests.js';
import type { SuppressionView } from './suppression-view.js';

const tag = 'Suppressions';
const address = string('The address, URL-encoded; case does not matter', 'reader@example.com');
const reason = enumOf(
  SUPPRESSION_REASONS,
  'Strongest reason of the address: complaint, bounce, manual, unsubscribe, in this order',
  'manual',
);

const suppression = object<SuppressionView>('Suppression', 'An address that the organization must not write to', {
  address: string('Address in its original spelling', 'reader@example.com'),
  reason,
  scope: enumOf(
    ['all', 'marketing'],
    'Mail that the address must not get: `marketing` if unsubscribe is its only reason, else `all`',
    'all',
  ),
  emailId: nullable(
    string('ID of the email that caused the suppression, or null', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77'),
  ),
  note: nullable(string('Note of the person who added the address, or null', 'Asked by phone')),
  createdAt: dateTime('Time when the reason was added'),
});

const addition = object<AddSuppressionsRequest>('AddSuppressions', 'Addresses to suppress', {
  address: optional(string('An address', 'reader@example.com')),
  addresses: optional(
    list(string('An address', 'second@example.com'), 'Addresses; `address` or `addresses` is required', {
      maxItems: MAX_ADDRESSES,
    }),
  ),
  reason: optional(enumOf(['manual'], 'The other reasons come from reports about mail', 'manual')),
  note: optional(string('A note for every added address', 'Asked by phone', { maxLength: MAX_NOTE })),
});

const EXPORT_EXAMPLE =
  'address,reason,scope,emailId,note,createdAt\r\nreader@example.com,manual,all,,Asked by phone,2026-03-01T09:30:00.000Z\r\n';
const IMPORT_EXAMPLE = 'address,reason,note\nreader@example.com,bounce,\nsecond@example.com,,Asked by phone\n';

const filters = [
  query(
    'search',
    string('Part of the address, ignoring case; another alphabet by whole labels of its domain', 'example.com'),
  ),
  query('reason', { ...reason, description: 'Only entries that show this reason' }),
];

/** One decorator per route of the controller. */
export const suppressionDocs = {
  list: describeRoute({
    operationId: 'listSuppressions',
    summary: 'List or search suppressed addresses',
    description: 'One entry per address, with its strongest reason and widest scope, newest first.',
    tag,
    parameters: filters,
    paged: true,
    responses: {
      200: {
        description: 'The suppressed addresses',
        schema: object<{ suppressions: readonly SuppressionView[] }>('SuppressionList', 'A page of entries', {
          suppressions: list(suppression, 'Entries, newest first'),
        }),
      },
    },
  }),
  add: describeRoute({
    operationId: 'addSuppressions',
    summary: 'Suppress addresses',
    description: 'Adds the reason `manual`, so that the addresses get no mail at all. Other reasons stay.',
    tag,
    body: addition,
    responses: {
      201: {
        description: 'The addresses are suppressed',
        schema: object<{ added: number; known: number }>('SuppressionCount', 'Result of adding the addresses', {
          added: integer('Addresses that now have the reason', 2),
          known: integer('Addresses that already had the reason, and repeated ones', 0),
        }),
      },
    },
  }),
  get: describeRoute({
    operationId: 'getSuppression',
    summary: 'Get a suppressed address',
    tag,
    parameters: [path('address', address)],
    responses: { 200: { description: 'The entry', schema: suppression } },
    errors: { 404: 'This address is not suppressed' },
  }),
  export: describeRoute({
    operationId: 'exportSuppressions',
    summary: 'Export the suppression list',
    description:
      'A CSV file with a header row. An apostrophe precedes a cell that a spreadsheet would run as a formula; an import removes it. One export of an organization runs at a time.',
    tag,
    parameters: filters,
    errors: { 400: true },
    responses: {
      200: {
        description: 'The entries that match',
        mediaType: 'text/csv',
        schema: string('A CSV file', EXPORT_EXAMPLE),
      },
    },
  }),
  import: describeRoute({
    operationId: 'importSuppressions',
    summary: 'Import suppressed addresses',
    description:
      'The first row names the columns: `address`, optionally `reason` (default manual) and `note`, each once; others are ignored. Rows are stored as they arrive; an import can be repeated. One import of an organization runs at a time.',
    tag,
    csvBody: string('A CSV file of at most 100 MB, in UTF-8', IMPORT_EXAMPLE),
    responses: {
      200: {
        description: 'The import is complete',
        schema: object<ImportResult>('ImportResult', 'Result of the import', {
          added: integer('Rows that added a reason', 2),
          known: integer('Rows with a reason that the address already had', 0),
          invalid: integer('Rows that are not stored', 1),
          invalidLines: list(
            object<InvalidLine>('InvalidLine', 'A row that is not stored', {
              line: integer('Line of the file where the row begins, from 1', 4),
              reason: string('What is wrong', 'address must be one email address like jane@example.com'),
            }),
            'The first invalid rows, at most 100',
            { maxItems: 100 },
          ),
        }),
      },
    },
  }),
  remove: describeRoute({
    operationId: 'removeSuppression',
    summary: 'Allow mail to an address again',
    description: 'Removes all reasons of the address. Its earlier soft bounces no longer count.',
    tag,
    parameters: [path('address', address)],
    responses: { 204: { description: 'The address is no longer suppressed' } },
    errors: { 404: 'This address is not suppressed' },
  }),
};
