import type { PlantedFault } from './planted-fault.js';
import { NO_FAULT, THROTTLED } from './proof-setups.js';

/** Mistakes in emails, responses and webhooks. */
export const DELIVERY_FAULTS: readonly PlantedFault[] = [
  {
    name: 'copies are left out',
    patches: [{ file: 'providers/copies.ts', search: 'cc: copied', replace: 'cc: []' }],
    setup: NO_FAULT,
  },
  {
    name: 'every email is flagged as a possible duplicate',
    patches: [
      {
        file: 'emails/delivery/delivery-statements.ts',
        search: 'attempts = g.attempts, possible_duplicate = g.possible_duplicate',
        replace: 'attempts = g.attempts, possible_duplicate = true',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: "the provider's ID is mixed up",
    patches: [
      {
        file: 'emails/delivery/delivery-statements.ts',
        search: 'provider_id = g.provider_id, last',
        replace: 'provider_id = e.tracking_id, last',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'a 200 names the tracking ID as the ID of the provider',
    patches: [
      {
        file: 'emails/accept/send-response.ts',
        search: 'id: sent?.providerId ?? null',
        replace: 'id: sent ? trackingId : null',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'an archived campaign accepts emails',
    patches: [
      {
        file: 'campaigns/campaigns.ts',
        search: 'if (found?.archived_at) throw new CampaignArchivedError();',
        replace: '',
      },
      {
        file: 'emails/accept/acceptance-statement.ts',
        search: 'and organization_id = :organizationId and archived_at is null\n   order by id for key share',
        replace: 'and organization_id = :organizationId\n   order by id for key share',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'a failure is announced as a sending',
    patches: [
      {
        file: 'webhooks/webhook-outbox.ts',
        search: "insertEmailDeliveries('EMAIL_FAILED'",
        replace: "insertEmailDeliveries('EMAIL_SENT'",
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'webhooks name only the first recipient',
    patches: [
      {
        file: 'webhooks/webhook-payloads.sql.ts',
        search: 'unnest(c.to_addresses) with',
        replace: 'unnest(c.to_addresses[1:1]) with',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'webhooks are signed without their id',
    patches: [
      {
        file: 'webhooks/delivery/webhook-signature.ts',
        search: '`${id}.${timestamp}.${body}`',
        replace: '`${timestamp}.${body}`',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'webhooks never receive clicks',
    patches: [
      {
        file: 'events/ingest/insert-webhook-deliveries.ts',
        search: "event.type !== 'sent'",
        replace: "event.type === 'opened'",
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'subjects are printed',
    patches: [
      {
        file: 'emails/delivery/deliver-email.ts',
        search: 'switch (email?.status) {',
        replace: 'console.log(email?.message.subject); switch (email?.status) {',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'every hit keeps a megabyte',
    patches: [
      {
        file: 'roles/tracking/tracking-edge.ts',
        search: '    if (event === undefined) hit.respond(',
        replace:
          '    const held = globalThis as unknown as { held?: Buffer[] };\n' +
          '    (held.held ??= []).push(Buffer.alloc(1024 * 1024, 1));\n    if (event === undefined) hit.respond(',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'jobs stay in Redis when they are done',
    patches: [
      { file: 'platform/queue/job-producer.ts', search: 'removeOnComplete: true', replace: 'removeOnComplete: false' },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'the pause that a provider requests is ignored',
    patches: [
      { file: 'emails/delivery/send-run.ts', search: 'if (pausedMs > 0) {', replace: 'if (pausedMs < 0) {' },
      // Each email is checked once more before its call.
      {
        file: 'emails/delivery/delivery-providers.ts',
        search: 'remaining[index] === 0',
        replace: 'remaining[index] !== undefined',
      },
    ],
    setup: THROTTLED,
  },
];
