import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { ServiceEventAccounts } from '../service-event-accounts.js';
import { PostmarkCalls } from './postmark-calls.js';

/** Admits calls of the service's own account with Postmark. */
@Injectable()
export class PostmarkRequestCheck implements RequestCheck {
  constructor(
    private readonly accounts: ServiceEventAccounts,
    private readonly calls: PostmarkCalls,
  ) {}

  admit(request: FastifyRequest, reply: FastifyReply): void {
    this.calls.admit(this.accounts.of('postmark'), request, reply);
  }
}
