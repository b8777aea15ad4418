import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WrongKeyLimits } from '../../../organizations/wrong-key-limits.js';
import { clientNetwork } from '../../../platform/addresses/client-network.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ClientAddresses } from '../../../platform/http/client-address.js';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { EventsNotSetUpError } from '../provider-call-errors.js';
import { EventAccounts, type ReportingAccount } from './event-accounts.js';
import { OwnEventLimits } from './own-event-limits.js';

class EventKeyUnreadableError extends DomainError {
  override readonly retryAfterSeconds = 30;

  constructor() {
    super('unavailable', 'The call cannot be verified now: please send it again');
  }
}

/** Finds the account that a call must come from, and admits the call as a call of its type. */
@Injectable()
export class OrganizationEventsCheck implements RequestCheck {
  private readonly admitted = new WeakMap<FastifyRequest, ReportingAccount>();

  constructor(
    private readonly accounts: EventAccounts,
    private readonly limits: OwnEventLimits,
    private readonly wrongKeys: WrongKeyLimits,
    private readonly clients: ClientAddresses,
  ) {}

  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { id } = request.params as { readonly id: string };
    const account = await this.find(id, clientNetwork(this.clients.clientOfRequest(request.raw)));
    this.limits.admit(account);
    request.rawBody = account.body;
    account.admit(request, reply);
    this.admitted.set(request, account);
  }

  /** The account of a request that was admitted. */
  accountOf(request: FastifyRequest): ReportingAccount {
    return this.admitted.get(request)!;
  }

  /**
   * Unknown IDs count as wrong keys: each costs a query, too.
   * @throws EventsNotSetUpError, EventKeyUnreadableError, TooManyRequestsError
   */
  private async find(id: string, network: string): Promise<ReportingAccount> {
    const account = await this.accounts.find(id, this.wrongKeys.isSuspect(network));
    if (account === 'unreadable') throw new EventKeyUnreadableError();
    if (account) return account;
    await this.wrongKeys.count(network);
    throw new EventsNotSetUpError();
  }
}
