import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { TakesMessages } from '../../platform/http/body-limits.js';
import { CurrentCaller } from '../../organizations/current-caller.js';
import { NeedsScope } from '../../organizations/key-scopes.js';
import { KeyGuard } from '../../organizations/api-key.guard.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { emailDocs } from '../email-docs.js';
import { withoutBytes } from '../attachments/attachment.js';
import { takeAttachments } from '../attachments/read-attachments.js';
import { readIdempotency } from '../idempotency/idempotent-request.js';
import { readHeaders } from './message-headers.js';
import type { SendResponse } from './send-response.js';
import { SendEmail } from './send-email.js';
import { BatchRequest } from './batch/batch-request.js';
import { readMessages } from './batch/read-messages.js';
import type { BatchResponse } from './batch/batch-response.js';
import { SendBatch } from './batch/send-batch.js';
import { SendRequest } from './send-request.js';

@Controller('api/send')
@UseGuards(KeyGuard)
export class SendController {
  constructor(
    private readonly emails: SendEmail,
    private readonly batches: SendBatch,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /** 200 when the provider accepted the email, 202 with `status` while delivery continues. */
  @Post()
  @HttpCode(200)
  @TakesMessages()
  @NeedsScope('send')
  @emailDocs.send
  async send(
    @CurrentCaller() caller: Caller,
    @Body() body: SendRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendResponse> {
    const waitMs = prefersAsync(request.headers.prefer) ? 0 : this.settings.SEND_RESPONSE_TIMEOUT_MS;
    // Checked before the request is serialized: values may be nested deeper than that can follow.
    const headers = readHeaders(body.headers);
    const attachments = (await takeAttachments(body)) ?? [];
    const digests = attachments.map(withoutBytes);
    const idempotent = readIdempotency(request, reply, digests.length > 0 ? { ...body, digests } : body);
    const { emailId, response } = await this.emails.send(caller, { ...body, headers, attachments }, waitMs, idempotent);
    if (response.status !== undefined) {
      void reply.status(202).header('location', `/api/emails/${emailId}`);
    }
    return response;
  }

  /** Delivery always continues after the response. */
  @Post('batch')
  @HttpCode(202)
  @TakesMessages()
  @NeedsScope('send')
  @emailDocs.sendBatch
  async sendBatch(
    @CurrentCaller() caller: Caller,
    @Body() body: BatchRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BatchResponse> {
    const { messages, digests } = await readMessages(body);
    return this.batches.send(caller, messages, readIdempotency(request, reply, digests));
  }
}

/** `Prefer: respond-async` (RFC 7240, 4.1), alone or with other preferences, in one header or several. */
function prefersAsync(prefer: string | string[] | undefined): boolean {
  const preferences = [prefer ?? []].flat().join(',').split(/[,;]/);
  return preferences.some((preference) => preference.trim().toLowerCase() === 'respond-async');
}
