import { Body, Controller, Headers, HttpCode, Inject, Post, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import { CurrentCaller } from '../http/caller.js';
import { KeyGuard } from '../http/key.guard.js';
import type { Caller } from '../organizations/key-directory.js';
import type { SendAnswer } from './send-answers.js';
import { SendEmails } from './send-emails.js';
import { SendRequest } from './send-request.js';

@Controller('api/send')
@UseGuards(KeyGuard)
export class SendController {
  constructor(
    private readonly emails: SendEmails,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /** 200 when the provider accepted, 202 with `status` while the email is still under way. */
  @Post()
  @HttpCode(200)
  async send(
    @CurrentCaller() caller: Caller,
    @Body() body: SendRequest,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendAnswer> {
    const waitMs = prefersAsync(prefer) ? 0 : this.settings.SEND_RESPONSE_TIMEOUT_MS;
    const { emailId, answer } = await this.emails.send(caller, body, waitMs);
    if (answer.status === 'queued') {
      void reply.status(202).header('location', `/api/emails/${emailId}`);
    }
    return answer;
  }
}

/** `Prefer: respond-async` (RFC 7240, 4.1), alone or among other preferences. */
function prefersAsync(prefer: string | undefined): boolean {
  return (prefer ?? '').split(/[,;]/).some((preference) => preference.trim().toLowerCase() === 'respond-async');
}
