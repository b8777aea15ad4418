import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BYTES_PER_VALUE } from '../../../platform/http/body-limits.js';
import { reserveForBody } from '../../../platform/http/json-bodies.js';
import { countJsonValues } from '../../../platform/http/json-structure.js';
import { rawBodyOf, TakesRawBody } from '../../../platform/http/request-check.js';
import { parseJson, ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import { parseSesEvent } from './parse-ses-event.js';
import { sesDocs } from './ses-docs.js';
import { SesRequestCheck } from './ses-request-check.js';
import { SnsSubscriptions } from './sns-subscriptions.js';

/** The limit of SNS for a message. */
const MAX_BODY_BYTES = 256 * 1024;
/** A message has about ten. The body of a stranger must be parsed to find out that it is not signed. */
const MAX_ENVELOPE_VALUES = 500;
/** An event has a few hundred: it lists the headers and recipients of its email. */
const MAX_EVENT_VALUES = 20_000;

/** Events of Amazon SES, which SNS posts. They have no API key: their signature is the key. */
@Controller('api/providers/ses')
export class SesEventsController {
  constructor(
    private readonly check: SesRequestCheck,
    private readonly subscriptions: SnsSubscriptions,
    private readonly events: ProviderEvents,
  ) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(SesRequestCheck, MAX_BODY_BYTES, 'text/plain')
  @sesDocs.events
  async receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const body = rawBodyOf(request);
    const values = countJsonValues(body, MAX_ENVELOPE_VALUES + 1);
    if (values > MAX_ENVELOPE_VALUES) this.check.refuse('unsigned');
    reserveForBody(request, values * BYTES_PER_VALUE);
    const message = await this.check.verify(parseJson(body));
    if (message.type === 'Notification') return this.events.store('ses', parseSesEvent(eventIn(request, message)));
    await this.subscriptions.handle(message);
    return { stored: 0, ignored: 1 };
  }
}

/** The event in a message; undefined if it is none, such as the sentence by which SES tries a topic. */
function eventIn(request: FastifyRequest, { message }: { readonly message: string }): unknown {
  const json = Buffer.from(message);
  const values = countJsonValues(json, MAX_EVENT_VALUES + 1);
  if (values > MAX_EVENT_VALUES) return undefined;
  reserveForBody(request, json.length + values * BYTES_PER_VALUE);
  return parseJson(json);
}
