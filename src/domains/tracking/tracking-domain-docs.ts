import { describeRoute } from '../../platform/openapi/describe-route.js';
import { path } from '../../platform/openapi/parameters.js';
import { dateTime, enumOf, list, nullable, object, string } from '../../platform/openapi/schemas.js';
import { domainRecord } from '../domain-docs.js';
import { DOMAIN_STATUSES } from '../domain-row.js';
import { LEAD_MS } from './base-url-switch.js';
import type { TrackingDomainView } from './tracking-domain-row.js';

const tag = 'Tracking domains';
const id = string('ID of the tracking domain', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77');

const domain = object<TrackingDomainView>('TrackingDomain', 'A domain of your own for tracked links', {
  id,
  domain: string('The domain in lower-case A-labels', 'click.example.com'),
  shownDomain: string('The domain in Unicode', 'click.example.com'),
  status: enumOf(DOMAIN_STATUSES, 'Verified: its records were found', 'pending'),
  createdAt: dateTime('Time of creation'),
  verifiedAt: nullable(dateTime('Time of verification; null while pending')),
  checkedAt: nullable(dateTime('Time of the last check; null before the first')),
  failingSince: nullable(dateTime('Time since a verified domain has failed its hourly check; null while it passes')),
  usedSince: nullable(
    dateTime('Time since when new emails use the domain, some seconds in the future at first; null while they do not'),
  ),
  records: list(domainRecord, 'The records to publish'),
});

/** One decorator per route of the controller. */
export const trackingDomainDocs = {
  list: describeRoute({
    operationId: 'listTrackingDomains',
    summary: 'List tracking domains',
    tag,
    paged: true,
    responses: {
      200: {
        description: 'The tracking domains',
        schema: object<{ trackingDomains: readonly TrackingDomainView[] }>(
          'TrackingDomainList',
          'A page of tracking domains',
          { trackingDomains: list(domain, 'Tracking domains, newest first') },
        ),
      },
    },
  }),
  create: describeRoute({
    operationId: 'createTrackingDomain',
    summary: 'Add a tracking domain',
    description: `Publish the records, then verify. From ${LEAD_MS / 1_000} seconds later, the links, the pixel and the unsubscribe address of new emails begin with the domain that was verified last. The ownership record is not needed below a verified sending domain.`,
    tag,
    body: object<{ domain: string }>('CreateTrackingDomain', 'A domain for tracked links', {
      domain: string(
        'A domain name that has no other records, in letters of any script or in A-labels',
        'click.example.com',
      ),
    }),
    responses: { 201: { description: 'The tracking domain, with the records to publish', schema: domain } },
    errors: {
      409: 'The domain was added already, the organization has 5 tracking domains, or the service has no public name',
    },
  }),
  get: describeRoute({
    operationId: 'getTrackingDomain',
    summary: 'Get a tracking domain',
    description: 'The records show the result of the last check.',
    tag,
    parameters: [path('id', id)],
    responses: { 200: { description: 'The tracking domain', schema: domain } },
    errors: { 404: 'Tracking domain not found' },
  }),
  remove: describeRoute({
    operationId: 'deleteTrackingDomain',
    summary: 'Delete a tracking domain',
    description: `New emails stop using it after ${LEAD_MS / 1_000} seconds. Earlier emails still link to it, so keep its alias.`,
    tag,
    parameters: [path('id', id)],
    responses: { 204: { description: 'The tracking domain is deleted' } },
    errors: { 404: 'Tracking domain not found' },
  }),
  verify: describeRoute({
    operationId: 'verifyTrackingDomain',
    summary: 'Verify a tracking domain',
    description:
      'Checks the DNS records now and returns the result. Verified domains are also checked every hour: while a record is missing, new emails do not use the domain. Limits as for sending domains.',
    tag,
    parameters: [path('id', id)],
    responses: { 200: { description: 'The tracking domain with the result of the check', schema: domain } },
    errors: {
      404: 'Tracking domain not found',
      409: 'The domain is verified in another organization, or the service has no public name',
    },
  }),
};
