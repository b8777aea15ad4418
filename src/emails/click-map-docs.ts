import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import { boolean, decimal, integer, list, nullable, object, string } from '../platform/openapi/schemas.js';
import type { ClickMap, MappedLink } from './read/click-map.js';

/** Of an email of a broadcast, whose HTML is rendered on request. */
const FAILS = 'The template of the email fails with its variables';
const EXAMPLE_ID = '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77';

const link = object<MappedLink>('MappedLink', 'Clicks on the link at one position of a message', {
  position: integer('0 for the first tracked link; in the HTML it leads to `#link-0`', 0),
  url: string('Destination', 'https://example.com/start'),
  clicks: integer('Clicks', 12),
  people: integer('Clicks by people', 9),
  unique: integer('Emails in which it was clicked', 8),
  uniquePeople: integer('Emails in which people clicked it', 7),
  share: decimal('Share of all clicks by people, from 0 to 1', 0.75),
});
const clickMap = object<ClickMap>('ClickMap', 'A message and the clicks on its links', {
  emailId: nullable(string('The email whose HTML this is; null for a campaign without emails', EXAMPLE_ID)),
  html: string(
    'The HTML without the pixel, in which a tracked link leads to its position and every other link to `#`. It may have scripts: show it in a sandbox',
    '<p><a href="#link-0">Start here</a></p>',
  ),
  emails: integer('How many emails were counted', 10),
  isComplete: boolean('False when only the newest 20,000 emails of a campaign were counted', true),
  links: list(link, 'The tracked links, in the order of the message'),
});

/** One decorator per route of the controller. */
export const clickMapDocs = {
  ofCampaign: describeRoute({
    operationId: 'getCampaignClickMap',
    summary: 'Show the clicks on the links of a campaign',
    description:
      'Shows its newest email whose HTML is still stored. Emails of the same broadcast count by position, or, if they have more or fewer links, by destination; other emails where they have the same link at the same position.',
    tag: 'Campaigns',
    parameters: [path('id', string('ID of the campaign', EXAMPLE_ID))],
    responses: { 200: { description: 'The click map', schema: clickMap } },
    errors: { 400: FAILS, 404: 'Campaign not found, or the bodies of its newest emails were deleted' },
  }),
  ofEmail: describeRoute({
    operationId: 'getEmailClickMap',
    summary: 'Show the clicks on the links of an email',
    tag: 'Emails',
    parameters: [path('id', string('ID or tracking ID of the email', EXAMPLE_ID))],
    responses: { 200: { description: 'The click map', schema: clickMap } },
    errors: { 400: FAILS, 404: 'Email not found, or its body was deleted' },
  }),
};
