import type { NewEmail } from '../../src/emails/accept/new-email.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';

export const [ada, bob, cy] = ['Ada@example.com', 'bob@example.com', 'cy@example.com'] as const;

/** An email to Ada and Bob, with Cy in copy, that may be stored. */
export function newEmail(fields: Pick<NewEmail, 'organizationId' | 'campaignId'> & Partial<NewEmail>): NewEmail {
  const id = uuidV7(Date.now());
  return {
    id,
    trackingId: `t-${id}`,
    status: 'queued',
    sender: {
      key: '-42',
      domains: ['news.acme.example', 'acme.example'],
      needsProviderSignature: false,
      onVerified: { from: 'news@news.acme.example', replyTo: null },
      otherwise: { from: 'news@platform.example', replyTo: 'news@news.acme.example' },
    },
    recipients: { to: [{ name: 'Bob', address: bob }, { address: ada }], cc: [{ address: cy }], bcc: [] },
    subject: 'Hello',
    html: '<p>Hello</p>',
    ...{ text: null, headers: null, tags: null, attachments: [] },
    unsubscribe: false,
    metadata: { order: 7 },
    urls: null,
    baseUrl: 'http://track.test',
    createdAt: new Date('2026-03-04T05:06:07.089Z'),
    ...fields,
  };
}
