import { describeRoute } from '../../platform/openapi/describe-route.js';
import { header } from '../../platform/openapi/parameters.js';
import { string } from '../../platform/openapi/schemas.js';

/** One decorator per route of the controller. */
export const liveDocs = {
  connect: describeRoute({
    operationId: 'followChanges',
    summary: 'Follow changes live',
    description: `Server-sent events (text/event-stream) about emails, opens and clicks, broadcasts and webhooks of the organization,
within a second. Each has \`type\`, \`at\` and the IDs of the resources to read again, but no addresses and no content. Several changes of one resource may arrive as one event. The stream also contains the events \`ready\`, \`refresh\` (some messages are missing: read again what you show) and \`paused\` (no messages arrive until the next \`ready\`). With \`Last-Event-ID\` the stream continues after that event.
The response ends after an hour, when the key or session ends, and when the process stops.`,
    tag: 'Live',
    parameters: [header('Last-Event-ID', string('ID of the last event that the client has', '1767225600000-0'))],
    errors: { 429: 'The rate limit, or too many live connections are open' },
    responses: {
      200: {
        description: 'The events, as they happen',
        mediaType: 'text/event-stream',
        schema: string(
          'Server-sent events',
          'id: 1767225600000-0\ndata: {"type":"email.sent","emailId":"0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77","at":"2026-01-01T00:00:00.000Z"}\n\n',
        ),
      },
    },
  }),
};
