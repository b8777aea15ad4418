import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { ServiceEventAccounts } from '../service-event-accounts.js';
import { ResendCalls } from './resend-calls.js';

/** Admits calls of the service's own account with Resend. */
@Injectable()
export class ResendRequestCheck implements RequestCheck {
  constructor(
    private readonly accounts: ServiceEventAccounts,
    private readonly calls: ResendCalls,
  ) {}

  admit(request: FastifyRequest): void {
    this.calls.admit(this.accounts.of('resend'), request);
  }
}
