import { DOMAIN_STATUSES } from './domain-row.js';
import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import { list, nullable, object, enumOf, string, dateTime, boolean } from '../platform/openapi/schemas.js';
import { RECORD_PURPOSES, type DomainRecord } from './domain-record.js';
import type { DomainView } from './domain-view.js';

const tag = 'Domains';
const id = string('ID of the domain', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77');

/** A record of a sending or tracking domain. */
export const domainRecord = object<DomainRecord>(
  'DomainRecord',
  'A DNS record to publish, and the result of the last check',
  {
    type: string('Type of the record', 'TXT'),
    name: string('Full name of the record', '_mailbeacon.example.com'),
    value: string(
      'Value to publish; it replaces a record that already exists at this name for the same purpose',
      'mailbeacon-verification=8c0b1f6f2d5e4b7a9c3d1e0f2a4b6c8d0e1f2a3b',
    ),
    purpose: enumOf(RECORD_PURPOSES, 'Purpose of the record', 'ownership'),
    required: boolean('True when the use of the domain requires it; the others make receivers trust the mail', true),
    found: boolean('True when the last check found the correct value', false),
    seen: list(string('A published record', 'v=spf1 -all'), 'Published records that the last check found, at most ten'),
    advice: nullable(string('What to do; null when nothing is wrong', 'Publish this record, then verify the domain')),
  },
);

const domain = object<DomainView>('Domain', 'A domain to send from', {
  id,
  domain: string('The domain in lower-case A-labels', 'example.com'),
  shownDomain: string('The domain in Unicode', 'example.com'),
  status: enumOf(
    DOMAIN_STATUSES,
    'Verified: ownership is proven, and senders on the domain are not rewritten unless `notice` says otherwise',
    'pending',
  ),
  createdAt: dateTime('Time of creation'),
  verifiedAt: nullable(dateTime('Time of verification; null while pending')),
  checkedAt: nullable(dateTime('Time of the last check; null before the first')),
  failingSince: nullable(dateTime('Time since a verified domain has failed its daily check; null while it passes')),
  notice: nullable(
    string(
      'Why mail cannot be sent from this domain: DKIM records of the delivery provider are missing or not found, or it refused an email because of its sender. Null without such a problem',
      'Senders on this domain are rewritten: the delivery provider cannot sign, because it does not find its DKIM records. Publish them, then verify the domain again',
    ),
  ),
  records: list(domainRecord, 'The records to publish'),
});

/** One decorator per route of the controller. */
export const domainDocs = {
  list: describeRoute({
    operationId: 'listDomains',
    summary: 'List sending domains',
    tag,
    paged: true,
    responses: {
      200: {
        description: 'The domains',
        schema: object<{ domains: readonly DomainView[] }>('DomainList', 'A page of domains', {
          domains: list(domain, 'Domains, newest first'),
        }),
      },
    },
  }),
  create: describeRoute({
    operationId: 'createDomain',
    summary: 'Add a sending domain',
    description:
      'The domain is pending until its ownership record is found: publish the records, then verify. An organization can add 30 domains an hour unless the operator sets another limit.',
    tag,
    body: object<{ domain: string }>('CreateDomain', 'A domain to send from', {
      domain: string('A domain name, in letters of any script or in A-labels', 'example.com'),
    }),
    responses: { 201: { description: 'The domain, with the records to publish', schema: domain } },
    errors: { 409: 'The domain was added already, or the organization has 100 domains' },
  }),
  get: describeRoute({
    operationId: 'getDomain',
    summary: 'Get a sending domain',
    description: 'The records show the result of the last check.',
    tag,
    parameters: [path('id', id)],
    responses: { 200: { description: 'The domain', schema: domain } },
    errors: { 404: 'Domain not found' },
  }),
  remove: describeRoute({
    operationId: 'deleteDomain',
    summary: 'Delete a sending domain',
    description:
      'Within seconds, senders on the domain are rewritten again, including those of emails that are not sent yet.',
    tag,
    parameters: [path('id', id)],
    responses: { 204: { description: 'The domain is deleted' } },
    errors: { 404: 'Domain not found' },
  }),
  verify: describeRoute({
    operationId: 'verifyDomain',
    summary: 'Verify a sending domain',
    description:
      'Checks the DNS records now and returns the result. Verified domains are also checked every day. A domain can be verified 6 times a minute, and an organization can verify 60 times a minute.',
    tag,
    parameters: [path('id', id)],
    responses: { 200: { description: 'The domain with the result of the check', schema: domain } },
    errors: { 404: 'Domain not found', 409: 'The domain is verified in another organization' },
  }),
};
