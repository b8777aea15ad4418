import { describeRoute } from '../platform/openapi/describe-route.js';
import { nameSearch, path, query, SEARCHED_PAGES } from '../platform/openapi/parameters.js';
import {
  decimal,
  list,
  nullable,
  object,
  enumOf,
  string,
  dateTime,
  integer,
  boolean,
} from '../platform/openapi/schemas.js';
import type { CampaignLinkClicks } from './campaign-links.js';
import { machineStats, peopleStats } from '../events/engagement-docs.js';
import type { CampaignDetail, CampaignEmail } from './campaign-reports.js';
import { EMAIL_STATUSES } from '../emails/email-status.js';
import { recipientCounts } from '../emails/recipients/recipient-counts.js';
import { factCounts } from '../emails/recipients/fact-docs.js';
import type { Hits } from '../emails/read/email-engagement.js';
import type { CampaignStats } from './campaign-stats.js';
import type { CampaignView } from './campaigns.js';

const tag = 'Campaigns';
const LINKS_CURSOR_EXAMPLE =
  'WyIwIiwiZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZiJd';
const id = string('ID of the campaign', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77');
const name = string('Name; unique within the organization, trimmed, 1 to 200 characters', 'Spring sale');
const campaignFields = { id, name, createdAt: dateTime('Time of creation') };

const campaign = object<CampaignView>('Campaign', 'A campaign', campaignFields);

export const campaignStats = object<CampaignStats>('CampaignStats', 'Totals of the whole campaign', {
  totalEmails: integer('Emails that were accepted and did not fail', 24),
  totalOpens: integer('Opens of all emails, by people and machines', 18),
  totalClicks: integer('Clicks in all emails, by people and machines', 7),
  openRate: decimal('Opens per hundred emails, two decimals', 75),
  clickRate: decimal('Clicks per hundred emails, two decimals', 29.17),
  people: peopleStats,
  machines: machineStats,
  ...factCounts,
});

const link = object<CampaignLinkClicks>('CampaignLink', 'One destination in all emails of the campaign', {
  url: string('Destination', 'https://example.com/sale'),
  clicks: integer('Clicks', 7),
  people: integer('Clicks by people', 6),
});

const hits = { opens: integer('Opens', 1), clicks: integer('Clicks', 1) };

const email = object<CampaignEmail>('CampaignEmail', 'An email of the campaign', {
  id: string('ID of the email', '0190f3a5-0b6d-7d11-8a3e-2f9c7e5d1a40'),
  trackingId: string('Short tracking ID of the email', '3Dlq2v5NJzQHOqbKVSEGDmYB'),
  recipient: string('The addresses in to, joined by ", "', 'reader@example.com'),
  subject: string('Subject line', 'The sale has begun'),
  status: enumOf(EMAIL_STATUSES, 'Status of the email', 'sent'),
  recipientStates: recipientCounts,
  createdAt: dateTime('Time when the email was accepted'),
  opens: integer('Opens of this email', 2),
  clicks: integer('Clicks in this email', 1),
  people: object<Hits>('PeopleHits', 'Opens and clicks of this email by people', hits),
  machines: object<Hits>('MachineHits', 'Opens and clicks of this email by machines', hits),
});

const detail = object<CampaignDetail>('CampaignDetail', 'A campaign with its figures', {
  ...campaignFields,
  archivedAt: nullable(dateTime('Time when it was archived; null while it is active')),
  stats: campaignStats,
  links: list(link, 'Clicks by destination, most clicked first; at most 1,000 per page'),
  emails: list(email, 'Emails, newest first; paginated'),
});

/** One decorator per route of the controller. */
export const campaignDocs = {
  list: describeRoute({
    operationId: 'listCampaigns',
    summary: 'List or search campaigns',
    description: `Newest first; archived ones only with \`archived=true\`. ${SEARCHED_PAGES}`,
    tag,
    parameters: [
      nameSearch,
      query('archived', enumOf(['true', 'false'], 'true for archived campaigns instead of active ones', 'false')),
    ],
    paged: true,
    responses: {
      200: {
        description: 'The campaigns',
        schema: object<{ campaigns: readonly CampaignView[] }>('CampaignList', 'A page of campaigns', {
          campaigns: list(campaign, 'Campaigns, newest first'),
        }),
      },
    },
  }),
  create: describeRoute({
    operationId: 'createCampaign',
    summary: 'Create a campaign',
    tag,
    body: object<{ name: string }>('CreateCampaign', 'A new campaign', { name }),
    responses: { 201: { description: 'The new campaign', schema: campaign } },
    errors: { 403: true, 409: 'A campaign with this name exists, including archived campaigns' },
  }),
  detail: describeRoute({
    operationId: 'getCampaign',
    summary: 'Get a campaign',
    description:
      '`limit` and `cursor` paginate the emails. The links have separate pages of at most 1,000: the Link header gives the next one as rel="next-links". `stats` always covers the whole campaign.',
    tag,
    parameters: [
      path('id', id),
      query(
        'linksCursor',
        string('Start of the page of links: an opaque value from the Link header', LINKS_CURSOR_EXAMPLE),
      ),
    ],
    paged: true,
    responses: { 200: { description: 'The campaign', schema: detail } },
    errors: { 404: 'Campaign not found' },
  }),
  archive: describeRoute({
    operationId: 'archiveCampaign',
    summary: 'Archive a campaign',
    description:
      'An archived campaign appears in the list only with `archived=true`, and accepts no new emails. Its statistics stay available.',
    tag,
    parameters: [path('id', id)],
    responses: {
      200: {
        description: 'The campaign is archived',
        schema: object<{ success: true }>('Archived', 'The campaign is archived', {
          success: boolean('Always true', true),
        }),
      },
    },
    errors: { 400: 'The campaign is archived already', 404: 'Campaign not found' },
  }),
};
