import { describeRoute } from '../../platform/openapi/describe-route.js';
import { query } from '../../platform/openapi/parameters.js';
import { dateTime, enumOf, exampleOf, list, nullable, object, string } from '../../platform/openapi/schemas.js';
import { AUDIT_ACTIONS, AUDIT_TARGETS } from './audit-actions.js';
import type { AuditEntryView } from './audit-entries.js';
import { EXPORT_FORMATS } from './export-audit.js';
import { ACTOR_KINDS } from './record-audit.js';

const tag = 'Audit';

const entry = object<AuditEntryView>('AuditEntry', 'One change', {
  id: string('ID of the entry', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77'),
  at: dateTime('Time of the change'),
  actor: object<AuditEntryView['actor']>('AuditActor', 'Who made the change', {
    kind: enumOf(ACTOR_KINDS, 'An API key, a user, or an operator of the service', 'key'),
    id: string('ID of the key or user, or name of the operator', '2xci9GHp4PHF'),
  }),
  action: enumOf(AUDIT_ACTIONS, 'What was done', 'webhook.created'),
  target: object<AuditEntryView['target']>('AuditTarget', 'What was changed', {
    kind: string('Kind of item', 'webhook'),
    id: nullable(string('ID of the item', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77')),
  }),
  requestId: nullable(string('X-Request-Id of the request; null for commands of operators', 'order-4711')),
  details: nullable({
    type: 'object',
    description: 'Details of the change, without addresses and secrets',
    additionalProperties: true,
    examples: [{ fields: ['events'] }],
  }),
});

const KINDS = `The kinds are ${AUDIT_TARGETS.join(', ')}`;

const filters = [
  query('actor', string('Only by actors of this kind, or by one: `key`, `key:ID`, `user:ID`, `operator`', 'key')),
  query('action', enumOf(AUDIT_ACTIONS, 'Only this action', 'webhook.created')),
  query('target', string(`Only items of this kind, or one: \`webhook\`, \`webhook:ID\`. ${KINDS}`, 'webhook')),
  query('since', string('Only at or after this time: ISO 8601 with a time zone, or a date in UTC', '2026-03-01')),
  query('until', string('Only before this time: ISO 8601 with a time zone, or a date in UTC', '2099-03-02')),
];

/** One decorator per route of the controller. */
export const auditDocs = {
  list: describeRoute({
    operationId: 'listAuditEntries',
    summary: 'List who changed what',
    description:
      'Newest first. Entries are never changed, and are deleted after a year unless the operator sets another time.',
    tag,
    parameters: filters,
    paged: true,
    responses: {
      200: {
        description: 'The entries',
        schema: object<{ entries: readonly AuditEntryView[] }>('AuditEntryList', 'A page of entries', {
          entries: list(entry, 'Entries, newest first'),
        }),
      },
    },
  }),
  export: describeRoute({
    operationId: 'exportAuditEntries',
    summary: 'Export who changed what',
    description: 'A file of any length, newest first: CSV with a header row, or one JSON object per line.',
    tag,
    parameters: [...filters, query('format', enumOf(EXPORT_FORMATS, 'Format of the file; csv by default', 'csv'))],
    errors: { 400: true },
    responses: {
      200: {
        description: 'The file, of the requested format',
        mediaType: 'text/csv',
        schema: string(
          'A CSV file',
          'id,at,actorKind,actorId,action,targetKind,targetId,requestId,details\r\n' +
            '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77,2026-03-01T09:30:00.000Z,key,2xci9GHp4PHF,key.revoked,key,9ABc0123defG,order-4711,\r\n',
        ),
        otherBodies: {
          'application/x-ndjson': string('One entry on each line', `${JSON.stringify(exampleOf(entry))}\n`),
        },
      },
    },
  }),
};
