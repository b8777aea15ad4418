import { describeRoute, type RouteDescription } from '../platform/openapi/describe-route.js';
import { nameSearch, path, SEARCHED_PAGES } from '../platform/openapi/parameters.js';
import { list, object } from '../platform/openapi/schemas.js';
import {
  broadcastChange,
  broadcastCreation,
  broadcastId,
  broadcastRecipient,
  broadcastSchema,
  broadcastSending,
  broadcastSummary,
  uploadedRecipients,
} from './broadcast-schemas.js';
import type { BroadcastView } from './broadcast-view.js';
import { MAX_LISTED_RECIPIENTS } from './recipients/recipients-request.js';

const tag = 'Broadcasts';
const NOT_FOUND = { 404: 'Broadcast not found' };

/** A route that responds with the updated broadcast. */
function moves(
  route: Pick<RouteDescription, 'operationId' | 'summary' | 'description' | 'body' | 'isBodyOptional' | 'errors'>,
): MethodDecorator {
  return describeRoute({
    ...route,
    tag,
    parameters: [path('id', broadcastId)],
    responses: { 200: { description: 'The broadcast', schema: broadcastSchema } },
    errors: { ...NOT_FOUND, 409: 'The status of the broadcast does not allow the request', ...route.errors },
  });
}

/** One decorator per route of the controller. */
export const broadcastDocs = {
  list: describeRoute({
    operationId: 'listBroadcasts',
    summary: 'List or search broadcasts',
    description: `Newest first. ${SEARCHED_PAGES}`,
    tag,
    parameters: [nameSearch],
    paged: true,
    responses: {
      200: {
        description: 'The broadcasts',
        schema: object<{ broadcasts: readonly BroadcastView[] }>('BroadcastList', 'A page of broadcasts', {
          broadcasts: list(broadcastSummary, 'Broadcasts, newest first'),
        }),
      },
    },
  }),
  create: describeRoute({
    operationId: 'createBroadcast',
    summary: 'Create a broadcast',
    description: 'Creates a draft. Add its recipients, then send it.',
    tag,
    body: broadcastCreation,
    responses: { 201: { description: 'The draft', schema: broadcastSchema } },
    errors: { 403: true },
  }),
  get: describeRoute({
    operationId: 'getBroadcast',
    summary: 'Get a broadcast with its progress',
    tag,
    parameters: [path('id', broadcastId)],
    responses: { 200: { description: 'The broadcast', schema: broadcastSchema } },
    errors: NOT_FOUND,
  }),
  change: describeRoute({
    operationId: 'changeBroadcast',
    summary: 'Change a draft',
    description:
      'Replaces everything except its recipients: a field that the request omits loses its value. Only the attachments ' +
      'stay if the request omits `attachments`; an empty list removes them. With the `version` that was read, the change ' +
      'is refused if another one was made meanwhile; a repeated request is done once.',
    tag,
    parameters: [path('id', broadcastId)],
    body: broadcastChange,
    responses: { 200: { description: 'The draft', schema: broadcastSchema } },
    errors: { ...NOT_FOUND, 403: true, 409: 'The broadcast is not a draft, or has another version' },
  }),
  addRecipients: describeRoute({
    operationId: 'addBroadcastRecipients',
    summary: 'Add recipients to a broadcast',
    description:
      'As JSON, or as a stream of any length: application/x-ndjson with one recipient on each line, or text/csv whose ' +
      'first row names the columns: `to`, and the variables. Recipients are stored as they arrive; an interrupted ' +
      'upload can be repeated. Recipients can be added until the broadcast starts.',
    tag,
    parameters: [path('id', broadcastId)],
    body: object<{ recipients: unknown }>('AddRecipients', 'Recipients', {
      recipients: list(broadcastRecipient, 'Recipients', { maxItems: MAX_LISTED_RECIPIENTS }),
    }),
    responses: { 200: { description: 'The recipients are stored', schema: uploadedRecipients } },
    errors: { ...NOT_FOUND, 409: 'The broadcast has started' },
  }),
  send: moves({
    operationId: 'sendBroadcast',
    summary: 'Send a broadcast',
    description:
      'Begins at once, or at `sendAt`. Each recipient gets a separate email with its own unsubscribe link. ' +
      'A repeated request changes nothing. With the `version` that was read, it is refused if the draft was changed ' +
      'meanwhile.',
    body: broadcastSending,
    isBodyOptional: true,
    errors: {
      400: 'The campaign is archived, or the body is not valid',
      403: true,
      409: 'It has no recipients or another version, or its status does not allow it',
    },
  }),
  pause: moves({
    operationId: 'pauseBroadcast',
    summary: 'Pause a broadcast',
    description: 'Takes effect within a second. Emails that are being handed over are still sent.',
  }),
  resume: moves({ operationId: 'resumeBroadcast', summary: 'Resume a paused broadcast' }),
  cancel: moves({
    operationId: 'cancelBroadcast',
    summary: 'Cancel a broadcast',
    description:
      'Cannot be undone. Recipients without an email get none; emails that are being handed over are still sent.',
  }),
  delete: describeRoute({
    operationId: 'deleteBroadcast',
    summary: 'Delete a draft',
    description:
      'Takes a minute for millions of recipients. A draft whose deletion broke off is `canceled`, and its deletion can be repeated.',
    tag,
    parameters: [path('id', broadcastId)],
    responses: { 204: { description: 'The draft and its recipients are deleted' } },
    errors: { ...NOT_FOUND, 409: 'The broadcast is not a draft' },
  }),
};
