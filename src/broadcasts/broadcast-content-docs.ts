import { attachments, headers } from '../emails/email-fields.js';
import { describeRoute } from '../platform/openapi/describe-route.js';
import { path, query } from '../platform/openapi/parameters.js';
import { boolean, freeObject, integer, list, nullable, object, string } from '../platform/openapi/schemas.js';
import { templateRendering } from '../templates/template-docs.js';
import type { BroadcastMessageView, BroadcastRecipientView } from './broadcast-content.js';
import {
  MAX_MS,
  MAX_COUNTED_RECIPIENTS,
  type MissingVariable,
  type MissingVariablesView,
} from './missing-variables.js';
import { broadcastId } from './broadcast-schemas.js';

const tag = 'Broadcasts';
const NOT_FOUND = { 404: 'Broadcast not found' };

const message = object<BroadcastMessageView>('BroadcastMessage', 'The message of a broadcast, in Liquid', {
  subject: string('Subject line', 'The sale has begun, {{ name }}'),
  htmlContent: nullable(string('HTML; MJML is compiled already. Null for plain text', '<p>Hello {{ name }}</p>')),
  textContent: nullable(string('Text part; null if it is derived from the HTML', 'Hello {{ name }}')),
  mjml: nullable(string('Original MJML; null if the message was written as HTML', '<mjml>…</mjml>')),
  headers: nullable(headers),
  attachments,
});

const recipient = object<BroadcastRecipientView>('WaitingRecipient', 'A recipient without an email', {
  to: string('Address, or Name <address>', 'Grace <grace@example.com>'),
  variables: nullable(freeObject('Values for the variables of the message, or null', { name: 'Grace' })),
  metadata: nullable(freeObject('Your own data, or null', { orderId: 4711 })),
  suppressed: boolean('True if it gets no email because it was suppressed when it was added', false),
});

const missingVariables = object<MissingVariablesView>('MissingVariables', 'What recipients without an email lack', {
  recipients: integer('How many were checked, without suppressed ones', 12000),
  suppressed: integer('How many more were checked, and get no email: they were suppressed after they were added', 3),
  variables: list(
    object<MissingVariable>('MissingVariable', 'A variable that some recipients lack', {
      name: string('Name of the variable, or the path to a part of its value, such as `person.city`', 'name'),
      recipients: integer('How many of them have no value for it, or an empty one', 37),
    }),
    'Variables that some of them lack, most missed first',
  ),
});

/** One decorator per route of the controller. */
export const broadcastContentDocs = {
  message: describeRoute({
    operationId: 'getBroadcastMessage',
    summary: 'Get the message of a broadcast',
    tag,
    parameters: [path('id', broadcastId)],
    responses: { 200: { description: 'The message', schema: message } },
    errors: NOT_FOUND,
  }),
  preview: describeRoute({
    operationId: 'previewBroadcast',
    summary: 'Show what a recipient will get',
    description: 'Fills in the variables of a recipient without an email yet, without tracking. Sends nothing.',
    tag,
    parameters: [
      path('id', broadcastId),
      query('to', string('Address of the recipient; without it, variables are empty', 'grace@example.com')),
    ],
    responses: { 200: { description: 'The message', schema: templateRendering } },
    errors: { 400: true, 404: 'Broadcast or recipient not found' },
  }),
  missingVariables: describeRoute({
    operationId: 'findMissingVariables',
    summary: 'Find variables that recipients lack',
    description:
      'Counts recipients without an email yet whose copy would have a gap: the message uses a variable without a default ' +
      `value, and no condition tests it. Checks the first ${MAX_COUNTED_RECIPIENTS} recipients by address, or fewer if that takes ` +
      `longer than ${MAX_MS / 1_000} seconds.`,
    tag,
    parameters: [path('id', broadcastId)],
    responses: { 200: { description: 'The variables', schema: missingVariables } },
    errors: { 400: true, ...NOT_FOUND },
  }),
  recipients: describeRoute({
    operationId: 'listBroadcastRecipients',
    summary: 'List recipients without an email yet',
    description:
      'Sorted by address. A recipient leaves the list when its email is created; `GET /api/emails` then lists that email. ' +
      'A page with about a megabyte of variables and metadata ends before its limit.',
    tag,
    parameters: [path('id', broadcastId)],
    paged: true,
    responses: {
      200: {
        description: 'The recipients',
        schema: object<{ recipients: readonly BroadcastRecipientView[] }>(
          'WaitingRecipientList',
          'A page of recipients',
          { recipients: list(recipient, 'Recipients, sorted by address') },
        ),
      },
    },
    errors: NOT_FOUND,
  }),
};
