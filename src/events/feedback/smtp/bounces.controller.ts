import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { TakesBearerToken } from '../../../platform/http/bearer-token.js';
import { rawBodyOf, TakesRawBody } from '../../../platform/http/request-check.js';
import { BounceIntake } from './bounce-intake.js';
import { BounceRequestCheck } from './bounce-request-check.js';
import { bounceDocs, type PostedBounce } from './bounce-docs.js';
import { MAX_MESSAGE_BYTES } from './mail-message.js';

class UnnamedEmailError extends DomainError {
  constructor() {
    super(
      'unprocessable',
      'The message names no return path of ours in Delivered-To, X-Original-To or To, nor in an abuse report',
    );
  }
}

class BounceNotStoredError extends DomainError {
  override readonly retryAfterSeconds = 5;

  constructor() {
    super('unavailable', 'The bounce could not be stored: please send it again');
  }
}

/** Receives bounces from mail servers that can pass a message to a program. */
@Controller('api/providers/smtp')
export class BouncesController {
  constructor(private readonly intake: BounceIntake) {}

  @Post('bounces')
  @HttpCode(200)
  @TakesBearerToken()
  @TakesRawBody(BounceRequestCheck, { mediaType: 'message/rfc822', maxBytes: MAX_MESSAGE_BYTES })
  @bounceDocs.receive
  async receive(@Req() request: FastifyRequest): Promise<PostedBounce> {
    const result = await this.intake.take({ transport: 'http', raw: rawBodyOf(request) }).catch(() => {
      throw new BounceNotStoredError();
    });
    if (result === 'unnamed') throw new UnnamedEmailError();
    return { result };
  }
}
