import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { ServiceEventAccounts } from '../service-event-accounts.js';
import { SendGridCalls } from './sendgrid-calls.js';

/** Admits calls of the service's own account with SendGrid. */
@Injectable()
export class SendGridRequestCheck implements RequestCheck {
  constructor(
    private readonly accounts: ServiceEventAccounts,
    private readonly calls: SendGridCalls,
  ) {}

  admit(request: FastifyRequest): void {
    this.calls.admit(this.accounts.of('sendgrid'), request);
  }
}
