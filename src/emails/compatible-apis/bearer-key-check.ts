import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidKeyError, KeyNotInAuthorizationError } from '../../organizations/access-errors.js';
import { KeyCheck } from '../../organizations/key-check.js';
import { bearerTokenOf } from '../../platform/http/bearer-token.js';
import type { RequestCheck } from '../../platform/http/request-check.js';

/** Checks an API key in `Authorization: Bearer`, as the libraries of other services send it. Accepts no session. */
@Injectable()
export class BearerKeyCheck implements RequestCheck {
  constructor(private readonly keys: KeyCheck) {}

  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const key = bearerTokenOf(request);
    await this.keys.admitKey(key, request, reply).catch((error: unknown) => {
      throw error instanceof InvalidKeyError && key === '' ? new KeyNotInAuthorizationError() : error;
    });
  }
}
