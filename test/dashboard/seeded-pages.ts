import type { Seeded } from './seeded-organization.js';

/** Name, path, and what stands on the page once it has everything. */
type SeededPage = readonly [name: string, pathOf: (ids: Seeded) => string, shown: string];

/** Every page of the dashboard. */
export const PAGES: readonly SeededPage[] = [
  ['overview', () => '/', '.plot canvas'],
  ['emails', () => '/emails', 'table'],
  ['email', ({ email }) => `/emails/${email}`, '.timeline'],
  ['campaigns', () => '/campaigns', 'table'],
  ['campaign', ({ campaign }) => `/campaigns/${campaign}`, 'table.list'],
  ['templates', () => '/templates', 'table'],
  ['template', ({ template }) => `/templates/${template}`, '.subject'],
  ['contacts', () => '/contacts', 'table'],
  ['contact', ({ contact }) => `/contacts/${encodeURIComponent(contact)}`, '.timeline'],
  ['suppressions', () => '/suppressions', 'table'],
  ['domains', () => '/domains', 'table'],
  ['domain', ({ domain }) => `/domains/${domain}`, '.record'],
  ['tracking-domain', ({ trackingDomain }) => `/domains/tracking/${trackingDomain}`, '.record'],
  ['providers', () => '/providers', 'table'],
  ['provider', ({ provider }) => `/providers/${provider}`, '.copy'],
  ['webhooks', () => '/webhooks', 'table'],
  ['webhook', ({ webhook }) => `/webhooks/${webhook}`, 'table'],
  ['keys', () => '/keys', 'table'],
  ['people', () => '/people', 'table'],
  ['audit', () => '/audit', 'table'],
  ['settings', () => '/settings', '.usage'],
  // Last, because they begin to send where pictures are taken.
  ['broadcasts', () => '/broadcasts', 'table'],
  ['draft', ({ draft }) => `/broadcasts/${draft}`, '.subject'],
  ['broadcast', ({ broadcast }) => `/broadcasts/${broadcast}`, 'iframe, .subject'],
];
