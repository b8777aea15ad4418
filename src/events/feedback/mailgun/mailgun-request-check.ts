import { Injectable } from '@nestjs/common';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { ServiceEventAccounts } from '../service-event-accounts.js';

/** Admits calls of the service's own account with Mailgun, if there is one. Their body is verified, not their headers. */
@Injectable()
export class MailgunRequestCheck implements RequestCheck {
  constructor(private readonly accounts: ServiceEventAccounts) {}

  admit(): void {
    this.accounts.of('mailgun');
  }
}
