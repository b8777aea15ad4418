import type { CampaignView } from '../../src/campaigns/campaigns.js';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';

/** One resource of each kind that an organization can have. */
export interface Owned {
  readonly campaign: CampaignView;
  readonly email: TrackResponse;
  readonly keyId: string;
  readonly webhookId: string;
  readonly domainId: string;
  readonly trackingDomainId: string;
  readonly providerId: string;
  readonly templateId: string;
  readonly webhookDeliveryId: string;
  readonly broadcastId: string;
}

const MISSING_UUID = '00000000-0000-7000-8000-000000000000';

function ofEmail({ email: { id, emailTrackingId } }: Owned) {
  return { existing: [id, emailTrackingId], missing: MISSING_UUID };
}

function byId(names: readonly string[], idOf: (owned: Owned) => string) {
  return Object.fromEntries(
    names.map((name) => [name, (owned: Owned) => ({ existing: [idOf(owned)], missing: MISSING_UUID })]),
  );
}

/** For every route with a parameter: the values of another organization, and values that do not exist. */
export const ownedParameters: Record<string, (owned: Owned) => { existing: string[]; missing: string }> = {
  'GET /api/campaigns/:id': ({ campaign }) => ({ existing: [campaign.id], missing: MISSING_UUID }),
  'GET /api/campaigns/:id/click-map': ({ campaign }) => ({ existing: [campaign.id], missing: MISSING_UUID }),
  'POST /api/campaigns/:id/archive': ({ campaign }) => ({ existing: [campaign.id], missing: MISSING_UUID }),
  ...Object.fromEntries(
    ['GET /api/contacts/:email', 'GET /api/contacts/:email/export', 'DELETE /api/contacts/:email'].map((name) => [
      name,
      () => ({ existing: ['reader@example.com'], missing: 'nobody@example.com' }),
    ]),
  ),
  'GET /api/emails/:id': ofEmail,
  'POST /api/emails/:id/retry': ofEmail,
  'POST /api/emails/:id/cancel': ofEmail,
  'PATCH /api/emails/:id': ofEmail,
  'GET /api/emails/:id/events': ofEmail,
  'GET /api/emails/:id/timeline': ofEmail,
  'GET /api/emails/:id/preview': ofEmail,
  'GET /api/emails/:id/click-map': ofEmail,
  ...byId(
    [
      'GET /api/webhooks/:id',
      'PATCH /api/webhooks/:id',
      'DELETE /api/webhooks/:id',
      'POST /api/webhooks/:id/rotate-secret',
      'POST /api/webhooks/:id/test',
      'GET /api/webhooks/:id/deliveries',
      'POST /api/webhooks/:id/replay',
    ],
    ({ webhookId }) => webhookId,
  ),
  ...Object.fromEntries(
    ['GET /api/webhooks/:id/deliveries/:deliveryId', 'POST /api/webhooks/:id/deliveries/:deliveryId/retry'].map(
      (name) => [
        name,
        ({ webhookId, webhookDeliveryId }: Owned) => ({
          existing: [`${webhookId}/${webhookDeliveryId}`],
          missing: `${MISSING_UUID}/${MISSING_UUID}`,
        }),
      ],
    ),
  ),
  ...byId(
    ['GET /api/tracking-domains/:id', 'DELETE /api/tracking-domains/:id', 'POST /api/tracking-domains/:id/verify'],
    ({ trackingDomainId }) => trackingDomainId,
  ),
  ...byId(
    ['GET /api/providers/:id', 'PATCH /api/providers/:id', 'DELETE /api/providers/:id'],
    ({ providerId }) => providerId,
  ),
  ...byId(
    ['GET /api/domains/:id', 'DELETE /api/domains/:id', 'POST /api/domains/:id/verify'],
    ({ domainId }) => domainId,
  ),
  ...Object.fromEntries(
    ['GET /api/suppressions/:address', 'DELETE /api/suppressions/:address'].map((name) => [
      name,
      () => ({ existing: ['blocked@example.com'], missing: 'nobody@example.com' }),
    ]),
  ),
  ...byId(
    [
      'GET /api/broadcasts/:id',
      'PUT /api/broadcasts/:id',
      'DELETE /api/broadcasts/:id',
      'GET /api/broadcasts/:id/message',
      'GET /api/broadcasts/:id/missing-variables',
      'GET /api/broadcasts/:id/preview',
      'GET /api/broadcasts/:id/recipients',
      'POST /api/broadcasts/:id/recipients',
      'POST /api/broadcasts/:id/send',
      'POST /api/broadcasts/:id/pause',
      'POST /api/broadcasts/:id/resume',
      'POST /api/broadcasts/:id/cancel',
    ],
    ({ broadcastId }) => broadcastId,
  ),
  ...byId(
    [
      'GET /api/templates/:id',
      'GET /api/templates/:id/preview',
      'PUT /api/templates/:id',
      'DELETE /api/templates/:id',
      'POST /api/templates/:id/render',
      'GET /api/templates/:id/versions',
    ],
    ({ templateId }) => templateId,
  ),
  'GET /api/templates/:id/versions/:version': ({ templateId }) => ({
    existing: [`${templateId}/1`],
    missing: `${MISSING_UUID}/1`,
  }),
  'DELETE /api/keys/:id': ({ keyId }) => ({ existing: [keyId], missing: 'AAAAAAAAAAAA' }),
};
