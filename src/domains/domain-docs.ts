import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import { list, nullable, object, enumOf, string, dateTime, boolean } from '../platform/openapi/schemas.js';
import type { DomainRecord } from './domain-record.js';
import type { DomainView } from './domain-view.js';

const tag = 'Domains';
const id = string('ID of the domain', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77');

const record = object<DomainRecord>('DomainRecord', 'A DNS record to publish, and what the last look found', {
  type: string('Type of the record', 'TXT'),
  name: string('Whole name of the record', '_mailbeacon.example.com'),
  value: string(
    'What it is to be; where one is there, what is to replace it',
    'mailbeacon-verification=8c0b1f6f2d5e4b7a9c3d1e0f2a4b6c8d0e1f2a3b',
  ),
  purpose: enumOf(['ownership', 'dkim', 'spf', 'dmarc', 'return-path'], 'What it is good for', 'ownership'),
  required: boolean('Whether sending from the domain needs it; the others earn the trust of receivers', true),
  found: boolean('Whether the last look found it as it is to be', false),
  seen: list(string('A record that is there', 'v=spf1 -all'), 'What is there now, at most ten records'),
  advice: nullable(string('What to do, in words; null when all is well', 'Publish this record, then let us look')),
});

const domain = object<DomainView>('Domain', 'A domain to send from', {
  id,
  domain: string('The domain in lower-case A-labels', 'example.com'),
  shownDomain: string('The domain as people write it', 'example.com'),
  status: enumOf(
    ['pending', 'verified'],
    'Verified: its ownership was seen, and senders on it stay unless `notice` says otherwise',
    'pending',
  ),
  createdAt: dateTime('When it was added'),
  verifiedAt: nullable(dateTime('Since when it is verified; null while pending')),
  checkedAt: nullable(dateTime('When the records were looked for; null until then')),
  failingSince: nullable(dateTime('Since when a verified domain fails its daily check; null while all is well')),
  notice: nullable(
    string(
      'What keeps mail from being sent as from this domain, in words: records of the delivery provider that are missing or not found, or an email that it refused because of its sender. Null when nothing does',
      'Senders on this domain are rewritten: the delivery provider does not see its DKIM records, and cannot sign. Publish them, then let us look again (verify)',
    ),
  ),
  records: list(record, 'The records to publish'),
});

/** One decorator per route of the controller. */
export const domainDocs = {
  list: describeRoute({
    operationId: 'listDomains',
    summary: 'List sending domains',
    tag,
    paged: true,
    answers: {
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
      'It is pending until its ownership record was seen: publish the records, then verify. An organization can add 30 domains an hour unless the operator sets another number.',
    tag,
    body: object<{ domain: string }>('CreateDomain', 'A domain to send from', {
      domain: string('A domain name, in letters of any script or in A-labels', 'example.com'),
    }),
    answers: { 201: { description: 'The domain, with the records to publish', schema: domain } },
    errors: { 409: 'The domain was added already, or there are 100' },
  }),
  get: describeRoute({
    operationId: 'getDomain',
    summary: 'Read a sending domain',
    description: 'The records are as the last look left them.',
    tag,
    parameters: [path('id', id)],
    answers: { 200: { description: 'The domain', schema: domain } },
    errors: { 404: 'Domain not found' },
  }),
  remove: describeRoute({
    operationId: 'deleteDomain',
    summary: 'Delete a sending domain',
    description: 'Within seconds, senders on it are rewritten again, those of emails that wait included.',
    tag,
    parameters: [path('id', id)],
    answers: { 204: { description: 'It is deleted' } },
    errors: { 404: 'Domain not found' },
  }),
  verify: describeRoute({
    operationId: 'verifyDomain',
    summary: 'Look for the records of a domain now',
    description:
      'The answer says what was found. A verified domain is looked at every day without it. At most 6 times a minute for a domain, 60 for an organization.',
    tag,
    parameters: [path('id', id)],
    answers: { 200: { description: 'The domain, verified or with what is missing', schema: domain } },
    errors: { 404: 'Domain not found', 409: 'The domain is verified in another organization' },
  }),
};
