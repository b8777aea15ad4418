import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RecipientsSuppressedError } from '../../email-errors.js';
import type { BatchResult } from '../../accept/batch/batch-response.js';
import type { Caller } from '../../../organizations/api-key-authenticator.js';
import { CurrentCaller } from '../../../organizations/current-caller.js';
import { DomainError, type FieldProblem } from '../../../platform/errors/domain-error.js';
import { compatibleDocs } from '../compatible-docs.js';
import { CompatibleRoute } from '../compatible-route.js';
import { withFieldNames } from '../field-names.js';
import { SendMessages } from '../send-messages.js';
import { takeBody } from '../take-body.js';
import { sendGridErrors } from './error-body.js';
import { sendGridName } from './field-names.js';
import { translateMail } from './translate-mail.js';

/** SendGrid's API to send mail. */
@Controller('v3/mail/send')
export class MailSendController {
  constructor(private readonly sender: SendMessages) {}

  /** Like SendGrid, leaves out personalizations whose recipients are all suppressed, unless there are no others. */
  @Post()
  @HttpCode(202)
  @CompatibleRoute(sendGridErrors)
  @compatibleDocs.sendGrid
  async send(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const messages = translateMail(takeBody(request));
    const refusesAll = (problem: Error): boolean => !(problem instanceof RecipientsSuppressedError);
    const results = await withFieldNames(sendGridName, () =>
      this.sender.send(caller, { messages, shareAttachments: true, refusesAll }, { request, reply }),
    );
    void reply.header('x-message-id', idOfFirst(results));
  }
}

/** @throws DomainError when every message was left out */
function idOfFirst(results: readonly BatchResult[]): string {
  const problems: FieldProblem[] = [];
  for (const [position, result] of results.entries()) {
    if ('id' in result) return result.id;
    const problem = result.details?.[0]?.message ?? result.error;
    problems.push({ field: sendGridName('to', position), message: problem });
  }
  throw new DomainError('unprocessable', 'Every address in to is suppressed', problems);
}
