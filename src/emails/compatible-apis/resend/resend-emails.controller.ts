import { Controller, Headers, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BatchResult } from '../../accept/batch/batch-response.js';
import type { Caller } from '../../../organizations/api-key-authenticator.js';
import { CurrentCaller } from '../../../organizations/current-caller.js';
import { DomainError, InvalidFieldError } from '../../../platform/errors/domain-error.js';
import { TakesListedBytes } from '../../../platform/http/body-limits.js';
import { compatibleDocs } from '../compatible-docs.js';
import { CompatibleRoute } from '../compatible-route.js';
import { problemsIn, withFieldNames, type FieldNames } from '../field-names.js';
import { SendMessages } from '../send-messages.js';
import { takeBody } from '../take-body.js';
import { resendError } from './error-body.js';
import { resendName } from './field-names.js';
import { translateEmail, requireEmails } from './translate-email.js';

/** Resend's API to send email. */
@Controller('emails')
export class ResendEmailsController {
  constructor(private readonly sender: SendMessages) {}

  @Post()
  @HttpCode(200)
  @CompatibleRoute(resendError)
  @TakesListedBytes()
  @compatibleDocs.resend
  async send(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ id: string }> {
    const messages = [translateEmail(takeBody(request))];
    const [sent] = await withFieldNames(resendName, () =>
      this.sender.send(caller, { messages, refusesAll: () => true }, { request, reply }),
    );
    return { id: (sent as { id: string }).id };
  }

  /**
   * With `x-batch-validation: permissive`, emails that are not valid are left out; otherwise they refuse all others.
   */
  @Post('batch')
  @HttpCode(200)
  @CompatibleRoute(resendError)
  @TakesListedBytes()
  @compatibleDocs.resendBatch
  async sendBatch(
    @CurrentCaller() caller: Caller,
    @Headers('x-batch-validation') validation: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BatchResponse> {
    const isStrict = requireValidation(validation) === 'strict';
    const messages = requireEmails(takeBody(request)).map((email, position) => {
      return isStrict ? translateEmail(email, String(position)) : translateOrRefuse(email);
    });
    const names: FieldNames = (field, position) => (isStrict ? `${position}.${resendName(field, position)}` : field);
    const results = await withFieldNames(names, () =>
      this.sender.send(caller, { messages, refusesAll: () => isStrict, isPermissive: !isStrict }, { request, reply }),
    );
    return toResponse(results, isStrict);
  }
}

interface BatchResponse {
  readonly data: readonly { readonly id: string }[];
  /** Of the emails that were left out; only with permissive validation. */
  readonly errors?: readonly { readonly index: number; readonly message: string }[];
}

function requireValidation(value = 'strict'): string {
  if (value === 'strict' || value === 'permissive') return value;
  throw new InvalidFieldError('x-batch-validation', 'must be strict or permissive');
}

function translateOrRefuse(email: unknown): object | DomainError {
  try {
    return translateEmail(email);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

function toResponse(results: readonly BatchResult[], isStrict: boolean): BatchResponse {
  const data = results.flatMap((result) => ('id' in result ? [{ id: result.id }] : []));
  if (isStrict) return { data };
  const errors = results.flatMap((result, index) => {
    if ('id' in result) return [];
    const { error, details } = result;
    return [{ index, message: details ? problemsIn(resendName, details, index) : error }];
  });
  return { data, errors };
}
